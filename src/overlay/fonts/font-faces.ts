import type { Font } from "../../looks/fonts.ts";
import { fontAddress } from "../../addresses.ts";
import {
  SHIPPED_FONT_NAMES,
  shippedFontId,
  type ShippedFontName,
  SIZE_ADJUSTMENTS,
  type Subset,
  SUBSETS,
  UNICODE_RANGES,
} from "./shipped-fonts.ts";

/** The fonts that an overlay may use besides those that come with Marquee. */
export interface PageFonts {
  /** Those that its user has uploaded. */
  readonly own: readonly Font[];
  readonly basePath: string;
}

/** What names fonts in a look. */
interface Naming {
  /** The option. */
  readonly font: string | null;
  readonly css: string;
}

/**
 * The CSS of a look after what makes fonts known to the page by their names: the user's own, and
 * those that come with Marquee where the look names them. A browser loads only those it uses.
 */
export function cssWithFonts({ own, basePath }: PageFonts, { font, css }: Naming): string {
  const named = `${font ?? ""}\n${css}`.toLowerCase();
  const isOwn = (name: string) => own.some((one) => one.name.toLowerCase() === name);
  const isUsed = (name: string) => named.includes(name) && !isOwn(name);
  const shipped = SHIPPED_FONT_NAMES.filter((name) => isUsed(name.toLowerCase()));
  return [
    ...shipped.flatMap((name) => SUBSETS.map((subset) => shippedFontFace(name, subset, basePath))),
    ...own.map(({ id, name }) => fontFace(name, fontAddress(basePath, id))),
    ...(css === "" ? [] : [css]),
  ].join("\n");
}

function shippedFontFace(name: ShippedFontName, subset: Subset, basePath: string): string {
  const size = SIZE_ADJUSTMENTS[name];
  const address = fontAddress(basePath, shippedFontId(name, subset));
  const range = `;unicode-range:${UNICODE_RANGES[subset]}`;
  return fontFace(name, address, size === undefined ? range : `${range};size-adjust:${size}`);
}

/** A font is used as it is for every weight, because a browser's own bold would blur it. */
const fontFace = (name: string, address: string, more = ""): string =>
  `@font-face{font-family:"${name}";src:url("${address}") format("woff2");font-weight:1 1000;font-display:swap${more}}`;
