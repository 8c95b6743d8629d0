import type { Clock } from "../../clock.ts";

/** Counts the calls to an upstream within a window of time. */
export interface CallWindow {
  /** How many of the wanted calls may be made now, in the order of the limits. Counts them. */
  take(wants: readonly number[]): Grant;
}

export interface Grant {
  readonly granted: readonly number[];
  /** When the oldest call leaves the window, in milliseconds. */
  readonly roomInMs: number;
}

/** A call of a kind is made while fewer calls than its limit are counted in the last `windowMs`. */
export function createCallWindow(
  { monotonicMs }: Pick<Clock, "monotonicMs">,
  limits: readonly number[],
  windowMs: number,
): CallWindow {
  const takenAtMs: number[] = [];
  return {
    take(wants) {
      const nowMs = monotonicMs();
      while (takenAtMs[0] !== undefined && takenAtMs[0] <= nowMs - windowMs) takenAtMs.shift();
      const granted = wants.map((want, index) => {
        const room = (limits[index] ?? 0) - takenAtMs.length;
        const count = Math.max(0, Math.min(want, room));
        for (let call = 0; call < count; call++) takenAtMs.push(nowMs);
        return count;
      });
      return { granted, roomInMs: (takenAtMs[0] ?? nowMs) + windowMs - nowMs };
    },
  };
}
