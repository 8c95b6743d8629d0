import {
  contrast,
  isDark,
  mix,
  parseHex,
  READABLE,
  readableOn,
  type Rgb,
  toHex,
} from "./colour.ts";
import type { WidgetOptions } from "./options.ts";
import type { WidgetTrack } from "./state.ts";

/** The colours of each mode, as in the stylesheet. */
export const MODE_COLOURS = {
  dark: { panel: "#11131a", title: "#ffffff", muted: "#b9c0cf", accent: "#8ab4ff" },
  light: { panel: "#fcfcfe", title: "#14161c", muted: "#4a5162", accent: "#2356c5" },
} as const;
/** The opacity of the most transparent panel of all themes. */
export const LEAST_PANEL_OPACITY = 0.94;

type Mode = "dark" | "light";

/** A panel that is less opaque, in percent, lets what lies behind it decide more than its colour. */
const LEAST_DECIDING_OPACITY = 50;

/** The streamer's colour of the panel, where the words stand on it. */
const ownPanelOf = ({ bg, theme, opacity }: WidgetOptions): string | null =>
  theme === "text" || (opacity ?? 100) < LEAST_DECIDING_OPACITY ? null : bg;

/**
 * Which of the modes' colours the page has. A colour of the panel decides: whoever chooses a white
 * panel does not have to think of dark text.
 */
export function modeOf(options: WidgetOptions): WidgetOptions["mode"] {
  const panel = ownPanelOf(options);
  if (panel === null) return options.mode;
  return isDark(parseHex(panel)) ? "dark" : "light";
}

/**
 * The page's options as a stylesheet of custom properties. The options' patterns reject every value
 * that could end a declaration or the style element.
 */
export function optionStyles(options: WidgetOptions): string {
  const own = coloursOnOwnPanel(options);
  const declarations: [property: string, value: string | null][] = [
    ["--np-panel", options.bg && parseHex(options.bg).join(" ")],
    ["--np-panel-opacity", options.opacity === null ? null : String(options.opacity / 100)],
    ["--np-fg", options.color ?? own?.title ?? null],
    ["--np-fg-muted", options.color ?? own?.muted ?? null],
    ["--np-accent", options.accent === "auto" ? (own?.accent ?? null) : options.accent],
    ["--np-font", options.font && fontFamilies(options.font)],
    ["--np-font-size", pixels(options.size)],
    ["--np-radius", pixels(options.radius)],
    ["--np-max-width", pixels(options.width)],
    ["--np-width", pixels(options.width)],
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
  const accentOn = (mode: Mode) =>
    accent ? `--np-accent:${readableOnPanel(accent, options, mode, cover !== "")}` : "";
  const mode = modeOf(options);
  const base = mode === "light" ? "light" : "dark";
  const rules = [`:root{${[cover, accentOn(base)].filter(Boolean).join(";")}}`];
  if (mode === "auto" && accent) {
    rules.push(`@media (prefers-color-scheme:light){:root{${accentOn("light")}}}`);
  }
  return `@layer np.cover{${rules.join("")}}`;
}

/** Their colours can be read on the pane of whatever cover. */
const isTinted = ({ theme }: WidgetOptions): boolean => theme === "glass" || theme === "ambient";

/** The mode's own colours, made readable on the panel's colour if the streamer chose that. */
function coloursOnOwnPanel(options: WidgetOptions) {
  const mode = modeOf(options);
  const panel = ownPanelOf(options);
  if (panel === null || mode === "auto" || isTinted(options)) return undefined;
  const readable = (colour: string) => readableOnPanel(parseHex(colour), options, mode, false);
  const { title, muted, accent } = MODE_COLOURS[mode];
  const isReadable = contrast(parseHex(title), parseHex(panel)) >= READABLE;
  return {
    title: isReadable ? null : readable(title),
    muted: readable(muted),
    accent: readable(accent),
  };
}

/** What `ambient.css` makes of a white cover in dark mode, and of a black one in light mode. */
export const AMBIENT_AT_WORST: Readonly<Record<Mode, Rgb>> = {
  dark: [102, 102, 102],
  light: [200, 200, 202],
};

/** The panel on its worst background: white behind a dark panel, black behind a light one. */
function panelAtWorst(options: WidgetOptions, mode: Mode, hasCover: boolean): Rgb {
  if (options.theme === "ambient") return AMBIENT_AT_WORST[mode];
  const own = options.theme === "glass" && hasCover ? null : ownPanelOf(options);
  const behind: Rgb = mode === "dark" ? [255, 255, 255] : [0, 0, 0];
  return mix(behind, parseHex(own ?? MODE_COLOURS[mode].panel), LEAST_PANEL_OPACITY);
}

/** A colour made readable on the panel, as light or as dark as the mode's other words. */
const readableOnPanel = (colour: Rgb, options: WidgetOptions, mode: Mode, hasCover: boolean) =>
  toHex(readableOn(colour, panelAtWorst(options, mode, hasCover), mode === "dark"));

/** Between quotation marks, these would be the names of fonts that nobody has. */
const GENERIC_FAMILY = /^((sans-)?serif|monospace|cursive|fantasy|system-ui)$/i;

function fontFamilies(names: string): string {
  const families = names
    .split(",")
    .map((name) => name.trim())
    .map((name) => (GENERIC_FAMILY.test(name) ? name : `"${name}"`));
  return `${families.join(",")},system-ui,sans-serif`;
}

const pixels = (value: number | null) => (value === null ? null : `${value}px`);
