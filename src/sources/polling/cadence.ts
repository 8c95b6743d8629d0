import { endOf, isSameSong, type Playback, positionAt } from "../../playback.ts";

/**
 * When to poll an upstream that does not report changes by itself. All functions are pure. Times
 * are monotonic milliseconds.
 *
 * A poll is worth most when a change is likely, so the interval depends on the likelihood. Users
 * who have just skipped, paused or seeked often do it again. Young tracks are skipped more often
 * than old ones. A user who paused a moment ago resumes sooner than one who has left. When changes
 * come at a rate λ and polls are limited, the shown state is wrong for the least time if intervals
 * are proportional to 1/√λ. The constants below come from simulated listening: `bun run bench`
 * prints their results.
 */

/** What the polls of one connection have found. */
export interface PollState {
  /** What the last poll found. */
  readonly playback: Playback | null;
  /** When the last poll was answered. */
  readonly lastPollMs: number;
  /** When the last poll was made: earlier than its answer. */
  readonly askedAtMs: number;
  /** When the state last changed, as far as polls could see. */
  readonly changedAtMs: number;
  /** Recent surprises (skips, pauses, seeks). Each counts less as time passes. */
  readonly restlessness: number;
  /** Polls that may be made now; unused ones are saved. Negative after a burst of polls. */
  readonly budget: number;
  /** Polls in a row that found the same track at its end, still playing. */
  readonly pollsPastEnd: number;
  /** Whether the last answer was suspect, and the one before it was not. */
  readonly suspect: boolean;
}

/** What a poll found, compared with the expected state. After `suspect` it is polled again soon. */
export type Finding = "same" | "expected" | "surprise" | "suspect";

export interface Pace {
  /** Polls an hour that a connection may use while something plays. */
  readonly playingPerHour: number;
  /** The same while the player is paused or nothing plays. */
  readonly quietPerHour: number;
  /** A fixed interval, for upstreams that need not be spared. Only ends of tracks shorten it. */
  readonly everyMs?: number;
  /**
   * A fixed interval from call to call while something plays or was paused a moment ago. The ends
   * of tracks and long pauses are as in the usual pace.
   */
  readonly quickMs?: number;
}

export interface NextPoll {
  readonly atMs: number;
  /** Whether the poll should be exactly on time, usually because a track has just ended. */
  readonly atEnd: boolean;
}

export const USUAL_PACE: Pace = { playingPerHour: 870, quietPerHour: 230 };

/** A fixed interval, with a quarter more polls an hour for the ends of tracks and for requests. */
export function steadyPace(everyMs: number): Pace {
  const perHour = (EXTRA * HOUR_MS) / everyMs;
  return { playingPerHour: perHour, quietPerHour: perHour, everyMs };
}

/**
 * A pace for upstreams that can be polled this often now; the usual one if it is not quicker. A
 * quarter more polls are earned for the ends of tracks and for requests.
 */
export function quickPace(quickMs: number): Pace {
  if (quickMs >= HOUR_MS / USUAL_PACE.playingPerHour) return USUAL_PACE;
  const perHour = (EXTRA * HOUR_MS) / quickMs;
  // The intervals themselves grow while it is quiet.
  return { playingPerHour: perHour, quietPerHour: perHour, quickMs };
}

/** Most polls that can be saved, for a minute with many changes. */
const MOST_SAVED = 16;
const FIRST_POLLS = 4;
/** Below this budget, track ends get no poll of their own: very short tracks end too often. */
const DEEPEST_DEBT = -6;

/** The upstream knows the next track this long after the end of a track. */
const AFTER_END_MS = 300;
/** Waits between polls that find a track still playing after its end. */
const PAST_END_MS = [600, 1_200, 2_500] as const;
/** A track this close to its end counts as ended. */
const AT_END_MS = 1_000;
/** A regular poll this close before a track's end is moved to the end. */
const BEFORE_END_MS = 1_500;

/** Unforeseeable changes per second of a track that is not young. */
const CALM_RATE = 1 / 70;
/** What a young track adds to that rate. */
const YOUNG_RATE = 1 / 45;
const YOUNG_TRACK_MS = 30_000;
/** What each recent surprise adds to that rate, and the time constant of its decay. */
const RESTLESS_RATE = 1 / 30;
const RESTLESS_MS = 6_000;
/** A pause this young is polled like music. An older one becomes less and less likely to end. */
const FRESH_PAUSE_MS = 45_000;
/** Longest interval while paused or silent. */
const LONGEST_QUIET_MS = 19_000;
/** After a suspect answer there is one more poll after this time. */
const ASK_AGAIN_MS = 1_200;
/** Shortest regular interval: an earlier poll seldom finds anything new. */
const SHORTEST_MS = 1_500;
/** Longest interval while something plays, unless the budget is used up. */
const LONGEST_MS = 4_700;

const HOUR_MS = 3_600_000;
/** A fixed interval earns this many times the polls that it uses. */
const EXTRA = 1.25;

/** The state before the first poll. */
export const newPollState = (nowMs: number): PollState => ({
  playback: null,
  lastPollMs: nowMs,
  askedAtMs: nowMs,
  changedAtMs: nowMs,
  restlessness: 0,
  budget: FIRST_POLLS,
  pollsPastEnd: 0,
  suspect: false,
});

/** An answer, when it came, and when it was asked for. */
export interface PollResult {
  readonly playback: Playback | null;
  readonly finding: Finding;
  readonly askedAtMs: number;
  readonly nowMs: number;
}

/** The state after a poll. A suspect answer uses budget but does not change the playback. */
export function afterPoll(before: PollState, found: PollResult, pace: Pace): PollState {
  const { finding, askedAtMs, nowMs } = found;
  const paid = {
    ...before,
    lastPollMs: nowMs,
    askedAtMs,
    budget: budgetAt(before, nowMs, pace) - 1,
    restlessness: restlessnessAt(before, nowMs) + (finding === "surprise" ? 1 : 0),
    suspect: false,
  };
  if (finding === "suspect") return { ...paid, suspect: !before.suspect };
  const { playback } = found;
  if (finding !== "same") return { ...paid, playback, changedAtMs: nowMs, pollsPastEnd: 0 };
  return { ...paid, playback, pollsPastEnd: isAtEnd(playback) ? before.pollsPastEnd + 1 : 0 };
}

/** The polls that may be made at a given time. */
export function budgetAt(state: PollState, nowMs: number, pace: Pace): number {
  const passedMs = Math.max(0, nowMs - state.lastPollMs);
  const earned = (passedMs * perHour(state, pace)) / HOUR_MS;
  return Math.min(MOST_SAVED, state.budget + earned);
}

/**
 * When the next poll is due.
 * @param leastIntervalMs least time between regular polls, so that other users get their share of
 *   the request budget
 */
export function nextPoll(state: PollState, leastIntervalMs: number, pace: Pace): NextPoll {
  const { playback, lastPollMs, pollsPastEnd, budget } = state;
  if (state.suspect && budget >= DEEPEST_DEBT)
    return { atMs: lastPollMs + ASK_AGAIN_MS, atEnd: true };
  const intervalMs = Math.max(leastIntervalMs, pace.everyMs ?? intervalMsOf(state, pace));
  const regular = { atMs: regularAtMs(state, intervalMs, pace), atEnd: false };
  const endMs = playback?.state === "playing" ? expectedEndMs(playback) : undefined;
  if (endMs === undefined || budget < DEEPEST_DEBT) return regular;
  if (pace.everyMs !== undefined) {
    const waitMs = PAST_END_MS[pollsPastEnd - 1] ?? intervalMs;
    const soonMs = pollsPastEnd === 0 ? endMs + AFTER_END_MS : lastPollMs + waitMs;
    return soonMs < regular.atMs ? { atMs: soonMs, atEnd: true } : regular;
  }
  if (pollsPastEnd === 0) {
    return regular.atMs < endMs - BEFORE_END_MS
      ? regular
      : { atMs: endMs + AFTER_END_MS, atEnd: true };
  }
  const waitMs = PAST_END_MS[pollsPastEnd - 1];
  return waitMs === undefined ? regular : { atMs: lastPollMs + waitMs, atEnd: true };
}

function regularAtMs({ askedAtMs, lastPollMs }: PollState, intervalMs: number, pace: Pace): number {
  if (pace.quickMs === undefined) return lastPollMs + intervalMs;
  // The time that an answer takes counts, but calls do not follow each other without a break.
  return Math.max(askedAtMs + intervalMs, lastPollMs + intervalMs / 2);
}

const isQuiet = ({ playback }: Pick<PollState, "playback">): boolean =>
  playback?.state !== "playing";

/** Polls earned per hour. A fresh pause earns as many as music, since it is polled as often. */
const perHour = (state: PollState, pace: Pace): number =>
  isQuiet(state) && quietMs(state) > FRESH_PAUSE_MS ? pace.quietPerHour : pace.playingPerHour;

const quietMs = ({ lastPollMs, changedAtMs }: PollState): number => lastPollMs - changedAtMs;

const restlessnessAt = ({ restlessness, lastPollMs }: PollState, nowMs: number): number =>
  restlessness * Math.exp(-Math.max(0, nowMs - lastPollMs) / RESTLESS_MS);

function intervalMsOf(state: PollState, pace: Pace): number {
  const { budget } = state;
  const earningMs = HOUR_MS / perHour(state, pace);
  // With a negative budget, after a burst of polls, each poll waits until it is earned.
  const longestMs = isQuiet(state) ? LONGEST_QUIET_MS : Number.POSITIVE_INFINITY;
  if (budget < 0) return Math.min(earningMs * (1 - budget), longestMs);
  // On average, polls are used as fast as they are earned. Saved polls shorten the interval.
  const usualMs =
    pace.quickMs ?? (HOUR_MS / pace.playingPerHour) * (1.15 - 0.3 * (budget / MOST_SAVED));
  if (isQuiet(state)) {
    const age = Math.max(1, quietMs(state) / FRESH_PAUSE_MS);
    return Math.min(usualMs * Math.sqrt(age), longestMs);
  }
  if (pace.quickMs !== undefined) return usualMs;
  const likelyMs = usualMs * Math.sqrt(USUAL_RATE / changeRate(state));
  return Math.min(Math.max(likelyMs, SHORTEST_MS), Math.max(LONGEST_MS, usualMs));
}

/** The rate of change at which {@link intervalMsOf} uses the usual interval. */
const USUAL_RATE = 1 / 28;

/** The expected rate of unforeseeable changes per second, while something plays. */
function changeRate({ playback, lastPollMs, restlessness }: PollState): number {
  const positionMs = playback ? positionAt(playback, lastPollMs) : 0;
  const young = positionMs < YOUNG_TRACK_MS ? YOUNG_RATE : 0;
  return CALM_RATE + young + RESTLESS_RATE * restlessness;
}

/** When the track will reach its end; `undefined` when it has none, or its position is unknown. */
function expectedEndMs(playback: Playback): number | undefined {
  const endsAtMs = endOf(playback);
  return endsAtMs === Infinity || playback.positionUnknown ? undefined : endsAtMs;
}

function isAtEnd(playback: Playback | null): boolean {
  if (playback?.state !== "playing" || playback.track.durationMs === null) return false;
  return playback.positionMs > playback.track.durationMs - AT_END_MS;
}

/** A position that differs by more than this from what was expected is a seek. */
const SEEK_MS = 1_500;

/** Whether an answer is as expected: the same track continues, or the same pause or silence. */
export function continues(
  current: Playback | null | undefined,
  answer: Playback | null,
  nowMs: number,
): boolean {
  if (!current || !answer) return current === answer;
  return (
    isSameSong(current, answer) &&
    current.state === answer.state &&
    Math.abs(positionAt(current, nowMs) - positionAt(answer, nowMs)) <= SEEK_MS
  );
}

/** Whether the track before a change had reached its end, with some tolerance for a cross-fade. */
export function hadEnded(current: Playback | null | undefined, nowMs: number): boolean {
  if (current?.state !== "playing" || current.track.durationMs === null) return false;
  return positionAt(current, nowMs) >= current.track.durationMs - SEEK_MS;
}
