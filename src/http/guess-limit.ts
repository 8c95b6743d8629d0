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

/** Limits per network what somebody without a key may try: first a burst, then a low rate. */
export function createGuessLimit() {
  /** When each network has its whole burst again: every try moves that by the time of one. */
  const restoredAtMs = createBoundedMap<string, number>(MOST_NETWORKS);

  const waitMsOf = (network: string, nowMs: number): number | undefined => {
    const waitMs = (restoredAtMs.get(network) ?? nowMs) - (BURST - 1) * REFILL_MS - nowMs;
    return waitMs > 0 ? waitMs : undefined;
  };

  return {
    /**
     * Counts a try, such as a wrong key, at a monotonic time in milliseconds. Returns `undefined`
     * while it is within the limit, else the milliseconds until the next one is.
     */
    count(network: string, nowMs: number) {
      const waitMs = waitMsOf(network, nowMs);
      const fromMs = Math.max(nowMs, restoredAtMs.get(network) ?? nowMs);
      restoredAtMs.set(network, waitMs === undefined ? fromMs + REFILL_MS : fromMs);
      return waitMs;
    },
    /** The same for the next try, without counting it. */
    waitMsOf,
  };
}
