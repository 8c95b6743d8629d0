import { createBoundedMap } from "../bounded-map.ts";

/** Limits per network what somebody without a key may try: first a burst, then a low rate. */
export interface GuessLimit {
  /**
   * Counts a try, such as a wrong key, at a monotonic time in milliseconds. Returns `undefined`
   * while it is within the limit, else the milliseconds until the next one is.
   */
  count(network: string, nowMs: number): number | undefined;
}

const BURST = 10;
const REFILL_MS = 60_000;
/** Limits the memory; the network whose last try is oldest is removed first. */
const MOST_NETWORKS = 10_000;

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

export function createGuessLimit(): GuessLimit {
  const buckets = createBoundedMap<string, Bucket>(MOST_NETWORKS);
  return {
    count(network, nowMs) {
      const bucket = refilled(buckets.get(network), nowMs);
      buckets.set(network, bucket);
      if (bucket.tokens < 1) return bucket.filledAtMs + REFILL_MS - nowMs;
      bucket.tokens -= 1;
      return undefined;
    },
  };
}

/** Adds whole tokens only; `filledAtMs` keeps the time already counted towards the next token. */
function refilled(bucket: Bucket | undefined, nowMs: number): Bucket {
  if (!bucket) return { tokens: BURST, filledAtMs: nowMs };
  const gained = Math.floor((nowMs - bucket.filledAtMs) / REFILL_MS);
  if (bucket.tokens + gained >= BURST) return { tokens: BURST, filledAtMs: nowMs };
  return { tokens: bucket.tokens + gained, filledAtMs: bucket.filledAtMs + gained * REFILL_MS };
}
