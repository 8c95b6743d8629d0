import { FIRST_SIGHT, isSameSong, type Playback, positionAt } from "../playback.ts";

/**
 * Players count the position in a stream from when they began to listen to it, however many songs it has had
 * since. A song of a stream begins where the one before it ends.
 */

/** Where in a stream a song began. */
export interface SongInStream {
  /** The last song of the stream, with the position in the stream that was reported. */
  readonly reported: Playback;
  /**
   * In milliseconds of the stream: 0 where no other song came before, `null` where nobody watched the song
   * begin.
   */
  readonly fromMs: number | null;
}

/** A stream that goes on may be reported so much earlier or later than expected. */
const LATE_MS = 2_000;

/**
 * @param before the last song that had a position in a stream; advertisements may have come since
 * @param wasWatched whether the connection was watched since its last report
 */
export function songAfter(
  before: SongInStream | undefined,
  next: Playback | null,
  wasWatched: boolean,
): SongInStream | undefined {
  if (!next) return before;
  if (next.track.durationMs !== null || next.positionUnknown) return undefined;
  return { reported: next, fromMs: before ? fromAfter(before, next, wasWatched) : 0 };
}

function fromAfter(
  { reported: last, fromMs }: SongInStream,
  next: Playback,
  wasWatched: boolean,
): number | null {
  const elapsedMs = next.observedAtMs - last.observedAtMs;
  const hasBegun = next.positionMs <= elapsedMs;
  if (isSameSong(last, next)) {
    if (fromMs === null) return hasBegun && next.positionMs < last.positionMs ? 0 : null;
    if (next.positionMs >= fromMs - LATE_MS) return fromMs;
    return hasBegun ? 0 : null;
  }
  const expectedMs = positionAt(last, next.observedAtMs);
  const goesOn =
    next.positionMs <= expectedMs + LATE_MS && next.positionMs >= last.positionMs - LATE_MS;
  // Nothing that has begun since the last report is further in than the time that has passed.
  if (!goesOn || (hasBegun && last.state === "playing")) return 0;
  return wasWatched ? next.positionMs : null;
}

/** A playback with the position in its song. */
export function withinSong(
  playback: Playback | null,
  song: SongInStream | undefined,
): Playback | null {
  if (!playback || !song || song.fromMs === 0) return playback;
  if (song.fromMs === null) return { ...playback, ...FIRST_SIGHT };
  return { ...playback, positionMs: Math.max(0, playback.positionMs - song.fromMs) };
}
