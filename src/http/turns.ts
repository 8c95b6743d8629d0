import type { Clock } from "../clock.ts";

/** How long requests are answered in one turn of the event loop. Later ones wait for another turn. */
const LONGEST_MS = 50;

/**
 * Tells whether the turn of the event loop has answered requests for too long. Bun answers the first request of
 * a connection while it accepts connections, and accepts as long as any come. So a few clients that connect
 * again with each answer would keep the turn from ever ending, and those who are connected waiting.
 */
export function createTurns(clock: Pick<Clock, "monotonicMs">) {
  /** When the first request of this turn came. */
  let beganAtMs: number | undefined;
  return {
    isLong(): boolean {
      const nowMs = clock.monotonicMs();
      if (beganAtMs === undefined) {
        beganAtMs = nowMs;
        setImmediate(() => {
          beganAtMs = undefined;
        });
      }
      return nowMs - beganAtMs >= LONGEST_MS;
    },
  };
}
