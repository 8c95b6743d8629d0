import { digestOf } from "./digest.ts";

/** A picture that a source has named. */
export interface Artwork {
  /** Names the picture's content: the same key is the same picture. */
  readonly key: string;
  /** Its public URL; absent when only this server has it, such as a cover in an audio file. */
  readonly url?: string;
  /** Where it comes from, such as `mpd 3`. Unreadable covers are logged once for each origin. */
  readonly origin?: string;
  /** Set where a service of its own makes the address, so it is named without a look at the picture. */
  readonly isVouchedFor?: true;
  /** The encoded picture (PNG, JPEG, WebP, GIF or BMP); the caller releases it after drawing. */
  load(): Promise<Uint8Array>;
}

/** A song's names. */
export interface Names {
  readonly title: string;
  /** In the upstream's order; empty where nobody names one. */
  readonly artists: readonly string[];
}

/**
 * Where names come from that are no catalogue's: a page with videos, whose artist is a channel, the
 * name of a file, a tag of its own, which holds no artist even where none is named, or one text that
 * was divided.
 */
export type NamesFrom =
  | { readonly origin: "page" | "file" | "tag" }
  | { readonly origin: "upload"; readonly text: string };

/** What a source observed at one moment. */
export interface Playback {
  /** The source's display name, such as `MPD`. */
  readonly source: string;
  readonly state: "playing" | "paused";
  readonly track: {
    readonly id: string;
    readonly title: string;
    /** Milliseconds, or `null` for a stream without an end. */
    readonly durationMs: number | null;
    readonly explicit: boolean;
    /** Its page at the upstream: https, on a host that the source names in its own code. */
    readonly url?: string;
  };
  /** In the upstream's order. */
  readonly artists: readonly string[];
  readonly namesFrom?: NamesFrom;
  /** What the source gave, where other names are shown. */
  readonly given?: Names;
  readonly album: {
    readonly name: string;
    /** Largest first; may be empty. */
    readonly artworks: readonly Artwork[];
  };
  readonly device: {
    readonly name: string;
    readonly type: string;
    /** 0 to 100, or `null` when the upstream does not report it. */
    readonly volumePercent: number | null;
  };
  /** How often the song has begun again after its end; absent for its first play. */
  readonly repeats?: number;
  /** Position in the track when it was observed, in milliseconds. */
  readonly positionMs: number;
  /** Set where no position is reported: it is counted from the first sight of the track. */
  readonly positionUnknown?: true;
  /**
   * How far a reported position may lie behind the true one, in milliseconds: some upstreams cut it to
   * whole seconds, or report it late. Absent where it is exact.
   */
  readonly positionLagMs?: number;
  /** Monotonic time of the observation, in milliseconds. */
  readonly observedAtMs: number;
  /** Milliseconds of track per millisecond of time while playing; 1 is normal speed. */
  readonly rate: number;
}

/**
 * The position in the track at a monotonic time, in milliseconds: the observed position plus the
 * time passed since, limited to the track's length.
 */
export const positionAt = (playback: Playback, nowMs: number): number =>
  positionIn(playback, playback.track.durationMs, nowMs);

/** What decides how a position moves. */
export type Motion = Pick<Playback, "state" | "positionMs" | "observedAtMs" | "rate">;

/** The same of a track of this duration. */
export function positionIn(motion: Motion, durationMs: number | null, nowMs: number): number {
  const elapsedMs = motion.state === "playing" ? Math.max(0, nowMs - motion.observedAtMs) : 0;
  const positionMs = motion.positionMs + elapsedMs * motion.rate;
  return Math.min(Math.max(0, positionMs), durationMs ?? Number.MAX_SAFE_INTEGER);
}

/** The position at which a song is expected if it has gone on since `before`; 0 for another song. */
export const expectedPosition = (
  before: Playback | null | undefined,
  song: IdentifiedSong,
  nowMs: number,
): number => (before && isSameSong(before, song) ? positionAt(before, nowMs) : 0);

/** When a playing track ends (monotonic milliseconds); `Infinity` when it has no end. */
export const endOf = ({ track, positionMs, observedAtMs, rate }: Playback): number =>
  !track.durationMs || rate <= 0
    ? Infinity
    : observedAtMs + Math.max(0, track.durationMs - positionMs) / rate;

/** The artists as one name, in the upstream's order. */
export const artistNames = ({ artists }: Pick<Playback, "artists">): string => artists.join(", ");

/** A song's names as they are shown and, where they differ, as they were given. */
export interface NamedSong extends Pick<Playback, "artists" | "given" | "namesFrom"> {
  readonly track: Pick<Playback["track"], "title">;
}

/** The names as the source gave them. */
export const givenNames = ({ given, track, artists }: NamedSong): Names =>
  given ?? { title: track.title, artists };

/** What tells songs apart, and the plays of a song. */
export interface IdentifiedSong extends Pick<Playback, "artists" | "given" | "repeats"> {
  readonly track: Pick<Playback["track"], "id" | "title">;
}

/** What is the same for the same song: the id, and the names that were given, whatever names are shown. */
function identityOf(song: IdentifiedSong): readonly string[] {
  const { title, artists } = givenNames(song);
  return [song.track.id, title, ...artists];
}

/** Whether both are the same song. There is no other notion of it, neither here nor in the overlay. */
export function isSameSong(
  one: IdentifiedSong | null | undefined,
  other: IdentifiedSong | null | undefined,
): boolean {
  if (!one || !other) return false;
  const names = identityOf(other);
  const identity = identityOf(one);
  return identity.length === names.length && identity.every((name, at) => name === names[at]);
}

/** Whether both are the same song, which has not begun again in between. */
export const isSamePlay = (
  one: IdentifiedSong | null | undefined,
  other: IdentifiedSong | null | undefined,
): boolean => isSameSong(one, other) && (one?.repeats ?? 0) === (other?.repeats ?? 0);

/** A short name for a play of a song, which reveals nothing of its id. */
export const digestOfPlay = (song: IdentifiedSong): string =>
  digestOf([String(song.repeats ?? 0), ...identityOf(song)]);

/** A new position this close to the expected one is no seek, only an inexact measurement. */
const JITTER_MS = 500;

/** Whether `next` is what `previous` leads one to expect: the same state and position of the same track. */
export function isGoingOn(previous: Playback, next: Playback): boolean {
  if (!isSameSong(previous, next)) return false;
  if (previous.state !== next.state || previous.rate !== next.rate) return false;
  // Some upstreams count on after the end of a track. That is no seek.
  const observedMs = Math.min(next.positionMs, next.track.durationMs ?? Number.MAX_SAFE_INTEGER);
  const aheadMs = observedMs - positionAt(previous, next.observedAtMs);
  return aheadMs <= JITTER_MS && -aheadMs <= Math.max(JITTER_MS, next.positionLagMs ?? 0);
}

/**
 * The playback to keep when `next` is observed after `previous`. It is the new one, but with the
 * old position and time where both agree. So the position never jumps back within a track unless
 * the source reported that.
 */
export function reconcile(
  previous: Playback | null | undefined,
  next: Playback | null,
): Playback | null {
  if (!previous || !next) return next;
  if (next === previous || !isSameSong(previous, next)) return next;
  const observed = next.positionUnknown ? countOn(previous, next) : next;
  if (!isGoingOn(previous, observed)) return observed;
  return { ...observed, positionMs: previous.positionMs, observedAtMs: previous.observedAtMs };
}

/** A playback, and when it was last reported (monotonic milliseconds). */
export interface LastReport {
  readonly playback: Playback;
  readonly atMs: number;
}

/** A song that has come this close to its end, and begins, is played again. */
const NEAR_END_MS = 10_000;
/** How far a song may have come that has just begun, besides the time that has passed. */
const BEGINNING_MS = 2_000;

/**
 * Whether a song begins again after it had come near its end. Seeking back is no beginning: it leads
 * further than a song comes that has begun since it was last reported, or since it was near its end.
 */
function hasBegunAgain(
  { playback: last, atMs }: LastReport,
  next: Playback,
  nowMs: number,
): boolean {
  const durationMs = next.track.durationMs ?? last.track.durationMs;
  if (durationMs === null) return false;
  const reachedMs = positionIn(last, durationMs, nowMs);
  if (reachedMs < durationMs - NEAR_END_MS) return false;
  const positionMs = positionAt(next, nowMs);
  const sinceMs = Math.min(nowMs - atMs, nowMs - endOf(last) + NEAR_END_MS);
  return positionMs <= sinceMs * next.rate + BEGINNING_MS && reachedMs - positionMs > BEGINNING_MS;
}

/** The playback that follows what was reported last, with the number of the song's repeats. */
export function withRepeats(last: LastReport | undefined, next: Playback, nowMs: number): Playback {
  if (!last || !isSameSong(last.playback, next)) return next;
  const { repeats: before = 0 } = last.playback;
  const repeats = hasBegunAgain(last, next, nowMs) ? before + 1 : before;
  return repeats === 0 ? next : { ...next, repeats };
}

/** The position of a track that is first seen, and whose position is not reported. */
export const FIRST_SIGHT = { positionMs: 0, positionUnknown: true } as const;

/**
 * A playback whose position is not reported, counted on from the one before if that has the same
 * track. The position is known if that of the one before is.
 */
export function countOn(previous: Playback | null | undefined, next: Playback): Playback {
  return previous && isSameSong(previous, next) ? countedOn(previous, next) : next;
}

/** The same of a playback that is known to be of the same song. */
export function countedOn(previous: Playback, next: Playback): Playback {
  const counted = { ...next, positionMs: positionAt(previous, next.observedAtMs) };
  return previous.positionUnknown ? counted : begun(counted);
}

/** A playback whose position is known, because the beginning of its track was observed. */
export function begun({ positionUnknown: _, ...playback }: Playback): Playback {
  return playback;
}
