/** Counts the calls to an upstream of all nodes that share an app's limit. */
export interface Ledger {
  /**
   * How many of the wanted calls may be made now, in the order of the limits. Counts them. Rejects
   * while the count cannot be reached: then no call may be made.
   */
  take(wants: readonly number[]): Promise<Grant>;
  /** How many users other nodes watch all the time. */
  watchedElsewhere(): number;
  /** Sets how the users are counted that this node watches all the time. */
  countWatched(count: () => number): void;
  /** Tells the other nodes that the upstream has asked for a pause, in milliseconds. */
  close(pauseMs: number): void;
  onClose(listener: (pauseMs: number) => void): void;
}

export interface Grant {
  readonly granted: readonly number[];
  /** When the oldest call leaves the window, in milliseconds. */
  readonly roomInMs: number;
}

/** A ledger for one budget: a call of a kind is made while fewer than its limit are counted. */
export type LedgerOf = (budget: {
  readonly upstream: string;
  readonly limits: readonly number[];
  readonly windowMs: number;
}) => Ledger;
