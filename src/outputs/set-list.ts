import type { KeptSong } from "../music/kept-song.ts";
import type { Stream } from "../music/streams.ts";
import { artistNames } from "../playback.ts";
import { clockText } from "../../widget/view.ts";
import { oneLine } from "./harmless.ts";

/** A song of a stream. */
export type SetListSong = ReturnType<typeof setListOf>[number];

/** A song of so much music has surely begun before; earlier ones are not looked at. */
export const LONGEST_SONG_MS = 6 * 3_600_000;

/** @param songs those from {@link LONGEST_SONG_MS} before the stream until its end, in any order */
export function setListOf(songs: readonly KeptSong[], { startedAt, endedAt }: Stream) {
  return songs
    .filter((song) => song.startedAt + song.playedMs > startedAt)
    .filter((song) => song.startedAt < (endedAt ?? Infinity))
    .toSorted((one, other) => one.startedAt - other.startedAt)
    .map((song) => ({
      /** Milliseconds from the start of the stream, which may have begun in the middle of a song. */
      offsetMs: Math.max(0, song.startedAt - startedAt),
      /** Unix milliseconds. */
      startedAt: song.startedAt,
      title: oneLine(song.track.title),
      artist: oneLine(artistNames(song)),
      album: oneLine(song.albumName),
    }));
}

const nameOf = ({ artist, title }: Pick<SetListSong, "artist" | "title">): string =>
  artist === "" ? title : `${artist} – ${title}`;

const lineAt = (offsetMs: number, name: string): string => `${clockText(offsetMs)} ${name}`;

export const asText = (songs: readonly SetListSong[]): string =>
  songs.map((song) => lineAt(song.offsetMs, nameOf(song))).join("\n");

/** RFC 4180, with a byte order mark, without which Excel takes it for another encoding. */
export function asCsv(songs: readonly SetListSong[]): string {
  const rows = songs.map(({ offsetMs, startedAt, title, artist, album }) => [
    clockText(offsetMs),
    new Date(startedAt).toISOString(),
    ...[title, artist, album].map(withoutFormula),
  ]);
  const table = [["offset", "started_at", "title", "artist", "album"], ...rows];
  const lines = table.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(","));
  return `\uFEFF${lines.join("\r\n")}\r\n`;
}

/**
 * Spreadsheets run what begins like a formula, also after a quote or in its full width.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const withoutFormula = (text: string): string =>
  /^[\s'"]*[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;

/** https://support.google.com/youtube/answer/9884579 */
export const LEAST_CHAPTERS = 3;
const SHORTEST_CHAPTER_MS = 10_000;

/**
 * YouTube's chapters: the first at 0:00, and none shorter than ten seconds. Fewer than
 * {@link LEAST_CHAPTERS} are not shown there.
 * @param start what the time before the first song is called
 */
export function chaptersOf(
  songs: readonly SetListSong[],
  { startedAt, endedAt }: Stream,
  start: string,
): string[] {
  const chapters: { atMs: number; name: string }[] = [{ atMs: 0, name: start }];
  for (const song of songs) {
    const last = chapters.at(-1);
    const isShort = last !== undefined && song.offsetMs - last.atMs < SHORTEST_CHAPTER_MS;
    const atMs = isShort ? last.atMs : song.offsetMs;
    if (isShort) chapters.pop();
    // A description may have no angle brackets.
    chapters.push({ atMs, name: nameOf(song).replaceAll("<", "‹").replaceAll(">", "›") });
  }
  const lengthMs = endedAt === null ? Infinity : endedAt - startedAt;
  return chapters
    .filter(({ atMs }) => atMs === 0 || lengthMs - atMs >= SHORTEST_CHAPTER_MS)
    .map(({ atMs, name }) => lineAt(atMs, name));
}
