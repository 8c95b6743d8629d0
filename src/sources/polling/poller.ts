import type { Clock } from "../../clock.ts";
import type { Playback } from "../../playback.ts";
import type { Demand } from "../source.ts";
import {
  afterPoll,
  budgetAt,
  findingOf,
  nextPoll,
  type Pace,
  type PollState,
  type Suspicion,
} from "./cadence.ts";
import type { RequestBudget, Urgency } from "./request-budget.ts";

export interface PollDeps {
  readonly clock: Clock;
  readonly demand: Demand;
  readonly signal: AbortSignal;
  /** The pace at this moment. */
  pace(): Pace;
  /** Spaces polls where all users share a limit; absent where users do not share an upstream. */
  readonly budget?: Pick<RequestBudget, "leastIntervalMs">;
  /** The results of polls so far. The source keeps it, so that it lasts beyond one `watch`. */
  readonly memory: { state: PollState };
  /** Polls the upstream once. An error ends the polling. */
  ask(urgency: Urgency, signal: AbortSignal): Promise<Playback | null>;
  /** For upstreams that sometimes give a stale answer. */
  readonly isSuspect?: Suspicion;
}

/** A request for the current state brings a poll forward only this long after the last poll. */
const BETWEEN_REQUESTS_MS = 4_000;
/** A request this long after the last poll, plus the least interval, counts as a regular poll. */
const EARNED_MS = 4_500;

/** Polls an upstream when a poll is due or requested; yields all answers that are not suspect. */
export async function* poll(deps: PollDeps): AsyncGenerator<Playback | null, void> {
  const { clock, demand, signal, memory } = deps;
  const leastIntervalMs = () => deps.budget?.leastIntervalMs() ?? 0;

  const sleepUntil = async (atMs: number, ending: AbortSignal): Promise<"due"> => {
    await clock.sleep(Math.max(0, atMs - clock.monotonicMs()), ending);
    return "due";
  };

  const sinceLastPollMs = () => clock.monotonicMs() - memory.state.lastPollMs;

  /** Whether a request may bring a poll forward. */
  const mayAnswer = (): boolean =>
    sinceLastPollMs() >= BETWEEN_REQUESTS_MS &&
    budgetAt(memory.state, clock.monotonicMs(), deps.pace()) >= 0;

  /** A connection that has waited for its share of the budget gets the regular urgency. */
  const urgencyOfRequest = (): Urgency =>
    sinceLastPollMs() >= leastIntervalMs() + EARNED_MS ? "regular" : "asked";

  /** Resolves when the next poll is due, with its urgency. */
  const nextOccasion = async (): Promise<Urgency> => {
    while (!signal.aborted) {
      const next = demand.watched
        ? nextPoll(memory.state, leastIntervalMs(), deps.pace())
        : undefined;
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
    const askedAtMs = clock.monotonicMs();
    const answer = await deps.ask(urgency, signal);
    const nowMs = clock.monotonicMs();
    const finding = findingOf(memory.state, answer, nowMs, deps.isSuspect);
    const result = { playback: answer, finding, askedAtMs, nowMs };
    memory.state = afterPoll(memory.state, result, deps.pace());
    if (finding !== "suspect") yield answer;
    urgency = await nextOccasion();
  }
}
