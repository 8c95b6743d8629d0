import type { Clock } from "../../clock.ts";

/**
 * Counts the calls to an upstream within a window of time. A call of a kind is made while fewer calls than
 * its limit are counted in the last `windowMs`. Returns what tells how many of the wanted calls may be made
 * now, in the order of the limits, and counts them.
 */
export function createCallWindow(
  { monotonicMs }: Pick<Clock, "monotonicMs">,
  limits: readonly number[],
  windowMs: number,
) {
  const takenAtMs: number[] = [];
  return (wants: readonly number[]) => {
    const nowMs = monotonicMs();
    while (takenAtMs[0] !== undefined && takenAtMs[0] <= nowMs - windowMs) takenAtMs.shift();
    const granted = wants.map((want, index) => {
      const room = (limits[index] ?? 0) - takenAtMs.length;
      const count = Math.max(0, Math.min(want, room));
      for (let call = 0; call < count; call++) takenAtMs.push(nowMs);
      return count;
    });
    /** When the oldest call leaves the window, in milliseconds. */
    const roomInMs = (takenAtMs[0] ?? nowMs) + windowMs - nowMs;
    return { granted, roomInMs };
  };
}
