import type { UpstreamPause } from "../../accounts/upstreams.ts";
import type { Clock } from "../../clock.ts";
import { type Demand, retryLater, type SourceFailure } from "../source.ts";
import { retryAfterMsOf } from "../../upstream/retry-after.ts";
import { createCallWindow } from "./call-window.ts";

/**
 * The purpose of a call, which decides how much of the budget it may use. A poll at the end of a
 * track is made on time while regular polls wait. A poll that a request brings forward (`asked`)
 * never takes the place of others.
 */
export type Urgency = "trackEnd" | "regular" | "asked";

/** Every call passes here to an upstream that limits all users of an app together. */
export type RequestBudget = ReturnType<typeof createRequestBudget>;

/** What a budget keeps outside of this server: a pause, so that it is kept over restarts. */
export interface PauseMemory {
  recall(): UpstreamPause | undefined;
  remember(pause: UpstreamPause): Promise<void>;
}

export interface RequestBudgetDeps {
  readonly clock: Clock;
  /** The upstream's display name, such as `Spotify`. */
  readonly upstream: string;
  /** Most calls in any window of `windowMs`. */
  readonly budget: number;
  readonly windowMs: number;
  readonly memory: PauseMemory;
}

/** Added to the upstream's window, because calls may arrive closer together than they were sent. */
const MARGIN_MS = 1_000;
/** A call of this urgency enters only while less than this share of the budget is used. */
const SHARES: Readonly<Record<Urgency, number>> = { trackEnd: 1, regular: 0.92, asked: 0.6 };
/** Regular polls are planned for less than the share they may use, so that they seldom queue. */
const PLANNED_SHARE = 0.8;
const ORDER: readonly Urgency[] = ["trackEnd", "regular", "asked"];

/** No user is polled more often, however large the budget is. */
const QUICKEST_MS = 1_250;
/** The part of the budget that a quick pace may use; the rest is for ends of tracks and requests. */
const QUICK_PART = 0.5;
/** An answer that takes this long shows that the upstream is overloaded. */
const SLOW_ANSWER_MS = 2_000;
/** After a slow answer, or a pause, an upstream is spared a quick pace for this long. */
const SPARED_MS = 120_000;
/**
 * After a long pause it is spared this many times as long as the pause: an upstream that refuses for
 * hours counts the calls of a day, and would soon refuse again.
 */
const SPARED_PER_PAUSE = 4;

export function createRequestBudget(deps: RequestBudgetDeps) {
  const { clock, budget } = deps;
  const windowMs = deps.windowMs + MARGIN_MS;
  const queues: Record<Urgency, Set<() => void>> = {
    trackEnd: new Set(),
    regular: new Set(),
    asked: new Set(),
  };
  const members = new Set<{ readonly demand: Pick<Demand, "watched"> }>();
  let cancelReview: (() => void) | undefined;
  let sparedUntilMs = Number.NEGATIVE_INFINITY;

  const spare = (pauseMs: number) => {
    const sparedMs = pauseMs + Math.max(SPARED_MS, pauseMs * SPARED_PER_PAUSE);
    sparedUntilMs = Math.max(sparedUntilMs, clock.monotonicMs() + sparedMs);
  };

  const { refuseWhileClosed, close } = createPause(deps, spare);
  const limitOf = (urgency: Urgency): number => Math.max(1, Math.floor(budget * SHARES[urgency]));
  const takeCalls = createCallWindow(clock, ORDER.map(limitOf), windowMs);

  const isAnybodyWaiting = () => ORDER.some((urgency) => queues[urgency].size > 0);

  /** Admits as many as the window has room for, and the others when it has. */
  const admitWaiting = () => {
    cancelReview?.();
    cancelReview = undefined;
    const { granted, roomInMs } = takeCalls(ORDER.map((urgency) => queues[urgency].size));
    ORDER.forEach((urgency, index) => {
      for (const admit of [...queues[urgency]].slice(0, granted[index])) {
        queues[urgency].delete(admit);
        admit();
      }
    });
    if (isAnybodyWaiting()) cancelReview = clock.after(Math.max(1, roomInMs), admitWaiting);
  };

  const watchedUsers = () => {
    let count = 0;
    for (const { demand } of members) if (demand.watched) count += 1;
    return count;
  };
  return {
    refuseWhileClosed,
    /**
     * Resolves when a call may be made, and counts it; resolves early when the signal aborts.
     * @throws {SourceFailure} while the upstream has asked for a pause
     */
    async enter(urgency: Urgency, signal: AbortSignal) {
      refuseWhileClosed();
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        const leave = () => {
          queues[urgency].delete(finish);
          finish();
        };
        const finish = () => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        signal.addEventListener("abort", leave);
        queues[urgency].add(finish);
        admitWaiting();
      });
      // The upstream may have asked for a pause while this call waited.
      if (!signal.aborted) refuseWhileClosed();
    },
    close,
    /** Adds a user to those who share the budget; call the result to remove the user. */
    join(demand: Pick<Demand, "watched">) {
      // All connections of a user have the same demand, and each of them polls.
      const member = { demand };
      members.add(member);
      return () => void members.delete(member);
    },
    /** Least time between regular polls of one user, so that all watched users get their share. */
    leastIntervalMs: () => (watchedUsers() * windowMs) / (budget * PLANNED_SHARE),
    /** Call this with the time that a call took: after slow answers the upstream is spared. */
    noteAnswer(tookMs: number) {
      if (tookMs >= SLOW_ANSWER_MS) spare(0);
    },
    /** Time between regular polls of one user while few are watched; `Infinity` while the upstream is spared. */
    quickIntervalMs() {
      if (clock.monotonicMs() < sparedUntilMs) return Infinity;
      return Math.max(QUICKEST_MS, (watchedUsers() * windowMs) / (budget * QUICK_PART));
    },
  };
}

/**
 * The pauses that the upstream asks for.
 * @param spare is called with the length of each, in milliseconds
 */
function createPause(
  { clock, upstream, memory }: RequestBudgetDeps,
  spare: (pauseMs: number) => void,
) {
  /** Monotonic, so that a jump of the wall clock neither shortens nor lengthens a pause. */
  let closedUntilMs = Number.NEGATIVE_INFINITY;
  /** Whether the last pause was read. */
  let isRecalled = false;

  const readLast = () => {
    const last = memory.recall();
    isRecalled = true;
    if (!last) return;
    const { from, until } = last;
    // A wall clock that was set back must not make the pause longer.
    const restMs = Math.min(until - clock.wallMs(), until - from);
    closedUntilMs = Math.max(closedUntilMs, clock.monotonicMs() + restMs);
    if (restMs > 0) spare(restMs);
  };
  const recall = () => {
    try {
      if (!isRecalled) readLast();
    } catch {
      // It cannot be read now: the next call tries again.
    }
  };

  return {
    /** @throws {SourceFailure} while the upstream has asked for a pause. */
    refuseWhileClosed() {
      recall();
      const restMs = closedUntilMs - clock.monotonicMs();
      if (restMs > 0) throw retryLater(restMs, "limited", `${upstream} has asked for a pause`);
    },
    /** Call this when the upstream has asked for a pause. The pause is kept over restarts. */
    async close(retryAfter: string | null, message: string): Promise<SourceFailure> {
      recall();
      const pauseMs = retryAfterMsOf(retryAfter, clock.wallMs());
      const nowMs = clock.monotonicMs();
      spare(pauseMs);
      if (nowMs + pauseMs > closedUntilMs) {
        closedUntilMs = nowMs + pauseMs;
        const from = clock.wallMs();
        // If the disk is full, the pause is kept only while this server runs.
        await memory.remember({ from, until: from + pauseMs }).catch(() => {});
      }
      return retryLater(closedUntilMs - nowMs, "limited", message);
    },
  };
}
