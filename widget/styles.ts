import { luminance, mix, parseHex, readableOn, type Rgb, toHex } from "./colour.ts";
import type { WidgetOptions } from "./options.ts";
import type { WidgetTrack } from "./state.ts";

/** The panel's colour in each mode, as the stylesheet has it. */
const PANEL = { dark: "#11131a", light: "#fcfcfe" } as const;
const PANEL_OPACITY_PERCENT = 94;

/**
 * What a page's options set, as a stylesheet of custom properties. The options' own patterns let
 * nothing through that could end a declaration or the style element.
 */
export function optionStyles(options: WidgetOptions): string {
  const declarations: [property: string, value: string | null][] = [
    ["--np-bg", panelPaint(options)],
    ["--np-fg", options.color],
    ["--np-fg-muted", options.color],
    ["--np-accent", options.accent === "auto" ? null : options.accent],
    ["--np-font", options.font && fontFamilies(options.font)],
    ["--np-font-size", pixels(options.size)],
    ["--np-radius", pixels(options.radius)],
    ["--np-max-width", pixels(options.width)],
    ["--np-align", options.align === "start" ? null : options.align],
    ["--np-outline-width", pixels(options.outline)],
  ];
  const body = declarations
    .filter(([, value]) => value !== null)
    .map(([property, value]) => `${property}:${value}`)
    .join(";");
  return `@layer np.options{:root{${body}}}`;
}

/** What a track's cover sets: an accent that can be read in either mode, and the cover itself. */
export function coverStyles(track: WidgetTrack | undefined, options: WidgetOptions): string {
  const cover = track?.art && options.art ? `--np-cover:url("${track.art}")` : "";
  const accent = track?.accent && options.accent === "auto" ? parseHex(track.accent) : undefined;
  const accentOn = (mode: "dark" | "light") =>
    accent ? `--np-accent:${toHex(readableOn(accent, panelAtWorst(options, mode)))}` : "";
  const base = options.mode === "light" ? "light" : "dark";
  const rules = [`:root{${[cover, accentOn(base)].filter(Boolean).join(";")}}`];
  if (options.mode === "auto" && accent) {
    rules.push(`@media (prefers-color-scheme:light){:root{${accentOn("light")}}}`);
  }
  return `@layer np.cover{${rules.join("")}}`;
}

function panelColour({ bg }: WidgetOptions, mode: "dark" | "light"): Rgb {
  return parseHex(bg ?? PANEL[mode]);
}

/** The panel over what shines through it most: white behind a dark one, black behind a light one. */
function panelAtWorst(options: WidgetOptions, mode: "dark" | "light"): Rgb {
  const panel = panelColour(options, mode);
  const behind: Rgb = luminance(panel) < 0.18 ? [255, 255, 255] : [0, 0, 0];
  return mix(behind, panel, PANEL_OPACITY_PERCENT / 100);
}

/** Either half of the panel's paint, colour or opacity, may be chosen alone. */
function panelPaint(options: WidgetOptions): string | null {
  if (options.bg === null && options.opacity === null) return null;
  const mode = options.mode === "light" ? "light" : "dark";
  const [red, green, blue] = panelColour(options, mode);
  return `rgb(${red} ${green} ${blue} / ${(options.opacity ?? PANEL_OPACITY_PERCENT) / 100})`;
}

function fontFamilies(names: string): string {
  const families = names.split(",").map((name) => `"${name.trim()}"`);
  return `${families.join(",")},system-ui,sans-serif`;
}

const pixels = (value: number | null) => (value === null ? null : `${value}px`);
