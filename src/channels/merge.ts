import type { Playback } from "../playback.ts";
import {
  failureOf,
  type KnownConnection,
  TRUST_AFTER_FAILURE_MS,
  validityOf,
} from "./connection-state.ts";

/** What a user's music is at one moment. */
export type Reading =
  | {
      readonly kind: "playback";
      readonly playback: Playback;
      /** The connection that is shown; `undefined` for what no stored connection plays. */
      readonly connectionId: number | undefined;
    }
  | {
      readonly kind: "nothing";
      /** The user has paused sharing, or hides the song that plays. */
      readonly hides?: "all" | "song";
    }
  /** No music is connected, or the upstreams want the user to connect again. */
  | { readonly kind: "unlinked" }
  | { readonly kind: "unavailable"; readonly retryAfterMs: number };

/** A moment of a channel, in monotonic milliseconds. */
export interface Moment {
  readonly nowMs: number;
  /** Since when there are subscribers; `undefined` while there are none. */
  readonly watchedSinceMs: number | undefined;
}

/** How long the first report of a connection is waited for when others could be shown. */
const PATIENCE_MS = 2_000;

/**
 * How long a polled source's last answer counts as current without another poll, unless the source
 * polls less often even while it is watched.
 */
const FRESH_MS = 4_000;

const NOTHING: Reading = { kind: "nothing" };
const UNLINKED: Reading = { kind: "unlinked" };

/**
 * The one playback that is shown of all that a user's connections report. A playing one comes
 * before a paused one; of several that play, the first in the user's order; of several that are
 * paused, the one that paused last. `undefined` while too little is known.
 * @param connections in the user's order
 */
export function merge(
  connections: readonly KnownConnection[],
  moment: Moment,
): Reading | undefined {
  let shown: Candidate | undefined;
  for (const connection of connections) {
    const candidate = candidateOf(connection, moment);
    if (candidate && (!shown || comesBefore(candidate, shown))) shown = candidate;
  }
  // Another connection may turn out to play in a moment.
  const isSettled =
    (shown && playsNow(shown)) || !connections.some((one) => mayReport(one, moment));
  if (shown && isSettled) {
    return { kind: "playback", playback: shown.playback, connectionId: shown.connectionId };
  }
  return isSettled ? withoutPlayback(connections, moment) : undefined;
}

/** When the merged reading may change by time alone (monotonic); `undefined` when it cannot. */
export function nextMergeAt(
  connections: readonly KnownConnection[],
  { nowMs, watchedSinceMs }: Moment,
): number | undefined {
  let nextMs = Infinity;
  const consider = (atMs: number) => {
    if (atMs > nowMs && atMs < nextMs) nextMs = atMs;
  };
  for (const connection of connections) {
    const { state } = connection;
    if (state.kind === "waiting" && connections.length > 1) consider(state.sinceMs + PATIENCE_MS);
    const failure = failureOf(state);
    if (failure) consider(failure.sinceMs + TRUST_AFTER_FAILURE_MS);
    const validity = validityOf(connection, watchedSinceMs);
    if (!validity) continue;
    consider(validity.yieldsAtMs);
    consider(validity.endsAtMs);
  }
  return nextMs === Infinity ? undefined : nextMs;
}

/**
 * When a polled connection has to be polled again before what is known may be used, while there
 * are no subscribers, for whom sources poll regularly. Monotonic; `Infinity` when never.
 */
export function outdatedAt(connections: readonly KnownConnection[], nowMs: number): number {
  let atMs = Infinity;
  for (const connection of connections) {
    const { state, delivery, pollsEveryMs = 0 } = connection;
    if (delivery === "polled" && state.kind === "reported" && !state.failure) {
      atMs = Math.min(atMs, state.reportedAtMs + Math.max(FRESH_MS, pollsEveryMs));
    }
    // Those that come after one that plays are not shown, whatever they report.
    const candidate = candidateOf(connection, { nowMs, watchedSinceMs: undefined });
    if (candidate && playsNow(candidate)) break;
  }
  return atMs;
}

/** What a connection reports at a moment; `undefined` before it has reported anything. */
export function reportedBy(
  connection: KnownConnection,
  { nowMs, watchedSinceMs }: Moment,
): Playback | null | undefined {
  const { state } = connection;
  if (state.kind !== "reported") return undefined;
  const validity = validityOf(connection, watchedSinceMs);
  return validity && nowMs < validity.endsAtMs ? state.playback : null;
}

interface Candidate {
  readonly playback: Playback;
  readonly connectionId: number | undefined;
  readonly isPlaying: boolean;
  /** It is shown only if there is no other. */
  readonly isOutdated: boolean;
  /** `-Infinity` while it plays. A pause that began at an unknown time counts as the oldest. */
  readonly pausedAtMs: number;
}

function candidateOf(
  connection: KnownConnection,
  { nowMs, watchedSinceMs }: Moment,
): Candidate | undefined {
  const { state, connectionId } = connection;
  const validity = validityOf(connection, watchedSinceMs);
  if (state.kind !== "reported" || !state.playback || !validity) return undefined;
  if (nowMs >= validity.endsAtMs) return undefined;
  const { playback, pause } = state;
  return {
    playback,
    connectionId,
    isPlaying: pause === undefined,
    isOutdated: nowMs >= validity.yieldsAtMs,
    pausedAtMs: pause?.beginningKnown ? pause.sinceMs : -Infinity,
  };
}

const playsNow = ({ isPlaying, isOutdated }: Candidate): boolean => isPlaying && !isOutdated;

/** Whether a candidate is shown rather than one that comes before it in the user's order. */
function comesBefore(candidate: Candidate, other: Candidate): boolean {
  if (candidate.isOutdated !== other.isOutdated) return other.isOutdated;
  if (candidate.isPlaying !== other.isPlaying) return candidate.isPlaying;
  return candidate.pausedAtMs > other.pausedAtMs;
}

const mayReport = ({ state }: KnownConnection, { nowMs }: Moment): boolean =>
  state.kind === "waiting" && nowMs < state.sinceMs + PATIENCE_MS;

/** The reading when no connection has a playback to show. */
function withoutPlayback(
  connections: readonly KnownConnection[],
  { nowMs }: Moment,
): Reading | undefined {
  const states = connections.map(({ state }) => state);
  const isTrusted = states.some(
    (state) =>
      state.kind === "reported" &&
      (!state.failure || nowMs < state.failure.sinceMs + TRUST_AFTER_FAILURE_MS),
  );
  if (isTrusted) return NOTHING;
  const nextTries = states.flatMap((state) => failureOf(state)?.nextTryMs ?? []);
  if (nextTries.length > 0) {
    return { kind: "unavailable", retryAfterMs: Math.max(0, Math.min(...nextTries) - nowMs) };
  }
  if (states.some(({ kind }) => kind === "waiting")) return undefined;
  return states.every(({ kind }) => kind === "unlinked") ? UNLINKED : NOTHING;
}
