import type { UpstreamPause } from "../../accounts/upstreams.ts";
import type { Clock } from "../../clock.ts";
import { type Demand, SourceFailure } from "../source.ts";

/**
 * What a call is for decides how much of the budget it may use: the poll at the end of a track is on
 * time while regular polls wait, and a poll that somebody's request brings forward never takes the
 * place of others.
 */
export type Urgency = "trackEnd" | "regular" | "asked";

/** The one way to an upstream whose limits count for all users of an app together. */
export interface RequestBudget {
  /**
   * Resolves when a call may be made, and counts it; resolves early when the signal aborts.
   * @throws {SourceFailure} while the upstream has asked for a pause
   */
  enter(urgency: Urgency, signal: AbortSignal): Promise<void>;
  /** Rejects with a {@link SourceFailure} while the upstream has asked for a pause. */
  refuseWhileClosed(): Promise<void>;
  /** The upstream has asked for a pause. Remembered over restarts. */
  close(retryAfter: string | null, message: string): Promise<SourceFailure>;
  /** Takes in a user who is watched; the result ends that. */
  join(demand: Pick<Demand, "watched">): () => void;
  /** How far apart regular polls of one user are, so that all who are watched get their share. */
  leastIntervalMs(): number;
}

/** Remembers a pause over restarts. */
export interface PauseMemory {
  recall(): Promise<UpstreamPause | undefined>;
  remember(pause: UpstreamPause): Promise<void>;
}

export interface RequestBudgetDeps {
  readonly clock: Clock;
  /** As people know the upstream, such as `Spotify`. */
  readonly upstream: string;
  /** Most calls in any window of `windowMs`. */
  readonly budget: number;
  readonly windowMs: number;
  readonly memory: PauseMemory;
}

/** More than the upstream's own window, because calls may arrive closer together than they left. */
const MARGIN_MS = 1_000;
/** The part of the window that may be used when a call of this kind enters. */
const SHARES: Readonly<Record<Urgency, number>> = { trackEnd: 1, regular: 0.92, asked: 0.6 };
/** Regular polls are planned for less than they may use, so that they seldom queue. */
const PLANNED_SHARE = 0.8;
/** When the header is missing or is no number. */
const USUAL_PAUSE_MS = 30_000;
/** Longer than any that was seen; what asks for more is no number of seconds. */
const LONGEST_PAUSE_MS = 7 * 86_400_000;
const ORDER: readonly Urgency[] = ["trackEnd", "regular", "asked"];

interface Waiting {
  readonly admit: () => void;
}

export function createRequestBudget(deps: RequestBudgetDeps): RequestBudget {
  const { clock, upstream, budget, memory } = deps;
  const windowMs = deps.windowMs + MARGIN_MS;
  const sentAtMs: number[] = [];
  const queues: Record<Urgency, Set<Waiting>> = {
    trackEnd: new Set(),
    regular: new Set(),
    asked: new Set(),
  };
  const members = new Set<Pick<Demand, "watched">>();
  let cancelReview: (() => void) | undefined;
  /** Monotonic, so that a jump of the wall clock neither shortens nor lengthens a pause. */
  let closedUntilMs = Number.NEGATIVE_INFINITY;
  let recalled: Promise<void> | undefined;

  const recall = async () => {
    const pause = await memory.recall().catch(() => {
      // What cannot be read now is asked for again with the next call.
      recalled = undefined;
      return undefined;
    });
    if (!pause) return;
    const { from, until } = pause;
    // A wall clock that was set back must not make the pause longer than it was.
    const restMs = Math.min(until - clock.wallMs(), until - from);
    closedUntilMs = Math.max(closedUntilMs, clock.monotonicMs() + restMs);
  };

  const open = async () => {
    recalled ??= recall();
    await recalled;
    const restMs = closedUntilMs - clock.monotonicMs();
    if (restMs > 0) throw pauseFailure(restMs, `${upstream} has asked for a pause`);
  };

  const used = (): number => {
    const sinceMs = clock.monotonicMs() - windowMs;
    while (sentAtMs[0] !== undefined && sentAtMs[0] <= sinceMs) sentAtMs.shift();
    return sentAtMs.length;
  };

  const hasRoom = (urgency: Urgency): boolean =>
    used() < Math.max(1, Math.floor(budget * SHARES[urgency]));

  const admitWaiting = () => {
    cancelReview?.();
    cancelReview = undefined;
    for (const urgency of ORDER) {
      for (const waiting of queues[urgency]) {
        if (!hasRoom(urgency)) break;
        queues[urgency].delete(waiting);
        sentAtMs.push(clock.monotonicMs());
        waiting.admit();
      }
    }
    const [oldest] = sentAtMs;
    if (oldest === undefined || ORDER.every((urgency) => queues[urgency].size === 0)) return;
    const delayMs = Math.max(1, oldest + windowMs - clock.monotonicMs());
    cancelReview = clock.after(delayMs, admitWaiting);
  };

  return {
    refuseWhileClosed: open,
    async enter(urgency, signal) {
      await open();
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        const leave = () => {
          queues[urgency].delete(waiting);
          finish();
        };
        const finish = () => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        const waiting: Waiting = { admit: finish };
        signal.addEventListener("abort", leave);
        queues[urgency].add(waiting);
        admitWaiting();
      });
      // Somebody else's call may have been refused while this one waited.
      if (!signal.aborted) await open();
    },
    async close(retryAfter, message) {
      recalled ??= recall();
      await recalled;
      const pauseMs = retryAfterMsOf(retryAfter);
      const nowMs = clock.monotonicMs();
      if (nowMs + pauseMs > closedUntilMs) {
        closedUntilMs = nowMs + pauseMs;
        const from = clock.wallMs();
        // Without room on the disk the pause is kept as long as this server runs.
        await memory.remember({ from, until: from + pauseMs }).catch(() => {});
      }
      return pauseFailure(closedUntilMs - nowMs, message);
    },
    join(demand) {
      members.add(demand);
      return () => void members.delete(demand);
    },
    leastIntervalMs() {
      let watchedUsers = 0;
      for (const { watched } of members) if (watched) watchedUsers += 1;
      return (watchedUsers * windowMs) / (budget * PLANNED_SHARE);
    },
  };
}

/** A `Retry-After` in seconds; missing or garbled is half a minute, and nothing is under a second. */
export function retryAfterMsOf(text: string | null): number {
  const seconds = text === null || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(seconds) && seconds >= 0
    ? Math.min(Math.max(1, Math.ceil(seconds)) * 1000, LONGEST_PAUSE_MS)
    : USUAL_PAUSE_MS;
}

function pauseFailure(afterMs: number, message: string): SourceFailure {
  return new SourceFailure({ kind: "retryLater", afterMs, reason: "limited" }, message);
}
