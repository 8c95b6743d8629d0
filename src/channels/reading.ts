import { hidesTrack, type PrivacyRules } from "../accounts/privacy.ts";
import { type Playback, reconcile } from "../playback.ts";

/** What a user's music is at one moment, as others are shown it. */
export type Reading =
  | { readonly kind: "playback"; readonly playback: Playback }
  | { readonly kind: "nothing" }
  /** No music is connected, or the upstream wants the user to connect again. */
  | { readonly kind: "unlinked" }
  | { readonly kind: "unavailable"; readonly retryAfterMs: number };

/** One result of watching a connection. */
export type Report =
  | { readonly kind: "heard"; readonly playback: Playback | null }
  | { readonly kind: "failed"; readonly retryAfterMs: number }
  | { readonly kind: "unlinked" };

/** How long the last playback is still shown after its source fails (the API's contract). */
const TRUST_AFTER_FAILURE_MS = 30_000;
/** A player paused this long counts as abandoned: nothing plays (the API's contract). */
export const LONGEST_PAUSE_MS = 30 * 60_000;

/** Since when a connection fails, and when it is tried again. Monotonic milliseconds. */
interface Failure {
  readonly sinceMs: number;
  readonly nextTryMs: number;
}

/** A pause at one position of one track, and since when. */
interface Pause {
  readonly trackId: string;
  readonly positionMs: number;
  readonly sinceMs: number;
}

/** What a channel knows of its user's music. Times are monotonic milliseconds. */
export type ChannelState =
  /** No report yet. The pause of the last run is kept, so that its age is not lost. */
  | { readonly kind: "waiting"; readonly pause: Pause | undefined }
  /** The source failed before it reported a playback. */
  | { readonly kind: "failing"; readonly failure: Failure; readonly pause: Pause | undefined }
  | {
      readonly kind: "heard";
      readonly playback: Playback | null;
      /** Set if the source has failed since that playback. */
      readonly failure: Failure | undefined;
      readonly pause: Pause | undefined;
    }
  | { readonly kind: "unlinked" };

/** The clocks of one moment, in milliseconds. */
export interface Now {
  readonly monotonicMs: number;
  /** Unix time. */
  readonly wallMs: number;
}

export const NOTHING_KNOWN: ChannelState = { kind: "waiting", pause: undefined };

/** The state of a channel that has been stopped. */
export function stateAfterStop(state: ChannelState): ChannelState {
  return { kind: "waiting", pause: pauseOf(state) };
}

/** The state after a report. */
export function stateAfter(state: ChannelState, report: Report, nowMs: number): ChannelState {
  switch (report.kind) {
    case "unlinked":
      return { kind: "unlinked" };
    case "failed": {
      const sinceMs = failureOf(state)?.sinceMs ?? nowMs;
      const failure = { sinceMs, nextTryMs: nowMs + report.retryAfterMs };
      return state.kind === "heard"
        ? { ...state, failure }
        : { kind: "failing", failure, pause: pauseOf(state) };
    }
    case "heard": {
      const before = state.kind === "heard" ? state.playback : undefined;
      const playback = reconcile(before, report.playback);
      const pause = pauseIn(playback, pauseOf(state), nowMs);
      return { kind: "heard", playback, failure: undefined, pause };
    }
  }
}

/**
 * The reading at `now`, within the user's privacy rules; `undefined` before the first report,
 * unless the user has paused sharing.
 */
export function readingAt(state: ChannelState, rules: PrivacyRules, now: Now): Reading | undefined {
  if (rules.pausedUntil !== null && now.wallMs < rules.pausedUntil) return NOTHING;
  switch (state.kind) {
    case "waiting":
      return undefined;
    case "unlinked":
      return UNLINKED;
    case "failing":
      return unavailable(state.failure, now.monotonicMs);
    case "heard": {
      const { playback, failure, pause } = state;
      if (failure && now.monotonicMs - failure.sinceMs >= TRUST_AFTER_FAILURE_MS) {
        return unavailable(failure, now.monotonicMs);
      }
      const left = pause !== undefined && now.monotonicMs - pause.sinceMs >= LONGEST_PAUSE_MS;
      if (playback === null || left || hidesTrack(rules, playback)) return NOTHING;
      return { kind: "playback", playback };
    }
  }
}

/** When the reading changes by time alone (monotonic); `undefined` when it does not. */
export function nextChangeAt(
  state: ChannelState,
  { pausedUntil }: Pick<PrivacyRules, "pausedUntil">,
  { monotonicMs, wallMs }: Now,
): number | undefined {
  const failure = failureOf(state);
  const pause = pauseOf(state);
  const changes = [
    failure && failure.sinceMs + TRUST_AFTER_FAILURE_MS,
    pause && pause.sinceMs + LONGEST_PAUSE_MS,
    pausedUntil === null ? undefined : monotonicMs + pausedUntil - wallMs,
  ].filter((atMs): atMs is number => atMs !== undefined && atMs > monotonicMs);
  return changes.length === 0 ? undefined : Math.min(...changes);
}

const NOTHING: Reading = { kind: "nothing" };
const UNLINKED: Reading = { kind: "unlinked" };

const failureOf = (state: ChannelState): Failure | undefined =>
  state.kind === "heard" || state.kind === "failing" ? state.failure : undefined;

const pauseOf = (state: ChannelState): Pause | undefined =>
  state.kind === "unlinked" ? undefined : state.pause;

/** The pause of a playback: the previous one continues while track and position are the same. */
function pauseIn(
  playback: Playback | null,
  before: Pause | undefined,
  nowMs: number,
): Pause | undefined {
  if (playback?.state !== "paused") return undefined;
  const { track, positionMs } = playback;
  const goesOn = before?.trackId === track.id && before.positionMs === positionMs;
  return goesOn ? before : { trackId: track.id, positionMs, sinceMs: nowMs };
}

const unavailable = ({ nextTryMs }: Failure, nowMs: number): Reading => ({
  kind: "unavailable",
  retryAfterMs: Math.max(0, nextTryMs - nowMs),
});
