import { type Playback, positionAt } from "../../playback.ts";

/**
 * When to ask an upstream again that does not tell of changes by itself. Pure: everything is
 * computed from what is given. Times are monotonic milliseconds.
 *
 * Looks are worth most where a change is likely, so the interval follows the likelihood: people who
 * have just skipped, paused or sought do it again, young tracks are skipped more than old ones, and
 * whoever paused a moment ago comes back sooner than whoever left. Where changes come at a rate λ
 * and looks are limited, the least time is spent wrong when intervals go with 1/√λ.
 */

/** What a listener's looks have told about the listener. */
export interface PollState {
  /** What the last look found. */
  readonly heard: Playback | null;
  readonly lastPollMs: number;
  /** When the state last changed, as far as looks could tell. */
  readonly changedAtMs: number;
  /** Surprises (skips, pauses, seeks) of late, each counting less as time passes. */
  readonly restlessness: number;
  /** Looks that may be spent; saved while nothing happens. */
  readonly budget: number;
  /** Looks since the track's expected end that found it still there. */
  readonly pollsPastEnd: number;
}

/** What a look found, compared with what was expected. */
export type Finding = "same" | "expected" | "surprise" | "suspect";

export interface CadencePace {
  /** Looks that a listener may have in an hour while something plays. */
  readonly playingPerHour: number;
  /** The same while paused or silent. */
  readonly quietPerHour: number;
}

export interface NextPoll {
  readonly atMs: number;
  /** Whether a track should just have ended: a look that is worth most when it is on time. */
  readonly atEnd: boolean;
}

export const USUAL_PACE: CadencePace = { playingPerHour: 870, quietPerHour: 230 };

/** What can be saved up, for a restless minute. */
const MOST_SAVED = 16;
const FIRST_POLLS = 4;
/** Tracks of a few seconds end too often to be on time for each. */
const DEEPEST_DEBT = -6;

/** A track's successor is known at the upstream this long after its end. */
const AFTER_END_MS = 300;
/** Waits between the looks that find a track still there after its end. */
const PAST_END_MS = [600, 1_200, 2_500] as const;
/** So close to its end a track is taken to be over. */
const AT_END_MS = 1_000;
/** A regular look this close before an end is better made at the end. */
const BEFORE_END_MS = 1_500;

/** Changes a second that nobody could foresee, of a track that has settled in. */
const CALM_RATE = 1 / 70;
/** What a young track adds. */
const YOUNG_RATE = 1 / 45;
const YOUNG_TRACK_MS = 30_000;
/** What each recent surprise adds, and how fast it is forgotten. */
const RESTLESS_RATE = 1 / 30;
const RESTLESS_MS = 6_000;
/** A pause this young is watched like music; an older one ends the less likely the longer it lasts. */
const FRESH_PAUSE_MS = 45_000;
/** However long the silence was, its end is seen within this time. */
const LONGEST_QUIET_MS = 19_000;
/** Sooner than this after another look there is little new to see. */
const SHORTEST_MS = 1_500;
/** While playing, no change goes unseen for longer than this unless the looks are used up. */
const LONGEST_MS = 4_700;

const HOUR_MS = 3_600_000;

/** A listener that nothing is known of yet. */
export const newPollState = (nowMs: number): PollState => ({
  heard: null,
  lastPollMs: nowMs,
  changedAtMs: nowMs,
  restlessness: 0,
  budget: FIRST_POLLS,
  pollsPastEnd: 0,
});

/** The listener after a look. A doubtful one has cost its look and told nothing. */
export function afterPoll(
  before: PollState,
  found: { readonly heard: Playback | null; readonly finding: Finding; readonly nowMs: number },
  pace: CadencePace = USUAL_PACE,
): PollState {
  const { finding, nowMs } = found;
  const paid = {
    ...before,
    lastPollMs: nowMs,
    budget: budgetAt(before, nowMs, pace) - 1,
    restlessness: restlessnessAt(before, nowMs) + (finding === "surprise" ? 1 : 0),
  };
  if (finding === "suspect") return paid;
  const { heard } = found;
  if (finding !== "same") return { ...paid, heard, changedAtMs: nowMs, pollsPastEnd: 0 };
  return { ...paid, heard, pollsPastEnd: isAtEnd(heard) ? before.pollsPastEnd + 1 : 0 };
}

/** The looks that may be spent at a time. */
export function budgetAt(
  listener: PollState,
  nowMs: number,
  pace: CadencePace = USUAL_PACE,
): number {
  const passedMs = Math.max(0, nowMs - listener.lastPollMs);
  const earned = (passedMs * perHour(listener, pace)) / HOUR_MS;
  return Math.min(MOST_SAVED, listener.budget + earned);
}

/**
 * When the next look is due.
 * @param leastIntervalMs no look sooner than this after the last, but for a track's end: others
 *   want to be heard too
 */
export function nextPoll(
  listener: PollState,
  leastIntervalMs: number,
  pace: CadencePace = USUAL_PACE,
): NextPoll {
  const { heard, lastPollMs, pollsPastEnd, budget } = listener;
  const intervalMs = Math.max(leastIntervalMs, likelyIntervalMs(listener, pace));
  const regular = { atMs: lastPollMs + intervalMs, atEnd: false };
  const endMs = heard?.state === "playing" ? expectedEndMs(heard) : undefined;
  if (endMs === undefined || budget < DEEPEST_DEBT) return regular;
  if (pollsPastEnd === 0) {
    return regular.atMs < endMs - BEFORE_END_MS
      ? regular
      : { atMs: endMs + AFTER_END_MS, atEnd: true };
  }
  const waitMs = PAST_END_MS[pollsPastEnd - 1];
  return waitMs === undefined ? regular : { atMs: lastPollMs + waitMs, atEnd: true };
}

const isQuiet = ({ heard }: Pick<PollState, "heard">): boolean => heard?.state !== "playing";

/** A fresh pause earns as music does: it is watched as closely. */
const perHour = (listener: PollState, pace: CadencePace): number =>
  isQuiet(listener) && quietMs(listener) > FRESH_PAUSE_MS ? pace.quietPerHour : pace.playingPerHour;

const quietMs = ({ lastPollMs, changedAtMs }: PollState): number => lastPollMs - changedAtMs;

const restlessnessAt = ({ restlessness, lastPollMs }: PollState, nowMs: number): number =>
  restlessness * Math.exp(-Math.max(0, nowMs - lastPollMs) / RESTLESS_MS);

function likelyIntervalMs(listener: PollState, pace: CadencePace): number {
  const { budget } = listener;
  const earningMs = HOUR_MS / perHour(listener, pace);
  // In debt, after a burst, every look is waited for until it is earned.
  const longestMs = isQuiet(listener) ? LONGEST_QUIET_MS : Number.POSITIVE_INFINITY;
  if (budget < 0) return Math.min(earningMs * (1 - budget), longestMs);
  // An average listener spends as much as is earned; savings are spent, and their lack is felt.
  const usualMs = (HOUR_MS / pace.playingPerHour) * (1.15 - 0.3 * (budget / MOST_SAVED));
  if (isQuiet(listener)) {
    const age = Math.max(1, quietMs(listener) / FRESH_PAUSE_MS);
    return Math.min(usualMs * Math.sqrt(age), longestMs);
  }
  const likelyMs = usualMs * Math.sqrt(USUAL_RATE / changeRate(listener));
  return Math.min(Math.max(likelyMs, SHORTEST_MS), Math.max(LONGEST_MS, usualMs));
}

/** The rate at which {@link likelyIntervalMs} is the usual one. */
const USUAL_RATE = 1 / 28;

/** How likely a change is that nobody can foresee, per second, while something plays. */
function changeRate({ heard, lastPollMs, restlessness }: PollState): number {
  const positionMs = heard ? positionAt(heard, lastPollMs) : 0;
  const young = positionMs < YOUNG_TRACK_MS ? YOUNG_RATE : 0;
  return CALM_RATE + young + RESTLESS_RATE * restlessness;
}

/** When the track will have played to its end; `undefined` when it has none. */
function expectedEndMs({ track, positionMs, observedAtMs, rate }: Playback): number | undefined {
  if (track.durationMs === null || rate <= 0) return undefined;
  return observedAtMs + (track.durationMs - positionMs) / rate;
}

function isAtEnd(heard: Playback | null): boolean {
  if (heard?.state !== "playing" || heard.track.durationMs === null) return false;
  return heard.positionMs > heard.track.durationMs - AT_END_MS;
}
