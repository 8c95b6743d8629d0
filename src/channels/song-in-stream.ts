import { isSameSong, type Playback, positionAt } from "../playback.ts";

/**
 * Players count the position in a stream from when they began to listen to it, however many songs it has had
 * since. A song of a stream begins where the one before it ends.
 */

/** A playback as it is kept, and where in its stream its song began. */
export interface SongInStream {
  readonly playback: Playback | null;
  /** In milliseconds of the stream; 0 for what is no stream, or where no other song came before. */
  readonly songFromMs: number;
}

/** A stream that goes on may be reported so much earlier or later than expected. */
const LATE_MS = 2_000;

/** Where in its stream the song of a reported playback began. */
export function songFromMs(before: SongInStream | undefined, next: Playback | null): number {
  const last = before?.playback;
  if (!before || !last || !next || !hasStreamPosition(last) || !hasStreamPosition(next)) return 0;
  if (isSameSong(last, next)) {
    return next.positionMs < before.songFromMs - LATE_MS ? 0 : before.songFromMs;
  }
  const expectedMs = before.songFromMs + positionAt(last, next.observedAtMs);
  return Math.abs(next.positionMs - expectedMs) <= LATE_MS ? next.positionMs : 0;
}

const hasStreamPosition = ({ track, positionUnknown }: Playback): boolean =>
  track.durationMs === null && !positionUnknown;

/** A playback with the position in its song, which began at this one of the stream. */
export const withinSong = (playback: Playback | null, fromMs: number): Playback | null =>
  playback && fromMs > 0
    ? { ...playback, positionMs: Math.max(0, playback.positionMs - fromMs) }
    : playback;
