import type { WidgetOptions } from "../../../widget/options.ts";
import type { Words } from "../../i18n/index.ts";
import { type Look, NEW_OVERLAY_LOOK, PLAIN_LOOK } from "../../looks/look.ts";
import type { SharedLook } from "./shared-look.ts";
import arena from "./shipped/arena.css" with { type: "text" };
import cassette from "./shipped/cassette.css" with { type: "text" };
import chatting from "./shipped/chatting.css" with { type: "text" };
import contrast from "./shipped/contrast.css" with { type: "text" };
import cosy from "./shipped/cosy.css" with { type: "text" };
import crt from "./shipped/crt.css" with { type: "text" };
import desktop from "./shipped/desktop.css" with { type: "text" };
import frosted from "./shipped/frosted.css" with { type: "text" };
import lateNight from "./shipped/lateNight.css" with { type: "text" };
import lounge from "./shipped/lounge.css" with { type: "text" };
import neon from "./shipped/neon.css" with { type: "text" };
import pixel from "./shipped/pixel.css" with { type: "text" };
import player from "./shipped/player.css" with { type: "text" };
import poster from "./shipped/poster.css" with { type: "text" };

export type ShippedLookName = keyof Words["looks"];

type Size = readonly [width: number, height: number];

/** A look with CSS of its own, and the size that it is drawn for where that is not the usual one. */
const drawn = (options: Look["options"], css: string, size?: Size): Look => ({
  options,
  css,
  size: size ? { width: size[0], height: size[1] } : null,
});

/** A theme as it is, without any other option. */
const plain = (theme: WidgetOptions["theme"]): Look => ({ ...PLAIN_LOOK, options: { theme } });

const looks: Readonly<Record<ShippedLookName, Look>> = {
  ambient: NEW_OVERLAY_LOOK,
  lateNight: drawn(
    {
      theme: "card",
      mode: "dark",
      bg: "101226",
      opacity: "97",
      color: "eceaf7",
      accent: "f0b879",
      radius: "20",
      time: "0",
    },
    lateNight,
    [480, 112],
  ),
  cosy: drawn(
    {
      theme: "card",
      mode: "light",
      bg: "fcf3e4",
      opacity: "98",
      color: "45301f",
      accent: "a3461f",
      radius: "22",
      font: "Lora, Georgia, Iowan Old Style, Palatino Linotype, DejaVu Serif",
    },
    cosy,
    [500, 124],
  ),
  arena: drawn(
    {
      theme: "bar",
      mode: "dark",
      bg: "0c0f16",
      opacity: "97",
      color: "ffffff",
      accent: "ff5c3a",
      font: "Sofia Sans Condensed, Bahnschrift, DIN Alternate, Roboto Condensed, Arial Narrow, Nimbus Sans Narrow",
    },
    arena,
    [860, 112],
  ),
  lounge: drawn(
    {
      theme: "vinyl",
      mode: "dark",
      bg: "2a1610",
      opacity: "100",
      color: "fbeed6",
      accent: "e6b566",
      font: "Lora, Didot, Bodoni 72, Palatino Linotype, Book Antiqua, Georgia, DejaVu Serif",
    },
    lounge,
    [520, 124],
  ),
  chatting: drawn(
    {
      theme: "text",
      mode: "dark",
      label: "0",
      time: "0",
      progress: "0",
      art: "0",
      font: "Bricolage Grotesque",
    },
    chatting,
    [460, 84],
  ),
  cassette: drawn(
    {
      theme: "card",
      mode: "light",
      bg: "f6efdc",
      opacity: "100",
      color: "2b2620",
      accent: "d2502f",
      radius: "10",
    },
    cassette,
    [480, 160],
  ),
  player: drawn(
    {
      theme: "card",
      mode: "light",
      bg: "dfe9f7",
      opacity: "100",
      color: "1b2440",
      accent: "2f7fd6",
      radius: "18",
    },
    player,
    [520, 138],
  ),
  desktop: drawn(
    {
      theme: "card",
      mode: "light",
      bg: "c3c3c3",
      opacity: "100",
      color: "0a0a0a",
      accent: "00007b",
      radius: "0",
      font: "Tahoma, Verdana, DejaVu Sans",
    },
    desktop,
    [440, 120],
  ),
  pixel: drawn(
    {
      theme: "card",
      mode: "dark",
      bg: "1d2b53",
      opacity: "100",
      color: "fff1e8",
      accent: "ffec27",
      radius: "0",
      font: "Jersey 15, Lucida Console, Monaco, Consolas, DejaVu Sans Mono",
    },
    pixel,
    [500, 124],
  ),
  crt: drawn(
    {
      theme: "card",
      mode: "dark",
      bg: "06150c",
      opacity: "98",
      color: "a6ffbf",
      accent: "4dff88",
      radius: "6",
      font: "Consolas, Menlo, SF Mono, DejaVu Sans Mono",
    },
    crt,
  ),
  neon: drawn(
    {
      theme: "card",
      mode: "dark",
      bg: "150528",
      opacity: "100",
      color: "ffffff",
      accent: "2de2e6",
      radius: "8",
    },
    neon,
  ),
  frosted: drawn({ theme: "glass", mode: "light", radius: "26" }, frosted, [480, 116]),
  poster: drawn(
    {
      theme: "art",
      mode: "light",
      bg: "f4efe6",
      opacity: "100",
      color: "161413",
      accent: "d3202b",
      radius: "0",
      font: "Bricolage Grotesque, Helvetica Neue, Helvetica, Arial, Nimbus Sans",
    },
    poster,
    [420, 584],
  ),
  contrast: drawn(
    {
      theme: "card",
      mode: "dark",
      bg: "000000",
      opacity: "100",
      color: "ffffff",
      accent: "ffd800",
      radius: "0",
      font: "Verdana, Tahoma, DejaVu Sans",
    },
    contrast,
    [560, 134],
  ),
  card: PLAIN_LOOK,
  glass: plain("glass"),
  vinyl: plain("vinyl"),
  compact: plain("compact"),
  bar: plain("bar"),
  text: plain("text"),
  art: plain("art"),
};

/** The looks that come with Marquee, in the order in which they are offered. */
export const SHIPPED_LOOK_NAMES = Object.keys(looks) as readonly ShippedLookName[];

export const isShippedLookName = (text: string): text is ShippedLookName =>
  SHIPPED_LOOK_NAMES.some((name) => name === text);

/** The looks that come with Marquee, with their names in a language. */
export function shippedLooks(words: Words): Readonly<Record<ShippedLookName, SharedLook>> {
  const named = SHIPPED_LOOK_NAMES.map((name) => [name, shippedLook(name, words)] as const);
  return Object.fromEntries(named) as Record<ShippedLookName, SharedLook>;
}

export const shippedLook = (name: ShippedLookName, words: Words): SharedLook => ({
  ...looks[name],
  name: words.looks[name].name,
});
