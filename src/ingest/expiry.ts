import { AFTER_END_MS, LONGEST_PAUSE_MS } from "../channels/connection-state.ts";
import { endOf, type Playback } from "../playback.ts";

/** Why a pushed report counts, and so for how long. */
export type Lifetime =
  /** The program reports when something changes. */
  | { readonly kind: "untilItsEnd" }
  /** The program itself names the duration. */
  | { readonly kind: "exactly"; readonly ms: number }
  /** The program repeats its report while it plays. */
  | { readonly kind: "whileRepeated" }
  /** The program is connected, and its end is noticed. */
  | { readonly kind: "whileConnected" };

/** How long a track of unknown length counts, as on listenbrainz.org. */
const UNKNOWN_LENGTH_MS = 600_000;
/** The longest pause of a program that repeats its report while it plays. */
const SILENCE_MS = 10_000;
/** How long a report counts after its program has disconnected: it may come back. */
export const DISCONNECTED_MS = 5_000;

/**
 * Until when a report counts that was received at a monotonic time, in monotonic milliseconds;
 * `Infinity` when it ends only with its connection.
 */
export function expiresAtMs(playback: Playback, lifetime: Lifetime, receivedAtMs: number): number {
  if (lifetime.kind === "exactly") return receivedAtMs + lifetime.ms;
  if (playback.state === "paused") return receivedAtMs + LONGEST_PAUSE_MS;
  const endsAtMs = countsUntilMs(playback, lifetime, receivedAtMs);
  return lifetime.kind === "whileRepeated"
    ? Math.min(endsAtMs, receivedAtMs + SILENCE_MS)
    : endsAtMs;
}

function countsUntilMs(playback: Playback, lifetime: Lifetime, receivedAtMs: number): number {
  if (playback.track.durationMs !== null) {
    return Math.max(receivedAtMs, endOf(playback)) + AFTER_END_MS;
  }
  return lifetime.kind === "whileConnected" ? Infinity : receivedAtMs + UNKNOWN_LENGTH_MS;
}
