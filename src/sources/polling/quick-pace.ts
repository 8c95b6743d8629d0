/**
 * How often a user is polled at an upstream that limits all users of an app together. Few users get
 * a quick pace, as half of the budget allows. A failure of the upstream slows it down at once, and it
 * recovers slowly (additive increase, multiplicative decrease). All functions are pure. Times are
 * monotonic milliseconds.
 */

/** What the latest failure has left of the quick pace. */
export interface Slowdown {
  /** The share of the quick pace right after the latest failure, from 0 to 1. */
  readonly share: number;
  /** When the latest slowdown came. */
  readonly atMs: number;
  /** The share grows from here on: the upstream's pause is over. */
  readonly growsFromMs: number;
  /** How long a share takes to grow from 0 to 1. */
  readonly growthMs: number;
}

/** A share of the budget, and who shares it. */
export interface Sharing {
  /** Users who are watched. */
  readonly watchedUsers: number;
  /** Most calls in any window of `windowMs`. */
  readonly budget: number;
  readonly windowMs: number;
  /** The share of the quick pace, above 0 and up to 1: see {@link shareAt}. */
  readonly share: number;
}

/** No user is polled more often, however large the budget is. */
export const QUICKEST_MS = 1_500;
/** The part of the budget that regular polls may use; the rest is for ends of tracks and requests. */
const QUICK_PART = 0.5;
/** An answer that takes this long shows that the upstream is overloaded. */
export const SLOW_ANSWER_MS = 2_000;
/** Answers of the same overload come together, and count once. */
const SAME_OVERLOAD_MS = 30_000;
/** Half of the pace is regained in half of this time. */
const GROWTH_MS = 600_000;
/**
 * After a long pause the growth takes this many times as long as the pause: an upstream that
 * refuses for hours counts the calls of a day, and would soon refuse again.
 */
const GROWTH_PER_PAUSE = 4;
/** Several failures in a row leave at least this share, from which the pace recovers in time. */
const LEAST_SHARE = 1 / 16;

export const NO_SLOWDOWN: Slowdown = {
  share: 1,
  atMs: Number.NEGATIVE_INFINITY,
  growsFromMs: Number.NEGATIVE_INFINITY,
  growthMs: GROWTH_MS,
};

/** The share of the quick pace that may be used at a given time, above 0 and up to 1. */
export function shareAt({ share, growsFromMs, growthMs }: Slowdown, nowMs: number): number {
  if (share >= 1) return 1;
  return Math.min(1, share + Math.max(0, nowMs - growsFromMs) / growthMs);
}

/** The state after a refusal with a pause, or after a slow answer (`pauseMs` is 0). */
export function slowedDown(before: Slowdown, nowMs: number, pauseMs: number): Slowdown {
  const share = shareAt(before, nowMs);
  const isSame = nowMs - before.atMs < SAME_OVERLOAD_MS;
  const growthMs = Math.max(share < 1 ? before.growthMs : GROWTH_MS, pauseMs * GROWTH_PER_PAUSE);
  return {
    share: isSame ? share : Math.max(LEAST_SHARE, share / 2),
    atMs: isSame ? before.atMs : nowMs,
    growsFromMs: Math.max(before.growsFromMs, nowMs + pauseMs),
    growthMs,
  };
}

/** The time between two regular polls of one user, in milliseconds. */
export function quickIntervalMs({ watchedUsers, budget, windowMs, share }: Sharing): number {
  const evenMs = (Math.max(1, watchedUsers) * windowMs) / (budget * QUICK_PART);
  return Math.max(QUICKEST_MS, evenMs) / share;
}
