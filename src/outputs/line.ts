import { beginningOf } from "../beginning.ts";
import type { PlayedSong, Song } from "../channels/last-songs.ts";
import type { Reading } from "../channels/reading.ts";
import { type Playback, positionAt } from "../playback.ts";
import { clockText } from "../../widget/view.ts";
import type { WidgetWords } from "../../widget/words.ts";
import { chatName, harmlessLine, oneLine } from "./harmless.ts";
import type { TextOptions } from "./options.ts";
import {
  type Filled,
  fillTemplate,
  isMistake,
  parseTemplate,
  type Template,
  type Values,
} from "./template.ts";

/** A song without an artist, such as a stream's, has no dash either. */
export const DEFAULT_TEMPLATE = "♪ [{artist} – ]{title}";

/** The longest line that may be asked for, in UTF-16 units. */
export const MOST_MAX = 500;
/**
 * How much of a name, and of a filled template, is read, in UTF-16 units. It is more than is shown, because
 * invisible characters and some spaces and slashes are removed first.
 */
const MOST_READ = 2 * MOST_MAX;

/** What a line is made of. Its names are harmless each for itself. */
export type LineValues =
  | { readonly kind: "song"; readonly values: Values; readonly isPaused: boolean }
  | { readonly kind: "nothing" }
  /** No song was played before. */
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
export function lineValuesOf(reading: Reading, nowMs: number): LineValues {
  if (reading.kind !== "playback") return { kind: "nothing" };
  const { playback } = reading;
  const song: Song = { ...playback, albumName: playback.album.name };
  const isPaused = playback.state === "paused";
  return { kind: "song", values: { ...valuesOf(song), ...timesOf(playback, nowMs) }, isPaused };
}

/** A song that was played before. */
export function lineValuesBefore(finished: PlayedSong | undefined): LineValues {
  if (!finished) return { kind: "none before" };
  return { kind: "song", values: valuesOf(finished.song), isPaused: false };
}

function valuesOf({ track, artists, albumName, source }: Song): Values {
  return {
    title: nameOf(track.title),
    artist: nameOf(artists.join(", ")),
    first_artist: nameOf(artists[0] ?? ""),
    album: nameOf(albumName),
    source: nameOf(source),
    duration: track.durationMs === null ? "" : clockText(track.durationMs),
    ...(track.url !== undefined && { url: track.url }),
  };
}

/** A name for chat, as much of it as a line may show. */
const nameOf = (text: string): string => cutLine(chatName(beginningOf(text, MOST_READ)), MOST_MAX);

function timesOf(playback: Playback, nowMs: number): Values {
  if (playback.positionUnknown) return {};
  const { durationMs } = playback.track;
  const positionMs = positionAt(playback, nowMs);
  return {
    elapsed: clockText(positionMs),
    ...(durationMs !== null && { remaining: clockText(durationMs - positionMs) }),
  };
}

/** One line for chat: never empty, never longer than allowed, and harmless whatever a song's name. */
export function lineOf(content: LineValues, look: LineLook): string {
  const line = content.kind === "song" ? songLine(content, look) : "";
  if (line !== "") return line;
  const words = content.kind === "none before" ? look.words.noneBefore : idleWords(look);
  return cutLine(words, look.most);
}

const idleWords = ({ options, words }: LineLook): string =>
  harmlessLine(fillTemplate(readTemplate(options.idleTemplate), {})) || words.nothingPlaying;

function songLine(
  { values, isPaused }: Extract<LineValues, { kind: "song" }>,
  { options, words, most }: LineLook,
): string {
  const shown: Values = { ...values, url: options.url ? (values.url ?? "") : "" };
  if (!shown.title && !shown.artist) return "";
  const playing = options.template || DEFAULT_TEMPLATE;
  const paused = options.pausedTemplate || `${playing} (${words.paused})`;
  const template = readTemplate(isPaused ? paused : playing);
  // A template of a name that this song lacks must not answer that nothing plays.
  return fit(template, shown, most) || fit(readTemplate(DEFAULT_TEMPLATE), shown, most);
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
  const draw = (shown: Values) => harmlessLine(firstOf(fillTemplate(template, shown), MOST_READ));
  const isTooLong = (shown: Values) => draw(shown).length > most;
  let shown = values;
  for (const name of CUT_FIRST) {
    if (!isTooLong(shown)) break;
    const pieces = [...piecesOf(shown[name] ?? "")];
    if (pieces.length < 2) continue;
    const whole = shown;
    const cutAfter = (count: number): Values => {
      const text = `${pieces.slice(0, count).join("").trimEnd()}…`;
      return { ...whole, [name]: text };
    };
    // The longest beginning that fits, if the first piece does; each further piece makes the line longer.
    let [fits, tooMany] = [1, isTooLong(cutAfter(1)) ? 1 : pieces.length];
    while (tooMany - fits > 1) {
      const middle = Math.floor((fits + tooMany) / 2);
      if (isTooLong(cutAfter(middle))) tooMany = middle;
      else fits = middle;
    }
    shown = cutAfter(fits);
  }
  return cutLine(draw(shown), most);
}

/** The first UTF-16 units of a filled template. */
function firstOf(pieces: readonly Filled[], most: number): Filled[] {
  const first: Filled[] = [];
  let room = most;
  for (const { text, isTrusted } of pieces) {
    if (room <= 0) break;
    first.push({ text: beginningOf(text, room), isTrusted });
    room -= text.length;
  }
  return first;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** In UTF-16 units. The longest emoji have 15, for which the shortest line that may be asked for has room. */
const LONGEST_GRAPHEME = 16;
const EMOJI_OR_CHARACTER = /\p{RGI_Emoji}|./gsv;

/**
 * What a text is cut between: its graphemes. One that is longer than any of real writing, such as
 * hundreds of Indic letters that are joined to one another, is cut in.
 */
function* piecesOf(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) {
    if (segment.length <= LONGEST_GRAPHEME) yield segment;
    else yield* segment.match(EMOJI_OR_CHARACTER) ?? [];
  }
}

/** A name on one line, as much of it as is shown; of a longer one only the beginning is read. */
export const shortName = (text: string, most: number): string =>
  cutLine(oneLine(beginningOf(text, 2 * most)), most);

/** A line cut at a grapheme, with an ellipsis. */
export function cutLine(line: string, most: number): string {
  if (line.length <= most) return line;
  let kept = "";
  for (const piece of piecesOf(line)) {
    if (kept.length + piece.length + 1 > most) break;
    kept += piece;
  }
  return `${kept.trimEnd()}…`;
}
