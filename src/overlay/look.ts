import { parseWidgetOptions } from "../../widget/options.ts";
import type { LookMessage } from "../../widget/state.ts";
import { optionStyles } from "../../widget/styles.ts";
import type { Widget } from "../looks/widgets.ts";
import { languages } from "../i18n/index.ts";
import { type Language, languageTag } from "../languages.ts";
import { cssWithFonts, type PageFonts } from "./fonts/font-faces.ts";

/** How an overlay looks: what its address asks for, over what its widget has saved. */
export type OverlayLook = ReturnType<typeof overlayLook>;

/** What an overlay needs to know of its widget. */
export type LookedAt = Pick<Widget, "language" | "options" | "css" | "revision">;

/** The public demo shows one of the looks that come with Marquee: `?look=poster`. */
export async function shippedLookIn(
  query: URLSearchParams,
  language: Language,
): Promise<LookedAt | undefined> {
  const name = query.get("look");
  if (name === null) return undefined;
  // Few servers ever show one.
  const { isShippedLookName, shippedLook } = await import("./looks/shipped.ts");
  if (!isShippedLookName(name)) return undefined;
  const { options, css } = shippedLook(name, languages[language]);
  return { language: null, options, css, revision: 0 };
}

/**
 * @param widget `undefined` for the public demo
 */
export function overlayLook(
  widget: LookedAt | undefined,
  addressLanguage: Language,
  query: URLSearchParams,
  fonts: PageFonts,
) {
  const parsed = parseWidgetOptions(query, widget?.options);
  const language = widget?.language ?? addressLanguage;
  const { font } = parsed.options;
  const look = {
    ...parsed,
    words: languages[language].widget,
    languageTag: languageTag(language),
    /** What makes fonts known, and then the widget's own CSS. */
    css: cssWithFonts(fonts, { font, css: widget?.css ?? "" }),
  };
  return {
    ...look,
    revision: widget?.revision ?? 0,
    /** Differs whenever an overlay would look different. */
    fingerprint: Bun.hash(JSON.stringify(look)).toString(36),
  };
}

/** The message that makes an open page look like this. */
export function lookMessage(look: OverlayLook): LookMessage {
  const { options, words, languageTag: tag, css, revision, fingerprint } = look;
  const styles = optionStyles(options);
  return { type: "look", revision, fingerprint, options, styles, css, words, languageTag: tag };
}
