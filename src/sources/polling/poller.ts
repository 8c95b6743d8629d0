import type { Clock } from "../../clock.ts";
import type { Playback } from "../../playback.ts";
import type { Demand } from "../source.ts";
import {
  afterPoll,
  budgetAt,
  continues,
  type Finding,
  hadEnded,
  nextPoll,
  type Pace,
  type PollState,
} from "./cadence.ts";
import type { RequestBudget, Urgency } from "./request-budget.ts";

export interface PollDeps {
  readonly clock: Clock;
  readonly demand: Demand;
  readonly signal: AbortSignal;
  readonly pace: Pace;
  /** Keeps polls apart, where all users share a limit; without it every user has an upstream alone. */
  readonly budget?: Pick<RequestBudget, "leastIntervalMs">;
  /** What polls have told so far. The source keeps it, so that it outlives one watching. */
  readonly memory: { state: PollState };
  /** Asks the upstream once. Its errors end the polling. */
  ask(urgency: Urgency, signal: AbortSignal): Promise<Playback | null>;
  /** What an answer is, for upstreams whose answers are not always to be believed. */
  classify?(answer: Playback | null, nowMs: number): Finding;
}

/** A request for the current state brings a poll forward, but not right after another one. */
const BETWEEN_REQUESTS_MS = 2_500;
/** Requests further apart than this are no burden. */
const EARNED_MS = 4_500;

/** Asks an upstream again and again, when it pays, and yields what is believed of its answers. */
export async function* poll(deps: PollDeps): AsyncGenerator<Playback | null, void> {
  const { clock, demand, signal, pace, memory } = deps;
  const leastIntervalMs = () => deps.budget?.leastIntervalMs() ?? 0;

  const classify = (answer: Playback | null, nowMs: number): Finding => {
    if (deps.classify) return deps.classify(answer, nowMs);
    const { playback } = memory.state;
    if (continues(playback, answer, nowMs)) return "same";
    return hadEnded(playback, nowMs) ? "expected" : "surprise";
  };

  const sleepUntil = async (atMs: number, ending: AbortSignal): Promise<"due"> => {
    await clock.sleep(Math.max(0, atMs - clock.monotonicMs()), ending);
    return "due";
  };

  const sinceLastPollMs = () => clock.monotonicMs() - memory.state.lastPollMs;

  /** Whether a request may bring a poll forward. */
  const mayAnswer = (): boolean =>
    sinceLastPollMs() >= BETWEEN_REQUESTS_MS &&
    budgetAt(memory.state, clock.monotonicMs(), pace) >= 0;

  /** Whoever has waited for a fair share of the budget need not stand behind the others. */
  const urgencyOfRequest = (): Urgency =>
    sinceLastPollMs() >= leastIntervalMs() + EARNED_MS ? "regular" : "asked";

  /** Resolves when the next poll is due, with what it is for. */
  const nextOccasion = async (): Promise<Urgency> => {
    while (!signal.aborted) {
      const next = demand.watched ? nextPoll(memory.state, leastIntervalMs(), pace) : undefined;
      const turn = new AbortController();
      const endTurn = () => turn.abort();
      signal.addEventListener("abort", endTurn);
      const change: Promise<"due" | "asked" | "changed"> = demand.nextChange(turn.signal);
      const event = await (next
        ? Promise.race([change, sleepUntil(next.atMs, turn.signal)])
        : change);
      signal.removeEventListener("abort", endTurn);
      endTurn();
      if (event === "due") return next?.atEnd ? "trackEnd" : "regular";
      if (event === "asked" && mayAnswer()) return urgencyOfRequest();
    }
    return "regular";
  };

  let urgency: Urgency = "regular";
  while (!signal.aborted) {
    const answer = await deps.ask(urgency, signal);
    const nowMs = clock.monotonicMs();
    const finding = classify(answer, nowMs);
    memory.state = afterPoll(memory.state, { playback: answer, finding, nowMs }, pace);
    if (finding !== "suspect") yield answer;
    urgency = await nextOccasion();
  }
}
