import { createBoundedMap } from "../bounded-map.ts";
import type { Clock } from "../clock.ts";
import { networkOf } from "./client-address.ts";

/** A request, or the address of a client that makes none. */
export type Guesser = Request | string;

export interface GuessesDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** The client address of a request. */
  addressOf(request: Request): string;
}

/**
 * Limits wrong secrets by the network that a request comes from. What finds a secret by its hash
 * costs one look-up, and a right one from a limited network still works. What has to open secrets
 * to compare them asks `waitMsOf` first, and opens none while the network is limited.
 */
export function createGuesses({ clock, addressOf }: GuessesDeps) {
  const limit = createGuessLimit();
  const networkFor = (from: Guesser) =>
    networkOf(typeof from === "string" ? from : addressOf(from));
  return {
    /** Counts a wrong secret; the milliseconds until the next one may be tried, if it was too many. */
    count: (from: Guesser) => limit.count(networkFor(from), clock.monotonicMs()),
    /** The same for a secret that has not been looked at yet; counts nothing. */
    waitMsOf: (from: Guesser) => limit.waitMsOf(networkFor(from), clock.monotonicMs()),
  };
}

const BURST = 10;
const REFILL_MS = 60_000;
/** Limits the memory; the network whose last try is oldest is removed first. */
const MOST_NETWORKS = 10_000;

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** Limits per network what somebody without a key may try: first a burst, then a low rate. */
export function createGuessLimit() {
  const buckets = createBoundedMap<string, Bucket>(MOST_NETWORKS);
  return {
    /**
     * Counts a try, such as a wrong key, at a monotonic time in milliseconds. Returns `undefined`
     * while it is within the limit, else the milliseconds until the next one is.
     */
    count(network: string, nowMs: number) {
      const bucket = refilled(buckets.get(network), nowMs);
      buckets.set(network, bucket);
      const waitMs = waitMsIn(bucket, nowMs);
      if (waitMs === undefined) bucket.tokens -= 1;
      return waitMs;
    },
    /** The same for the next try, without counting it. */
    waitMsOf: (network: string, nowMs: number) =>
      waitMsIn(refilled(buckets.get(network), nowMs), nowMs),
  };
}

const waitMsIn = ({ tokens, filledAtMs }: Bucket, nowMs: number): number | undefined =>
  tokens < 1 ? filledAtMs + REFILL_MS - nowMs : undefined;

/** Adds whole tokens only; `filledAtMs` keeps the time already counted towards the next token. */
function refilled(bucket: Bucket | undefined, nowMs: number): Bucket {
  if (!bucket) return { tokens: BURST, filledAtMs: nowMs };
  const gained = Math.floor((nowMs - bucket.filledAtMs) / REFILL_MS);
  if (bucket.tokens + gained >= BURST) return { tokens: BURST, filledAtMs: nowMs };
  return { tokens: bucket.tokens + gained, filledAtMs: bucket.filledAtMs + gained * REFILL_MS };
}
