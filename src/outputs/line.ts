import type { HeardSong, Song } from "../channels/last-songs.ts";
import type { Reading } from "../channels/reading.ts";
import { type Playback, positionAt } from "../playback.ts";
import type { WidgetWords } from "../../widget/words.ts";
import { chatName, harmlessLine } from "./harmless.ts";
import type { TextOptions } from "./options.ts";
import { fillTemplate, isMistake, parseTemplate, type Template, type Values } from "./template.ts";

/** A song without an artist, such as a stream's, has no dash either. */
export const DEFAULT_TEMPLATE = "♪ [{artist} – ]{title}";

/** What a line tells of. */
export type Told =
  | { readonly kind: "song"; readonly values: Values; readonly isPaused: boolean }
  | { readonly kind: "nothing" }
  /** No song was heard before. */
  | { readonly kind: "none before" };

/** The words of lines that no template replaces. */
export interface LineWords extends Pick<WidgetWords, "paused" | "nothingPlaying"> {
  readonly noneBefore: string;
}

export interface LineLook {
  readonly options: TextOptions;
  readonly words: LineWords;
  /** The longest line, in UTF-16 units. */
  readonly most: number;
}

/** What plays now, with its position at a monotonic time in milliseconds. */
export function toldOf(reading: Reading, nowMs: number): Told {
  if (reading.kind !== "playback") return { kind: "nothing" };
  const { playback } = reading;
  const song: Song = { ...playback, albumName: playback.album.name };
  const isPaused = playback.state === "paused";
  return { kind: "song", values: { ...valuesOf(song), ...timesOf(playback, nowMs) }, isPaused };
}

/** A song that was heard before. */
export function toldBefore(heard: HeardSong | undefined): Told {
  if (!heard) return { kind: "none before" };
  return { kind: "song", values: valuesOf(heard.song), isPaused: false };
}

function valuesOf({ track, artists, albumName, source }: Song): Values {
  return {
    title: track.title,
    artist: artists.join(", "),
    first_artist: artists[0] ?? "",
    album: albumName,
    source,
    duration: track.durationMs === null ? "" : clockTime(track.durationMs),
    ...(track.url !== undefined && { url: track.url }),
  };
}

function timesOf(playback: Playback, nowMs: number): Values {
  if (playback.positionUnknown) return {};
  const { durationMs } = playback.track;
  const positionMs = positionAt(playback, nowMs);
  return {
    elapsed: clockTime(positionMs),
    ...(durationMs !== null && { remaining: clockTime(durationMs - positionMs) }),
  };
}

/** Milliseconds as `3:05` or `1:02:03`. */
function clockTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  const rest = twoDigits(seconds % 60);
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** One line for chat: never empty, never longer than allowed, and harmless whatever a song's name. */
export function lineOf(told: Told, look: LineLook): string {
  const line = told.kind === "song" ? songLine(told, look) : "";
  if (line !== "") return line;
  const words = told.kind === "none before" ? look.words.noneBefore : idleWords(look);
  return cutLine(words, look.most);
}

const idleWords = ({ options, words }: LineLook): string =>
  harmlessLine(fillTemplate(readTemplate(options.idleTemplate), {})) || words.nothingPlaying;

function songLine(
  { values, isPaused }: Extract<Told, { kind: "song" }>,
  { options, words, most }: LineLook,
): string {
  const names = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, name === "url" ? value : chatName(value)]),
  ) as Values;
  const shown: Values = { ...names, url: options.url ? (names.url ?? "") : "" };
  if (!shown.title && !shown.artist) return "";
  const playing = options.template || DEFAULT_TEMPLATE;
  const paused = options.pausedTemplate || `${playing} (${words.paused})`;
  return fit(readTemplate(isPaused ? paused : playing), shown, most);
}

/** Saved templates have no mistakes; one that a newer version saved is shown by its default. */
function readTemplate(text: string): Template {
  const parsed = parseTemplate(text);
  return isMistake(parsed) ? readTemplate(DEFAULT_TEMPLATE) : parsed;
}

/** Which names are cut, in this order, when a line is too long. */
const CUT_FIRST = ["title", "artist", "album", "first_artist"] as const;

/** A line that is short enough. */
function fit(template: Template, values: Values, most: number): string {
  const draw = (shown: Values) => harmlessLine(fillTemplate(template, shown));
  let shown = values;
  for (const name of CUT_FIRST) {
    const line = draw(shown);
    if (line.length <= most) return line;
    const graphemes = graphemesOf(shown[name] ?? "");
    const cutTo = (many: number): Values => ({
      ...shown,
      [name]: cut(graphemes, many),
    });
    // The longest beginning that fits; each further grapheme makes the line longer.
    let [fits, tooMany] = [1, graphemes.length];
    while (tooMany - fits > 1) {
      const middle = Math.floor((fits + tooMany) / 2);
      if (draw(cutTo(middle)).length <= most) fits = middle;
      else tooMany = middle;
    }
    if (graphemes.length > 1) shown = cutTo(fits);
  }
  return cutLine(draw(shown), most);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

const graphemesOf = (text: string): string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment);

const cut = (graphemes: readonly string[], many: number): string =>
  many >= graphemes.length ? graphemes.join("") : `${graphemes.slice(0, many).join("").trimEnd()}…`;

/** A line cut at a grapheme, with an ellipsis; some graphemes are as long as a line. */
export function cutLine(line: string, most: number): string {
  if (line.length <= most) return line;
  let kept = "";
  for (const grapheme of graphemesOf(line)) {
    if (kept.length + grapheme.length + 1 > most) break;
    kept += grapheme;
  }
  return `${kept.trimEnd()}…`;
}
