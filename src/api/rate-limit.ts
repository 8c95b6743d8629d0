/** Whether a call may pass; when not, how long to wait. */
export type Verdict =
  { readonly allowed: true } | { readonly allowed: false; readonly waitMs: number };

export interface RateLimit {
  /** Decides on a call at a monotonic time in milliseconds, and counts it if it passes. */
  admit(caller: string, nowMs: number): Verdict;
  /** The limit headers of an answer given now. */
  headers(verdict: Verdict): Readonly<Record<string, string>>;
  /** The sentence that refuses. */
  readonly message: string;
}

/** A call may come this much too early: the network does not deliver evenly. */
const EARLY_MS = 250;
/** Bounds the memory of callers inside their wait. */
export const MOST_CALLERS = 10_000;

/**
 * One call every `windowSeconds` per caller. A refused call does not lengthen the wait, and waiting
 * as long as told always succeeds.
 */
export function createRateLimit(windowSeconds: number): RateLimit {
  const windowMs = windowSeconds * 1000;
  // In the order of the last admitted call, so those past their wait are at the front.
  const lastCalls = new Map<string, number>();
  const every = windowSeconds === 1 ? "1 second" : `${windowSeconds} seconds`;

  const dropPast = (nowMs: number) => {
    for (const [caller, lastMs] of lastCalls) {
      if (nowMs - lastMs < windowMs) return;
      lastCalls.delete(caller);
    }
  };

  return {
    message: `Rate limit exceeded: one call every ${every}`,
    admit(caller, nowMs) {
      const lastMs = lastCalls.get(caller);
      if (lastMs !== undefined && nowMs - lastMs < windowMs - EARLY_MS) {
        return { allowed: false, waitMs: windowMs - (nowMs - lastMs) };
      }
      dropPast(nowMs);
      if (lastMs === undefined && lastCalls.size >= MOST_CALLERS) {
        // Forgetting a caller would grant it an extra call; the next one to fall due makes room.
        const [oldestMs = nowMs] = lastCalls.values();
        return { allowed: false, waitMs: windowMs - (nowMs - oldestMs) };
      }
      lastCalls.delete(caller);
      lastCalls.set(caller, nowMs);
      return { allowed: true };
    },
    headers(verdict) {
      const waitSeconds = verdict.allowed ? windowSeconds : secondsOf(verdict.waitMs);
      return {
        "RateLimit-Policy": `"default";q=1;w=${windowSeconds}`,
        RateLimit: `"default";r=0;t=${waitSeconds}`,
        ...(!verdict.allowed && { "Retry-After": String(waitSeconds) }),
      };
    },
  };
}

/** Whole seconds to wait, at least one. */
export const secondsOf = (waitMs: number): number => Math.max(1, Math.ceil(waitMs / 1000));
