import {
  begun,
  digestOfPlay,
  endOf,
  isSamePlay,
  isSameSong,
  type LastReport,
  type Playback,
  reconcile,
  withRepeats,
} from "../playback.ts";
import { lengthAfter, type ReportedLength, withoutGrowth } from "./growing-length.ts";
import { songAfter, type SongInStream, withinSong } from "./song-in-stream.ts";
import type { Source } from "../sources/source.ts";

/** One result of watching a connection. */
export type Report =
  | { readonly kind: "reported"; readonly playback: Playback | null }
  /** Nothing can be said yet: nothing was pushed, or what was reported is shown later. */
  | { readonly kind: "silent" }
  | { readonly kind: "failed"; readonly retryAfterMs: number }
  | { readonly kind: "unlinked" };

/** How long the last playback is still shown after its source fails (the API's contract). */
export const TRUST_AFTER_FAILURE_MS = 30_000;
/** A player paused this long counts as abandoned: nothing plays (the API's contract). */
export const LONGEST_PAUSE_MS = 30 * 60_000;
/** How long a playback is still shown after the end of its track, if nothing else is reported. */
export const AFTER_END_MS = 15_000;
/** A polled answer is outdated after so many intervals without another one. */
const MISSED_POLLS = 3;

/** Since when a connection fails, and when it is tried again. Monotonic milliseconds. */
export interface Failure {
  readonly sinceMs: number;
  readonly nextTryMs: number;
}

/** A pause at one position of one song, and since when. */
export interface Pause {
  /** The digest of its play. */
  readonly song: string;
  readonly positionMs: number;
  readonly sinceMs: number;
  /** Whether it began while it was watched. If not, it began at some time before `sinceMs`. */
  readonly beginningKnown: boolean;
}

/** What is kept of a connection while nothing is reported. */
interface Kept {
  readonly pause: Pause | undefined;
  /** The last playback: whether its song goes on or has begun again is told by it. */
  readonly last?: LastReport | undefined;
  readonly stream?: SongInStream | undefined;
}

/** What is known of one connection. Times are monotonic milliseconds. */
export type ConnectionState =
  /** No report yet. */
  | (Kept & { readonly kind: "waiting"; readonly sinceMs: number })
  | (Kept & { readonly kind: "silent" })
  /** The source failed before it reported a playback. */
  | (Kept & { readonly kind: "failing"; readonly failure: Failure })
  | (Kept & {
      readonly kind: "reported";
      readonly playback: Playback | null;
      /** When the source reported last, even if it reported the same. */
      readonly reportedAtMs: number;
      readonly length: ReportedLength | undefined;
      /** Set if the source has failed since that playback. */
      readonly failure: Failure | undefined;
    })
  | { readonly kind: "unlinked" };

/** A connection of a user, and what is known of it. */
export interface KnownConnection extends Pick<Source, "delivery" | "pollsEveryMs"> {
  /** `undefined` when the user has connected nothing and gets the demo. */
  readonly connectionId: number | undefined;
  readonly state: ConnectionState;
}

/** The state of a connection that begins to be watched, or is stopped. */
export const stateBeforeReports = (before: ConnectionState, nowMs: number): ConnectionState => ({
  kind: "waiting",
  sinceMs: nowMs,
  ...keptOf(before),
});

/** The state of a connection after a report. */
export function stateAfter(
  { state, delivery, pollsEveryMs }: Omit<KnownConnection, "connectionId">,
  report: Report,
  nowMs: number,
): ConnectionState {
  switch (report.kind) {
    case "silent":
      return state.kind === "waiting" ? { ...report, ...keptOf(state) } : state;
    case "unlinked":
      return report;
    case "failed": {
      const sinceMs = failureOf(state)?.sinceMs ?? nowMs;
      const failure = { sinceMs, nextTryMs: nowMs + report.retryAfterMs };
      return state.kind === "reported"
        ? { ...state, failure }
        : { kind: "failing", failure, ...keptOf(state) };
    }
    case "reported": {
      const before = state.kind === "reported" ? state : undefined;
      const wasWatched =
        before && !before.failure && nowMs <= outdatedAtMs(before.reportedAtMs, pollsEveryMs);
      const kept = keptOf(state);
      const isSame = isSameSong(before?.playback, report.playback);
      const length = lengthAfter(before?.length, report.playback, isSame);
      const ofStream = withoutGrowth(report.playback, length);
      const stream = songAfter(kept.stream, ofStream, wasWatched === true);
      const reconciled = reconcile(before?.playback, withinSong(ofStream, stream));
      const counted = reconciled && withRepeats(kept.last, reconciled, nowMs);
      const playback = wasWatched ? afterOther(before.playback, counted) : counted;
      const pause = pauseIn(playback, kept.pause, {
        nowMs,
        beginningKnown: before !== undefined || delivery === "pushed",
      });
      const last = playback ? { playback, atMs: nowMs } : kept.last;
      return {
        kind: "reported",
        playback,
        reportedAtMs: nowMs,
        length,
        failure: undefined,
        pause,
        last,
        stream,
      };
    }
  }
}

/** How long a connection's playback counts. Monotonic milliseconds. */
export interface Validity {
  /** From then on the playback of any other connection is shown rather than this one. */
  readonly yieldsAtMs: number;
  /** From then on it is not shown. */
  readonly endsAtMs: number;
}

/**
 * How long the playback of a connection counts; `undefined` when there is none.
 * @param watchedSinceMs since when there are subscribers; only then a source polls at its interval
 */
export function validityOf(
  { state, delivery, pollsEveryMs }: KnownConnection,
  watchedSinceMs: number | undefined,
): Validity | undefined {
  if (state.kind !== "reported" || !state.playback) return undefined;
  const { playback, failure, pause, reportedAtMs } = state;
  // A program that pushes may say itself how long its track counts, so its source knows the end.
  // While reports keep coming, the player decides when it ends, and no arithmetic.
  const endMs =
    delivery === "pushed" ? Infinity : Math.max(endOf(playback), reportedAtMs) + AFTER_END_MS;
  const expiresAtMs = pause ? pause.sinceMs + LONGEST_PAUSE_MS : endMs;
  const unansweredAtMs =
    watchedSinceMs === undefined
      ? Infinity
      : outdatedAtMs(Math.max(reportedAtMs, watchedSinceMs), pollsEveryMs);
  if (!failure) {
    const endsAtMs = Math.min(expiresAtMs, unansweredAtMs);
    return { yieldsAtMs: endsAtMs, endsAtMs };
  }
  // A playback that had already expired when the failure began is not shown again.
  const endsAtMs =
    failure.sinceMs >= unansweredAtMs
      ? unansweredAtMs
      : Math.min(expiresAtMs, failure.sinceMs + TRUST_AFTER_FAILURE_MS);
  return { yieldsAtMs: Math.min(unansweredAtMs, endsAtMs), endsAtMs };
}

export const failureOf = (state: ConnectionState): Failure | undefined =>
  state.kind === "reported" || state.kind === "failing" ? state.failure : undefined;

const keptOf = (state: ConnectionState): Kept =>
  state.kind === "unlinked"
    ? { pause: undefined }
    : { pause: state.pause, last: state.last, stream: state.stream };

const outdatedAtMs = (reportedAtMs: number, pollsEveryMs: number | undefined): number =>
  pollsEveryMs === undefined ? Infinity : reportedAtMs + MISSED_POLLS * pollsEveryMs;

/** The position of a track that replaced another while it was watched is known: it began then. */
const afterOther = (before: Playback | null, playback: Playback | null): Playback | null =>
  playback && !isSamePlay(before, playback) ? begun(playback) : playback;

/** The pause of a playback: the previous one continues while track and position are the same. */
function pauseIn(
  playback: Playback | null,
  before: Pause | undefined,
  { nowMs, beginningKnown }: { readonly nowMs: number; readonly beginningKnown: boolean },
): Pause | undefined {
  if (playback?.state !== "paused") return undefined;
  const { positionMs, observedAtMs } = playback;
  const song = digestOfPlay(playback);
  const goesOn = before?.song === song && before.positionMs === positionMs;
  if (goesOn) return before;
  // What was pushed may have waited for somebody to watch.
  const sinceMs = Math.min(nowMs, observedAtMs);
  return { song, positionMs, sinceMs, beginningKnown };
}
