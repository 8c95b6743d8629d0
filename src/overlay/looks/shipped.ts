import { type WidgetOptions, widgetOptions } from "../../../widget/options.ts";
import type { Words } from "../../i18n/index.ts";
import { readLookDocument, type SharedLook } from "./shared-look.ts";
import arena from "./shipped/arena.json" with { type: "json" };
import chatting from "./shipped/chatting.json" with { type: "json" };
import contrast from "./shipped/contrast.json" with { type: "json" };
import cosy from "./shipped/cosy.json" with { type: "json" };
import crt from "./shipped/crt.json" with { type: "json" };
import frosted from "./shipped/frosted.json" with { type: "json" };
import lateNight from "./shipped/lateNight.json" with { type: "json" };
import lounge from "./shipped/lounge.json" with { type: "json" };
import neon from "./shipped/neon.json" with { type: "json" };
import pixel from "./shipped/pixel.json" with { type: "json" };
import poster from "./shipped/poster.json" with { type: "json" };

export type ShippedLookName = keyof Words["looks"];

type LookDocument = Readonly<Record<string, unknown>>;
type Theme = WidgetOptions["theme"];

/** A theme as it is, without any other option. */
const plain = (theme: Theme): LookDocument => ({
  ...{ marquee: 1, name: theme },
  options: theme === widgetOptions.theme.fallback ? {} : { theme },
});

const documents: Readonly<Record<ShippedLookName, LookDocument>> = {
  lateNight,
  cosy,
  arena,
  lounge,
  chatting,
  pixel,
  crt,
  neon,
  frosted,
  poster,
  contrast,
  card: plain("card"),
  glass: plain("glass"),
  vinyl: plain("vinyl"),
  compact: plain("compact"),
  bar: plain("bar"),
  text: plain("text"),
  art: plain("art"),
};

/** The looks that come with Marquee, in the order in which they are offered. */
export const SHIPPED_LOOK_NAMES = Object.keys(documents) as readonly ShippedLookName[];

export const isShippedLookName = (text: string): text is ShippedLookName =>
  SHIPPED_LOOK_NAMES.some((name) => name === text);

/** The looks that come with Marquee, with their names in a language. */
export function shippedLooks(words: Words): Readonly<Record<ShippedLookName, SharedLook>> {
  const looks = SHIPPED_LOOK_NAMES.map((name) => [name, shippedLook(name, words)] as const);
  return Object.fromEntries(looks) as Record<ShippedLookName, SharedLook>;
}

export function shippedLook(name: ShippedLookName, words: Words): SharedLook {
  const read = readLookDocument(documents[name]);
  if ("mistake" in read) throw new Error(`The look ${name} is wrong: ${read.mistake.kind}`);
  return { ...read.look, name: words.looks[name].name };
}
