import type { Names } from "../playback.ts";
import { bracketsIn, replaceBrackets } from "../titles/brackets.ts";
import { cleaned } from "../titles/shown-names.ts";
import { folded } from "../titles/text.ts";
import { isRecording, wordsOf } from "../titles/vocabulary.ts";

/** Whether what a service offers is the song that plays: pure rules of names and lengths. */

/** A song, under its cleaned names. */
export interface WantedSong extends Names {
  /** Empty where it is not known. */
  readonly album: string;
  /** Milliseconds; `null` where it is not known. */
  readonly durationMs: number | null;
}

/** A recording that a service knows, on one album. Its names are as the service gives them. */
export interface Candidate extends WantedSong {
  /** Where its cover is. */
  readonly cover: string;
  /** Whether it is on an album that was officially released, not on a bootleg or a single. */
  readonly isOfficial: boolean;
  /** Whether the album is by "Various Artists". */
  readonly isVarious: boolean;
  /** Such as `2011-03`; empty where it is not known. */
  readonly date: string;
}

/** In hundredths. Nothing but the title and an artist, or more, reaches the least. */
const SCORES = { title: 50, partOfTitle: 30, artist: 35, album: 15, length: 15 } as const;
const LEAST_SCORE = 85;
const SAME_LENGTH_MS = 3_000;
const OTHER_LENGTH_MS = 10_000;
const SHORTEST_TITLE = 4;

/** A name without what stands in brackets, as letters and digits. */
const lettersOf = (name: string): string => folded(replaceBrackets(name, () => null));

/** A name to compare: one that is all signs, such as "!!!", stays as it is. */
const plain = (name: string): string => lettersOf(name) || name.trim();

/** Edits and mixes mostly have the cover of the song itself. */
const SAME_COVER: readonly string[] = ["edit", "mix"];

/** Which other recording of a song brackets in its title name, such as a live one; empty for none. */
const versionOf = (title: string): string =>
  bracketsIn(title)
    .flatMap(({ inside }) => wordsOf(inside))
    .filter((word) => isRecording(word) && !SAME_COVER.includes(word))
    .toSorted()
    .join(" ");

/** Whether a song says enough to be looked up: a short title without a length fits too many. */
export const isDistinct = ({ title, artists, durationMs }: WantedSong): boolean =>
  artists.some((artist) => plain(artist) !== "") &&
  plain(title) !== "" &&
  (durationMs !== null || [...lettersOf(title)].length >= SHORTEST_TITLE);

/** How well a candidate fits, in hundredths; 0 when its length or version is another recording's. */
export function scoreOf(wanted: WantedSong, candidate: Candidate): number {
  const offMs =
    wanted.durationMs === null || candidate.durationMs === null
      ? undefined
      : Math.abs(wanted.durationMs - candidate.durationMs);
  if (offMs !== undefined && offMs > OTHER_LENGTH_MS) return 0;
  const names = cleaned(candidate, undefined, []);
  if (versionOf(wanted.title) !== versionOf(names.title)) return 0;
  return (
    titleScore(plain(wanted.title), plain(names.title)) +
    (isSameArtist(wanted, [...candidate.artists, ...names.artists]) ? SCORES.artist : 0) +
    (isSameAlbum(wanted, candidate) ? SCORES.album : 0) +
    (offMs !== undefined && offMs <= SAME_LENGTH_MS ? SCORES.length : 0)
  );
}

function titleScore(title: string, other: string): number {
  if (title === "" || other === "") return 0;
  if (title === other) return SCORES.title;
  return title.includes(other) || other.includes(title) ? SCORES.partOfTitle : 0;
}

function isSameArtist(wanted: WantedSong, artists: readonly string[]): boolean {
  const known = new Set(artists.map(plain));
  return wanted.artists.some((artist) => plain(artist) !== "" && known.has(plain(artist)));
}

const isSameAlbum = (wanted: WantedSong, { album }: Candidate): boolean =>
  plain(wanted.album) !== "" && plain(wanted.album) === plain(album);

/**
 * The candidates that are certain enough, best first. Of equals an official album comes first, then
 * the earliest. One by "Various Artists" comes last, unless it is the album that the player names.
 */
export function fittingOf(
  wanted: WantedSong,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  return candidates
    .map((candidate) => ({
      candidate,
      score: scoreOf(wanted, candidate),
      isLast: candidate.isVarious && !isSameAlbum(wanted, candidate),
    }))
    .filter(({ score }) => score >= LEAST_SCORE)
    .toSorted(
      (a, b) =>
        Number(a.isLast) - Number(b.isLast) ||
        b.score - a.score ||
        Number(a.candidate.isVarious) - Number(b.candidate.isVarious) ||
        Number(b.candidate.isOfficial) - Number(a.candidate.isOfficial) ||
        compareDates(a.candidate.date, b.candidate.date),
    )
    .map(({ candidate }) => candidate);
}

/** The earliest first; one that is not known comes last. */
function compareDates(date: string, other: string): number {
  if (date === other) return 0;
  if (date === "" || other === "") return date === "" ? 1 : -1;
  return date < other ? -1 : 1;
}
