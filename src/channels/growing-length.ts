import { isSameSong, type Playback } from "../playback.ts";

/**
 * Some programs report as the length of a broadcast how much of it there is so far: mpv does of radios, and
 * pages of live videos do. It grows as fast as time passes, and is no length.
 */

/** The length that was reported of what plays. */
export interface ReportedLength {
  readonly playback: Playback;
  readonly ms: number;
  /** How often in a row it has grown as time passes, at most {@link ENOUGH}. */
  readonly growths: number;
}

/** Once, a length may grow so by chance: some players estimate it first. */
const ENOUGH = 2;
/** Within less time nobody can tell how fast it grows: some programs report whole seconds. */
const SHORTEST_MS = 800;

/** @param before what was known of the connection's playback before this one */
export function lengthAfter(
  before: ReportedLength | undefined,
  playback: Playback | null,
): ReportedLength | undefined {
  const ms = playback?.track.durationMs ?? null;
  if (!playback || ms === null) return undefined;
  const first = { playback, ms, growths: 0 };
  if (!before) return first;
  const isSame = isSameSong(before.playback, playback);
  if (isSame && isGrowing(before)) return { ...before, playback, ms };
  const elapsedMs = playback.observedAtMs - before.playback.observedAtMs;
  const grownMs = ms - before.ms;
  if (isSame && (grownMs === 0 || (grownMs > 0 && elapsedMs < SHORTEST_MS))) return before;
  const keepsPace = grownMs >= elapsedMs / 2 && grownMs <= Math.max(elapsedMs, SHORTEST_MS) * 1.5;
  // The length of another song has nothing to do with it, unless all of it is one broadcast.
  if (!keepsPace || !(isSame || isGrowing(before))) return first;
  return { ...first, growths: Math.min(before.growths + 1, ENOUGH) };
}

/** Whether a length is that of a broadcast so far. */
export const isGrowing = ({ growths }: ReportedLength): boolean => growths >= ENOUGH;

/** A playback without an end. */
export const withoutEnd = (playback: Playback): Playback => ({
  ...playback,
  track: { ...playback.track, durationMs: null },
});
