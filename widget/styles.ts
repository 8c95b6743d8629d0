import { leastPanelOpacity } from "./panel-opacity.ts" with { type: "macro" };
import { luminance, mix, parseHex, readableOn, type Rgb, toHex } from "./colour.ts";
import type { WidgetOptions } from "./options.ts";
import type { WidgetTrack } from "./state.ts";

/** The panel's colour in each mode, as in the stylesheet. */
const PANEL = { dark: "#11131a", light: "#fcfcfe" } as const;
const PANEL_OPACITY = leastPanelOpacity();

/**
 * The page's options as a stylesheet of custom properties. The options' patterns reject every value
 * that could end a declaration or the style element.
 */
export function optionStyles(options: WidgetOptions): string {
  const declarations: [property: string, value: string | null][] = [
    ["--np-panel", options.bg && parseHex(options.bg).join(" ")],
    ["--np-panel-opacity", options.opacity === null ? null : String(options.opacity / 100)],
    ["--np-fg", options.color],
    ["--np-fg-muted", options.color],
    ["--np-accent", options.accent === "auto" ? null : options.accent],
    ["--np-font", options.font && fontFamilies(options.font)],
    ["--np-font-size", pixels(options.size)],
    ["--np-radius", pixels(options.radius)],
    ["--np-max-width", pixels(options.width)],
    ["--np-align", options.align === "start" ? null : options.align],
    // A width of 0 would still draw the outline's shadows, below the letters.
    ["--np-outline-width", options.outline === 0 ? "initial" : pixels(options.outline)],
  ];
  const body = declarations
    .filter(([, value]) => value !== null)
    .map(([property, value]) => `${property}:${value}`)
    .join(";");
  return `@layer np.options{:root{${body}}}`;
}

/** Styles from a track's cover: an accent that is readable in either mode, and the cover itself. */
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

/** The panel on its worst background: white behind a dark panel, black behind a light one. */
function panelAtWorst(options: WidgetOptions, mode: "dark" | "light"): Rgb {
  const panel = parseHex(options.bg ?? PANEL[mode]);
  const behind: Rgb = luminance(panel) < 0.18 ? [255, 255, 255] : [0, 0, 0];
  return mix(behind, panel, PANEL_OPACITY);
}

function fontFamilies(names: string): string {
  const families = names.split(",").map((name) => `"${name.trim()}"`);
  return `${families.join(",")},system-ui,sans-serif`;
}

const pixels = (value: number | null) => (value === null ? null : `${value}px`);
