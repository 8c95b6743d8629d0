import type { Playback } from "../playback.ts";

/**
 * Some programs report as the length of a broadcast how much of it there is so far: mpv does of radios, and
 * pages of live videos do. It grows as fast as time passes, and is no length.
 */

/** The length that was reported of what plays. */
export interface ReportedLength {
  readonly ms: number;
  /** When it was first reported. Monotonic milliseconds. */
  readonly atMs: number;
  /** How often in a row it has grown as time passes, at most {@link ENOUGH}. */
  readonly growths: number;
}

/** Once, a length may grow so by chance: some players estimate it first. */
const ENOUGH = 2;
/** Within less time nobody can tell how fast it grows: some programs report whole seconds. */
const SHORTEST_MS = 800;

/**
 * @param before what was known of the connection's playback before this one
 * @param isSame whether that one was of the same song
 */
export function lengthAfter(
  before: ReportedLength | undefined,
  playback: Playback | null,
  isSame: boolean,
): ReportedLength | undefined {
  const ms = playback?.track.durationMs ?? null;
  if (!playback || ms === null) return undefined;
  const first = { ms, atMs: playback.observedAtMs, growths: 0 };
  if (!before) return first;
  if (isSame && isGrowing(before)) return { ...first, growths: before.growths };
  const elapsedMs = first.atMs - before.atMs;
  const grownMs = ms - before.ms;
  const isSoon = elapsedMs < SHORTEST_MS;
  if (isSame && (grownMs === 0 || (grownMs > 0 && isSoon))) return before;
  const leastMs = isSoon ? 0 : elapsedMs / 2;
  const keepsPace = grownMs >= leastMs && grownMs <= Math.max(elapsedMs, SHORTEST_MS) * 1.5;
  // The length of another song has nothing to do with it, unless all of it is one broadcast.
  if (!keepsPace || !(isSame || isGrowing(before))) return first;
  return { ...first, growths: Math.min(before.growths + 1, ENOUGH) };
}

const isGrowing = ({ growths }: ReportedLength): boolean => growths >= ENOUGH;

/** A playback, without an end where its length is that of a broadcast so far. */
export const withoutGrowth = (
  playback: Playback | null,
  length: ReportedLength | undefined,
): Playback | null =>
  playback && length && isGrowing(length)
    ? { ...playback, track: { ...playback.track, durationMs: null } }
    : playback;
