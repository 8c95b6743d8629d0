import { en } from "../../i18n/en.ts";
import type { Words } from "../../i18n/index.ts";

export type ShippedLookName = keyof Words["looks"];

/** The looks that come with Marquee, in the order in which they are offered. */
export const SHIPPED_LOOK_NAMES = Object.keys(en.looks) as readonly ShippedLookName[];

export const isShippedLookName = (text: string): text is ShippedLookName =>
  SHIPPED_LOOK_NAMES.some((name) => name === text);
