import { endOf, isSameSong, type Playback, positionAt } from "../../playback.ts";

/**
 * When to poll an upstream that does not report changes by itself. All functions are pure. Times
 * are monotonic milliseconds.
 *
 * While something plays, polls come at one interval, and right after the end of a track. The longer a
 * pause has lasted, the less likely it ends: when changes come at a rate λ and polls are limited, the
 * shown state is wrong for the least time if intervals are proportional to 1/√λ. Intervals that follow
 * the habits of listeners as well win nothing in simulated listening: `bun run bench` prints its results.
 */

/** What the polls of one connection have found. */
export interface PollState {
  /** What was believed last; `undefined` before the first answer. */
  readonly playback: Playback | null | undefined;
  /** What was believed before the latest change. */
  readonly before: Playback | null | undefined;
  /** When the last poll was answered. */
  readonly lastPollMs: number;
  /** When the last poll was made: earlier than its answer. */
  readonly askedAtMs: number;
  /** When the state last changed, as far as polls could see. */
  readonly changedAtMs: number;
  /** Polls that may be made now; unused ones are saved. Negative after a burst of polls. */
  readonly budget: number;
  /** Polls in a row that found the same track at its end, still playing. */
  readonly pollsPastEnd: number;
  /** Whether the last answer was suspect. */
  readonly suspect: boolean;
}

/** What a poll found. What is suspect is not believed, but polled again soon. */
export type Finding = "same" | "changed" | "suspect";

export interface Pace {
  /** From call to call while something plays or was paused a moment ago. */
  readonly everyMs: number;
  /** The longest interval during a pause or silence. */
  readonly longestMs: number;
}

export interface NextPoll {
  readonly atMs: number;
  /** Whether the poll should be exactly on time, usually because a track has just ended. */
  readonly atEnd: boolean;
}

const USUAL_MS = 4_100;
/** Longest interval while paused or silent, for upstreams that are to be spared. */
const LONGEST_QUIET_MS = 19_000;

/** A pace for upstreams that can be polled this often now; the usual one if it is not quicker. */
export const quickPace = (quickMs: number): Pace => ({
  everyMs: Math.min(quickMs, USUAL_MS),
  longestMs: LONGEST_QUIET_MS,
});

export const USUAL_PACE: Pace = quickPace(USUAL_MS);

/** A pace for upstreams that need not be spared. */
export const steadyPace = (everyMs: number): Pace => ({ everyMs, longestMs: everyMs });

/** Most polls that can be saved, for a minute with many changes. */
const MOST_SAVED = 16;
const FIRST_POLLS = 4;
/** Below this budget, track ends get no poll of their own: very short tracks end too often. */
const DEEPEST_DEBT = -6;
/** An interval earns this many polls: a quarter more than it uses, for the ends of tracks and for requests. */
const EARNED_POLLS = 1.25;

/** The upstream knows the next track this long after the end of a track. */
const AFTER_END_MS = 250;
/** Waits between polls that find a track still playing after its end. */
const PAST_END_MS = [600, 1_200, 2_500] as const;
/** A track this close to its end counts as ended. */
const AT_END_MS = 1_000;
/** A regular poll this close before a track's end is moved to the end. */
const BEFORE_END_MS = 1_500;
/** A pause this young is polled like music. An older one becomes less and less likely to end. */
const FRESH_PAUSE_MS = 45_000;
/** After a suspect answer there is one more poll after this time. */
const ASK_AGAIN_MS = 1_200;

/** The state before the first poll. */
export const newPollState = (nowMs: number): PollState => ({
  playback: undefined,
  before: undefined,
  lastPollMs: nowMs,
  askedAtMs: nowMs,
  changedAtMs: nowMs,
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
export function afterPoll(state: PollState, found: PollResult, pace: Pace): PollState {
  const { playback, finding, askedAtMs, nowMs } = found;
  const budget = budgetAt(state, nowMs, pace) - 1;
  const polled = { ...state, lastPollMs: nowMs, askedAtMs, budget, suspect: finding === "suspect" };
  switch (finding) {
    case "suspect":
      return polled;
    case "changed":
      return { ...polled, playback, before: state.playback, changedAtMs: nowMs, pollsPastEnd: 0 };
    case "same":
      return { ...polled, playback, pollsPastEnd: isAtEnd(playback) ? state.pollsPastEnd + 1 : 0 };
  }
}

/** The polls that may be made at a given time. */
export function budgetAt(state: PollState, nowMs: number, pace: Pace): number {
  const passedMs = Math.max(0, nowMs - state.lastPollMs);
  const earned = (EARNED_POLLS * passedMs) / intervalMsOf(state, pace);
  return Math.min(MOST_SAVED, state.budget + earned);
}

/**
 * When the next poll is due.
 * @param leastIntervalMs least time between regular polls, so that other users get their share of
 *   the request budget
 */
export function nextPoll(state: PollState, leastIntervalMs: number, pace: Pace): NextPoll {
  const { playback, askedAtMs, lastPollMs, pollsPastEnd, budget } = state;
  const intervalMs = Math.max(leastIntervalMs, intervalMsOf(state, pace));
  // The time that an answer takes counts, but calls do not follow each other without a break.
  const atMs = Math.max(askedAtMs + intervalMs, lastPollMs + intervalMs / 2);
  const regular = { atMs, atEnd: false };
  if (budget < DEEPEST_DEBT) return regular;
  if (state.suspect) return { atMs: lastPollMs + ASK_AGAIN_MS, atEnd: true };
  const endMs = expectedEndMs(playback);
  if (endMs === undefined) return regular;
  if (pollsPastEnd === 0) {
    // Where an upstream need not be spared, only what comes after the end is moved to it.
    const isSpared = pace.longestMs > pace.everyMs;
    const movedFromMs = isSpared ? endMs - BEFORE_END_MS : endMs + AFTER_END_MS;
    return atMs < movedFromMs ? regular : { atMs: endMs + AFTER_END_MS, atEnd: true };
  }
  const againMs = lastPollMs + (PAST_END_MS[pollsPastEnd - 1] ?? Infinity);
  return againMs < atMs ? { atMs: againMs, atEnd: true } : regular;
}

function intervalMsOf(
  { playback, lastPollMs, changedAtMs }: PollState,
  { everyMs, longestMs }: Pace,
): number {
  if (playback?.state === "playing") return everyMs;
  const age = Math.max(1, (lastPollMs - changedAtMs) / FRESH_PAUSE_MS);
  return Math.min(everyMs * Math.sqrt(age), longestMs);
}

/** When the track will reach its end; `undefined` when it does not, or its position is unknown. */
function expectedEndMs(playback: PollState["playback"]): number | undefined {
  if (playback?.state !== "playing" || playback.positionUnknown) return undefined;
  const endsAtMs = endOf(playback);
  return endsAtMs === Infinity ? undefined : endsAtMs;
}

function isAtEnd(playback: Playback | null): boolean {
  if (playback?.state !== "playing" || playback.track.durationMs === null) return false;
  return playback.positionMs > playback.track.durationMs - AT_END_MS;
}

/** A position that differs by more than this from what was expected is a seek. */
const SEEK_MS = 1_500;

/** Whether an answer may be stale. */
export type Suspicion = (state: PollState, answer: Playback | null, nowMs: number) => boolean;

/** What an answer means. One that is suspect is believed when it comes again. */
export function findingOf(
  state: PollState,
  answer: Playback | null,
  nowMs: number,
  isSuspect: Suspicion = () => false,
): Finding {
  if (continues(state.playback, answer, nowMs)) return "same";
  return !state.suspect && isSuspect(state, answer, nowMs) ? "suspect" : "changed";
}

/** Whether an answer is as expected: the same track continues, or the same pause or silence. */
function continues(
  current: PollState["playback"],
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
