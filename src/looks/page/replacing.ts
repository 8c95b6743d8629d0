import type { Words } from "../../i18n/en.ts";
import type { Widget } from "../widgets.ts";

/** What becomes of what uses the old address of a widget once it is replaced. */
export const consequenceOfReplacing = (kind: Widget["kind"], words: Words): string =>
  kind === "overlay" ? words.dashboard.gallery.rotateText : words.outputs[kind].rotateText;
