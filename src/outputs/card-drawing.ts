import { contrast, mix, parseHex, readableOn, type Rgb, toHex } from "../../widget/colour.ts";
import { clockText, directionOf } from "../../widget/view.ts";
import { oneLine } from "./harmless.ts";
import { cutLine } from "./line.ts";

export type CardMode = "auto" | "dark" | "light";

/** What a card shows. */
export type CardContent =
  | { readonly kind: "idle"; readonly text: string }
  | {
      readonly kind: "song";
      readonly isPaused: boolean;
      /** The small line on top, such as "Now playing · Spotify". */
      readonly label: string;
      readonly title: string;
      readonly artist: string;
      /** A JPEG file. */
      readonly cover: Uint8Array | undefined;
      /** `undefined` when the position or the end is not known. */
      readonly progress: CardProgress | undefined;
    };

export interface CardProgress {
  readonly positionMs: number;
  readonly durationMs: number;
  /** Milliseconds of track in a millisecond. */
  readonly rate: number;
}

export interface Card {
  readonly content: CardContent;
  readonly mode: CardMode;
  /** A lively colour of the cover such as `#e07a5f`. */
  readonly accent: string | null;
  /** The whole card in a sentence, for screen readers. */
  readonly description: string;
}

const CARD_WIDTH = 400;
const CARD_HEIGHT = 100;

const TEXT_LEFT = 104;
const TEXT_RIGHT = 384;
const BAR_RIGHT = 346;
const BAR_WIDTH = BAR_RIGHT - TEXT_LEFT;
/** More characters than this are never seen, but would make the file large. */
const LONGEST_NAME = 120;

interface Palette {
  readonly panel: Rgb;
  readonly text: string;
  readonly muted: string;
  readonly accent: Rgb;
}
const PALETTES: Readonly<Record<"dark" | "light", Palette>> = {
  dark: { panel: [20, 22, 29], text: "#ffffff", muted: "#b9bfcc", accent: [138, 180, 255] },
  light: { panel: [255, 255, 255], text: "#15171e", muted: "#515969", accent: [47, 95, 208] },
};

/**
 * The card as an SVG file that loads nothing from elsewhere. Only what browsers and librsvg draw
 * alike is used: no `foreignObject`, no custom properties. Where styles do not move, the bar stands
 * where the song was when it was drawn.
 */
export function drawCard({ content, mode, accent, description }: Card): string {
  const progress = content.kind === "song" ? content.progress : undefined;
  const isRunning = progress !== undefined && content.kind === "song" && !content.isPaused;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH}" height="${CARD_HEIGHT}" viewBox="0 0 ${CARD_WIDTH} ${CARD_HEIGHT}" role="img">`,
    `<title>${escape(description)}</title>`,
    `<style>${styles(mode, accent)}${isRunning ? runningStyle(progress) : ""}</style>`,
    DEFINITIONS,
    `<rect class="panel" x=".5" y=".5" width="399" height="99" rx="15.5"/>`,
    `<rect class="glow" x=".5" y=".5" width="399" height="99" rx="15.5" fill="url(#tint)"/>`,
    `<rect class="edge" x=".5" y=".5" width="399" height="99" rx="15.5"/>`,
    ...(content.kind === "song" ? songParts(content) : idleParts(content.text)),
    "</svg>",
  ].join("");
}

const DEFINITIONS = [
  "<defs>",
  '<linearGradient id="tint" x1="0" y1="0" x2="1" y2=".35"><stop class="from" offset="0"/><stop class="to" offset=".8"/></linearGradient>',
  '<linearGradient id="fade-end"><stop offset=".88" stop-color="#fff"/><stop offset="1" stop-color="#000"/></linearGradient>',
  '<linearGradient id="fade-start"><stop offset="0" stop-color="#000"/><stop offset=".12" stop-color="#fff"/></linearGradient>',
  `<clipPath id="names"><rect x="${TEXT_LEFT}" y="10" width="${TEXT_RIGHT - TEXT_LEFT}" height="80"/></clipPath>`,
  `<mask id="ltr" maskUnits="userSpaceOnUse" x="${TEXT_LEFT}" y="0" width="${TEXT_RIGHT - TEXT_LEFT}" height="100"><rect x="${TEXT_LEFT}" width="${TEXT_RIGHT - TEXT_LEFT}" height="100" fill="url(#fade-end)"/></mask>`,
  `<mask id="rtl" maskUnits="userSpaceOnUse" x="${TEXT_LEFT}" y="0" width="${TEXT_RIGHT - TEXT_LEFT}" height="100"><rect x="${TEXT_LEFT}" width="${TEXT_RIGHT - TEXT_LEFT}" height="100" fill="url(#fade-start)"/></mask>`,
  '<clipPath id="square"><rect x="14" y="14" width="72" height="72" rx="9"/></clipPath>',
  `<clipPath id="track"><rect x="${TEXT_LEFT}" y="82" width="${BAR_WIDTH}" height="4" rx="2"/></clipPath>`,
  "</defs>",
].join("");

/** Two beamed notes, in a square of 72. */
const NOTES =
  '<g transform="translate(14 14)"><rect class="tile" width="72" height="72" rx="9"/><path class="note" d="M29 22.5 48 18v24.3a6.2 5 0 1 1-3.4-4.4V27.2l-12.2 2.9v16.2A6.2 5 0 1 1 29 41.9z"/></g>';

function idleParts(text: string): string[] {
  return [NOTES, `<g clip-path="url(#names)">${line(text, 57, "idle")}</g>`];
}

function songParts(song: Extract<CardContent, { kind: "song" }>): string[] {
  const { isPaused, label, title, artist, cover, progress } = song;
  const picture =
    cover === undefined
      ? NOTES
      : `<image x="14" y="14" width="72" height="72" preserveAspectRatio="xMidYMid slice" clip-path="url(#square)" href="data:image/jpeg;base64,${Buffer.from(cover).toString("base64")}"/>`;
  // Without a bar the names stand in the middle.
  const down = progress ? 0 : 9;
  return [
    picture,
    `<g clip-path="url(#names)">`,
    `<path class="label" transform="translate(${TEXT_LEFT} ${down})" d="${isPaused ? PAUSE_SIGN : PLAY_SIGN}"/>`,
    line(label, 28 + down, "label", TEXT_LEFT + 13),
    line(title, 51 + down, "title"),
    line(artist, 70 + down, "artist"),
    "</g>",
    ...(progress ? [bar(progress)] : []),
  ];
}

const PLAY_SIGN = "M0 19.5v9l7.5-4.5z";
const PAUSE_SIGN = "M0 20h2.6v8H0zM4.8 20h2.6v8H4.8z";

function line(text: string, y: number, name: string, left = TEXT_LEFT): string {
  const shown = cutLine(oneLine(text), LONGEST_NAME);
  const isRtl = directionOf(shown) === "rtl";
  const place = isRtl ? `x="${TEXT_RIGHT}" direction="rtl"` : `x="${left}"`;
  return `<g mask="url(#${isRtl ? "rtl" : "ltr"})"><text class="${name}" ${place} y="${y}">${escape(shown)}</text></g>`;
}

function bar({ positionMs, durationMs }: CardProgress): string {
  const left = BAR_WIDTH * (1 - shareOf(positionMs, durationMs));
  return [
    `<g clip-path="url(#track)"><rect class="rail" x="${TEXT_LEFT}" y="82" width="${BAR_WIDTH}" height="4"/>`,
    `<rect class="bar" x="${TEXT_LEFT}" y="82" width="${BAR_WIDTH}" height="4" rx="2" transform="translate(${-round(left)} 0)"/></g>`,
    `<text class="time" x="${TEXT_RIGHT}" y="87.5" text-anchor="end">${clockText(durationMs)}</text>`,
  ].join("");
}

/** The bar moves by itself to its end, and stays there. */
function runningStyle({ positionMs, durationMs, rate }: CardProgress): string {
  const seconds = Math.max(0, (durationMs - positionMs) / 1000 / rate);
  return `@keyframes run{to{transform:translate(0,0)}}.bar{animation:run ${round(seconds)}s linear forwards}@media (prefers-reduced-motion:reduce){.bar{animation:none}}`;
}

const shareOf = (positionMs: number, durationMs: number): number =>
  durationMs > 0 ? Math.min(1, Math.max(0, positionMs / durationMs)) : 0;

const round = (value: number): number => Math.round(value * 100) / 100;

function styles(mode: CardMode, accent: string | null): string {
  const shared =
    "text{font-family:'Segoe UI',system-ui,-apple-system,'Noto Sans','Helvetica Neue',Arial,sans-serif}" +
    ".label{font-size:11px;font-weight:600}.title{font-size:18px;font-weight:700}" +
    ".artist{font-size:13.5px}.idle{font-size:17px;font-weight:600}.time{font-size:11px}.edge{fill:none}";
  const dark = colours(PALETTES.dark, accent, "#ffffff");
  const light = colours(PALETTES.light, accent, "#000000");
  if (mode === "light") return shared + light;
  if (mode === "dark") return shared + dark;
  return `${shared}${dark}@media (prefers-color-scheme:light){${light}}`;
}

function colours(palette: Palette, accent: string | null, edge: string): string {
  const { panel, text, muted } = palette;
  const lively = accent === null ? palette.accent : parseHex(accent);
  const tinted = tint(panel, lively, parseHex(muted));
  const readable = toHex(readableOn(lively, tinted));
  return (
    `.panel{fill:${toHex(panel)}}.from{stop-color:${toHex(tinted)}}.to{stop-color:${toHex(panel)}}` +
    `.edge{stroke:${edge};stroke-opacity:.12}.title{fill:${text}}.artist,.idle,.time{fill:${muted}}` +
    `.label,.bar,.note{fill:${readable}}.rail{fill:${text};fill-opacity:.16}.tile{fill:${text};fill-opacity:.08}`
  );
}

/** The panel with as much of the cover's colour as small text on it allows. */
function tint(panel: Rgb, lively: Rgb, muted: Rgb): Rgb {
  for (let share = 0.3; share > 0; share -= 0.03) {
    const mixed = mix(panel, lively, share);
    if (contrast(mixed, muted) >= 4.8) return mixed;
  }
  return panel;
}

/** XML has no place for control characters, not even escaped. */
const escape = (text: string): string => Bun.escapeHTML(oneLine(text));
