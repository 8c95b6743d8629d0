import type { Clock } from "../../clock.ts";

/** Counts the calls to an upstream of all nodes that share an app's limit. */
export interface Ledger {
  /**
   * How many of the wanted calls may be made now, in the order of the limits. Counts them. Rejects
   * while the count cannot be reached: then no call may be made.
   */
  take(wants: readonly number[]): Promise<Grant> | Grant;
  /** How many users other nodes watch all the time. */
  watchedElsewhere(): number;
  /** Sets how the users are counted that this node watches all the time. */
  countWatched(count: () => number): void;
  /** Lets the other nodes know that the upstream has asked for a pause, in milliseconds. */
  close(pauseMs: number): void;
  onClose(listener: (pauseMs: number) => void): void;
}

export interface Grant {
  readonly granted: readonly number[];
  /** When the oldest call leaves the window, in milliseconds. */
  readonly roomInMs: number;
}

/** A ledger for one budget: a call of a kind is made while fewer than its limit are counted. */
export type LedgerOf = (budget: LedgerBudget) => Ledger;

export interface LedgerBudget {
  readonly upstream: string;
  readonly limits: readonly number[];
  readonly windowMs: number;
}

/** A ledger of this server alone, which grants at once. */
export function createLedger(
  { monotonicMs }: Pick<Clock, "monotonicMs">,
  { limits, windowMs }: Pick<LedgerBudget, "limits" | "windowMs">,
): Ledger {
  const takenAtMs: number[] = [];
  return {
    take(wants) {
      const nowMs = monotonicMs();
      while (takenAtMs[0] !== undefined && takenAtMs[0] <= nowMs - windowMs) takenAtMs.shift();
      const granted = wants.map((want, index) => {
        const room = (limits[index] ?? 0) - takenAtMs.length;
        const count = Math.max(0, Math.min(want, room));
        for (let call = 0; call < count; call++) takenAtMs.push(nowMs);
        return count;
      });
      return { granted, roomInMs: (takenAtMs[0] ?? nowMs) + windowMs - nowMs };
    },
    watchedElsewhere: () => 0,
    countWatched() {},
    close() {},
    onClose() {},
  };
}
