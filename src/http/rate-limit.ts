/** A call may come this much too early, because network delays vary. */
const EARLY_MS = 250;

/** A number of seconds, in words. */
export const inSeconds = (seconds: number): string =>
  seconds === 1 ? "1 second" : `${seconds} seconds`;

/**
 * One call every `windowSeconds` per key. A refused call does not lengthen the wait. After the
 * wait given in the answer, a call always succeeds.
 */
export function createRateLimit(windowSeconds: number) {
  const windowMs = windowSeconds * 1000;
  /**
   * When keys were last allowed to call: in this window, and in the one before. What is older is dropped
   * at once. To drop each key in its turn would take longer than all else that a call takes. Only keys
   * that work get here, of which a user has few: so none has to be forgotten early, which would let it call twice.
   */
  let calls = new Map<string, number>();
  let earlierCalls = new Map<string, number>();
  let begunAtMs = -Infinity;

  return {
    /** The error message of a refused call. */
    message: `Rate limit exceeded: one call every ${inSeconds(windowSeconds)}`,
    /**
     * Counts a call at a monotonic time in milliseconds. Returns `undefined` where it is allowed, else how
     * long to wait.
     */
    count(keyId: string, nowMs: number): number | undefined {
      if (nowMs - begunAtMs >= windowMs) {
        earlierCalls = calls;
        calls = new Map();
        begunAtMs = nowMs;
      }
      const lastMs = calls.get(keyId) ?? earlierCalls.get(keyId);
      if (lastMs !== undefined && nowMs - lastMs < windowMs - EARLY_MS) {
        return windowMs - (nowMs - lastMs);
      }
      calls.set(keyId, nowMs);
      return undefined;
    },
    /**
     * The rate-limit headers for an answer sent now.
     * @param waitMs how long to wait, where it refuses a call
     */
    headers(waitMs?: number): Readonly<Record<string, string>> {
      const waitSeconds = waitMs === undefined ? windowSeconds : secondsOf(waitMs);
      return {
        "RateLimit-Policy": `"default";q=1;w=${windowSeconds}`,
        RateLimit: `"default";r=0;t=${waitSeconds}`,
        ...(waitMs !== undefined && { "Retry-After": String(waitSeconds) }),
      };
    },
  };
}

/** Whole seconds to wait, at least one. */
export const secondsOf = (waitMs: number): number => Math.max(1, Math.ceil(waitMs / 1000));
