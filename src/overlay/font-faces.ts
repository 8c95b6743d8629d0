import type { Font } from "../looks/fonts.ts";
import { fontAddress } from "../addresses.ts";

/**
 * The CSS that makes fonts known to a page, by their names; a browser loads only those it uses. A
 * font is used as it is for every weight, because a browser's own bold would blur it.
 */
export const fontFaces = (fonts: readonly Font[], basePath: string): string =>
  fonts.map((font) => fontFace(font, basePath)).join("\n");

const fontFace = ({ id, name }: Font, basePath: string): string =>
  `@font-face{font-family:"${name}";src:url("${fontAddress(basePath, id)}") format("woff2");font-weight:1 1000;font-display:swap}`;
