import { type Playback, positionAt } from "../../playback.ts";

/**
 * When to ask an upstream again that does not tell of changes by itself. Pure: everything is
 * computed from what is given. Times are monotonic milliseconds.
 *
 * A poll is worth most where a change is likely, so the interval follows the likelihood: people who
 * have just skipped, paused or sought do it again, young tracks are skipped more often than old
 * ones, and whoever paused a moment ago comes back sooner than whoever left. Where changes come at a
 * rate λ and polls are limited, the shown state is wrong for the least time when intervals are
 * proportional to 1/√λ. The constants below come from simulated listening: `bun run bench` prints
 * what they lead to.
 */

/** What the polls of one connection have told. */
export interface PollState {
  /** What the last poll found. */
  readonly playback: Playback | null;
  readonly lastPollMs: number;
  /** When the state last changed, as far as polls could tell. */
  readonly changedAtMs: number;
  /** Surprises (skips, pauses, seeks) of late, each counting less as time passes. */
  readonly restlessness: number;
  /** Polls that may be spent; saved while nothing happens. */
  readonly budget: number;
  /** Polls since the track's expected end that found it still there. */
  readonly pollsPastEnd: number;
  /** Whether the last answer was suspect, and the one before it was not. */
  readonly suspect: boolean;
}

/** What a poll found, compared with what was expected; what is suspect is asked for again. */
export type Finding = "same" | "expected" | "surprise" | "suspect";

export interface Pace {
  /** Polls that a connection may have in an hour while something plays. */
  readonly playingPerHour: number;
  /** The same while paused or silent. */
  readonly quietPerHour: number;
}

export interface NextPoll {
  readonly atMs: number;
  /** Whether a track should just have ended: a poll that is worth most when it is on time. */
  readonly atEnd: boolean;
}

export const USUAL_PACE: Pace = { playingPerHour: 870, quietPerHour: 230 };

/** What can be saved up, for a restless minute. */
const MOST_SAVED = 16;
const FIRST_POLLS = 4;
/** Tracks of a few seconds end too often to be on time for each. */
const DEEPEST_DEBT = -6;

/** A track's successor is known at the upstream this long after its end. */
const AFTER_END_MS = 300;
/** Waits between the polls that find a track still there after its end. */
const PAST_END_MS = [600, 1_200, 2_500] as const;
/** So close to its end a track is taken to be over. */
const AT_END_MS = 1_000;
/** A regular poll this close before an end is better made at the end. */
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
/** A suspect answer is asked for again after this time, once. */
const ASK_AGAIN_MS = 1_200;
/** Sooner than this after another poll there is little new to learn. */
const SHORTEST_MS = 1_500;
/** While playing, no change goes unseen for longer than this unless the budget is used up. */
const LONGEST_MS = 4_700;

const HOUR_MS = 3_600_000;

/** The state before the first poll. */
export const newPollState = (nowMs: number): PollState => ({
  playback: null,
  lastPollMs: nowMs,
  changedAtMs: nowMs,
  restlessness: 0,
  budget: FIRST_POLLS,
  pollsPastEnd: 0,
  suspect: false,
});

/** The state after a poll. A suspect answer has cost its poll and told nothing. */
export function afterPoll(
  before: PollState,
  found: { readonly playback: Playback | null; readonly finding: Finding; readonly nowMs: number },
  pace: Pace = USUAL_PACE,
): PollState {
  const { finding, nowMs } = found;
  const paid = {
    ...before,
    lastPollMs: nowMs,
    budget: budgetAt(before, nowMs, pace) - 1,
    restlessness: restlessnessAt(before, nowMs) + (finding === "surprise" ? 1 : 0),
    suspect: false,
  };
  if (finding === "suspect") return { ...paid, suspect: !before.suspect };
  const { playback } = found;
  if (finding !== "same") return { ...paid, playback, changedAtMs: nowMs, pollsPastEnd: 0 };
  return { ...paid, playback, pollsPastEnd: isAtEnd(playback) ? before.pollsPastEnd + 1 : 0 };
}

/** The polls that may be spent at a time. */
export function budgetAt(state: PollState, nowMs: number, pace: Pace = USUAL_PACE): number {
  const passedMs = Math.max(0, nowMs - state.lastPollMs);
  const earned = (passedMs * perHour(state, pace)) / HOUR_MS;
  return Math.min(MOST_SAVED, state.budget + earned);
}

/**
 * When the next poll is due.
 * @param leastIntervalMs no regular poll sooner than this after the last: other users want their
 *   share of the budget, too
 */
export function nextPoll(
  state: PollState,
  leastIntervalMs: number,
  pace: Pace = USUAL_PACE,
): NextPoll {
  const { playback, lastPollMs, pollsPastEnd, budget } = state;
  if (state.suspect && budget >= DEEPEST_DEBT)
    return { atMs: lastPollMs + ASK_AGAIN_MS, atEnd: true };
  const intervalMs = Math.max(leastIntervalMs, intervalMsOf(state, pace));
  const regular = { atMs: lastPollMs + intervalMs, atEnd: false };
  const endMs = playback?.state === "playing" ? expectedEndMs(playback) : undefined;
  if (endMs === undefined || budget < DEEPEST_DEBT) return regular;
  if (pollsPastEnd === 0) {
    return regular.atMs < endMs - BEFORE_END_MS
      ? regular
      : { atMs: endMs + AFTER_END_MS, atEnd: true };
  }
  const waitMs = PAST_END_MS[pollsPastEnd - 1];
  return waitMs === undefined ? regular : { atMs: lastPollMs + waitMs, atEnd: true };
}

const isQuiet = ({ playback }: Pick<PollState, "playback">): boolean =>
  playback?.state !== "playing";

/** A fresh pause earns as music does: it is watched as closely. */
const perHour = (state: PollState, pace: Pace): number =>
  isQuiet(state) && quietMs(state) > FRESH_PAUSE_MS ? pace.quietPerHour : pace.playingPerHour;

const quietMs = ({ lastPollMs, changedAtMs }: PollState): number => lastPollMs - changedAtMs;

const restlessnessAt = ({ restlessness, lastPollMs }: PollState, nowMs: number): number =>
  restlessness * Math.exp(-Math.max(0, nowMs - lastPollMs) / RESTLESS_MS);

function intervalMsOf(state: PollState, pace: Pace): number {
  const { budget } = state;
  const earningMs = HOUR_MS / perHour(state, pace);
  // In debt, after a burst, every poll waits until it is earned.
  const longestMs = isQuiet(state) ? LONGEST_QUIET_MS : Number.POSITIVE_INFINITY;
  if (budget < 0) return Math.min(earningMs * (1 - budget), longestMs);
  // On average as much is spent as is earned; what is saved shortens the interval.
  const usualMs = (HOUR_MS / pace.playingPerHour) * (1.15 - 0.3 * (budget / MOST_SAVED));
  if (isQuiet(state)) {
    const age = Math.max(1, quietMs(state) / FRESH_PAUSE_MS);
    return Math.min(usualMs * Math.sqrt(age), longestMs);
  }
  const likelyMs = usualMs * Math.sqrt(USUAL_RATE / changeRate(state));
  return Math.min(Math.max(likelyMs, SHORTEST_MS), Math.max(LONGEST_MS, usualMs));
}

/** The rate at which {@link intervalMsOf} is the usual one. */
const USUAL_RATE = 1 / 28;

/** How likely a change is that nobody can foresee, per second, while something plays. */
function changeRate({ playback, lastPollMs, restlessness }: PollState): number {
  const positionMs = playback ? positionAt(playback, lastPollMs) : 0;
  const young = positionMs < YOUNG_TRACK_MS ? YOUNG_RATE : 0;
  return CALM_RATE + young + RESTLESS_RATE * restlessness;
}

/** When the track will have played to its end; `undefined` when it has none. */
function expectedEndMs({ track, positionMs, observedAtMs, rate }: Playback): number | undefined {
  if (track.durationMs === null || rate <= 0) return undefined;
  return observedAtMs + (track.durationMs - positionMs) / rate;
}

function isAtEnd(playback: Playback | null): boolean {
  if (playback?.state !== "playing" || playback.track.durationMs === null) return false;
  return playback.positionMs > playback.track.durationMs - AT_END_MS;
}

/** A position that differs by more than this from what was expected is a seek. */
export const SEEK_MS = 1_500;

/** Whether an answer says what was expected: the same track going on, or the same pause or silence. */
export function continues(
  current: Playback | null | undefined,
  answer: Playback | null,
  nowMs: number,
): boolean {
  if (!current || !answer) return current === answer;
  return (
    current.track.id === answer.track.id &&
    current.state === answer.state &&
    Math.abs(positionAt(current, nowMs) - positionAt(answer, nowMs)) <= SEEK_MS
  );
}

/** Whether the track before a change had played to its end, give or take a cross-fade. */
export function hadEnded(current: Playback | null | undefined, nowMs: number): boolean {
  if (current?.state !== "playing" || current.track.durationMs === null) return false;
  return positionAt(current, nowMs) >= current.track.durationMs - SEEK_MS;
}
