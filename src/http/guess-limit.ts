import { createBoundedMap } from "../bounded-map.ts";

/** Limits wrong keys per network: first a burst, then a low rate. */
export interface GuessLimit {
  /**
   * Counts a wrong key at a monotonic time in milliseconds. Returns `undefined` while it is within
   * the limit, else the milliseconds until the next wrong key is.
   */
  countWrongKey(network: string, nowMs: number): number | undefined;
}

const BURST = 10;
const REFILL_MS = 60_000;
/** Limits the memory; the network whose last wrong key is oldest is removed first. */
const MOST_NETWORKS = 10_000;

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

export function createGuessLimit(): GuessLimit {
  const buckets = createBoundedMap<string, Bucket>(MOST_NETWORKS);
  return {
    countWrongKey(network, nowMs) {
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
