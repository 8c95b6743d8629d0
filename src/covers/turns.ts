import type { Clock } from "../clock.ts";
import { createInTurn } from "../in-turn.ts";
import type { LedgerOf } from "../sources/polling/ledger.ts";
import { Overloaded } from "./services.ts";

/** Lets one search of a service run at a time, on all nodes together, and none during a pause. */
export interface SearchTurns {
  /**
   * Runs work when its turn comes.
   * @throws {Overloaded} during a pause, or what the work throws
   */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** The least time between two searches: MusicBrainz takes one a second from an address. */
const EVERY_MS = 1_100;
/** While a search runs, it is counted again so often, which keeps the others waiting. */
const HOLD_EVERY_MS = 500;
/** More than are counted in the time between two searches. */
const MOST_HOLDS = 100;
/** A grant that comes later may be over before it is counted again. */
const GRANT_HOLDS_MS = 300;
/** The ledger cannot be reached, or is too slow. */
const RETRY_MS = 1_000;
const MOST_RETRIES = 5;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

export interface TurnsDeps {
  readonly clock: Clock;
  /** Counts the searches of all nodes. */
  readonly ledgerOf: LedgerOf;
  /** The service's name. */
  readonly service: string;
}

export function createSearchTurns({ clock, ledgerOf, service }: TurnsDeps): SearchTurns {
  const ledger = ledgerOf({
    upstream: `covers ${service}`,
    limits: [1, MOST_HOLDS],
    windowMs: EVERY_MS,
  });
  const never = new AbortController().signal;
  let pausedUntilMs = -Infinity;
  let nextPauseMs = FIRST_PAUSE_MS;
  const inTurn = createInTurn();

  const pause = (ms: number) => {
    pausedUntilMs = Math.max(pausedUntilMs, clock.monotonicMs() + ms);
    nextPauseMs = Math.min(2 * ms, LONGEST_PAUSE_MS);
  };
  ledger.onClose(pause);

  const refuseDuringPause = () => {
    if (clock.monotonicMs() < pausedUntilMs) throw new Overloaded(`${service} has a pause`);
  };

  const enter = async () => {
    for (let failures = 0; ;) {
      refuseDuringPause();
      let waitMs = RETRY_MS;
      try {
        const askedAtMs = clock.monotonicMs();
        const { granted, roomInMs } = await ledger.take([1, 0]);
        if (clock.monotonicMs() - askedAtMs > GRANT_HOLDS_MS) throw new Error("it came too late");
        if (granted[0] === 1) return;
        waitMs = Math.max(1, roomInMs);
      } catch (error) {
        // Without the count of all nodes nothing is searched.
        failures += 1;
        if (failures > MOST_RETRIES) throw error;
      }
      await clock.sleep(waitMs, never);
    }
  };

  /** Counts again, at once and until the result is called. */
  const hold = (): (() => void) => {
    let cancel = () => {};
    const count = () => {
      Promise.resolve(ledger.take([0, 1])).catch(() => {});
      cancel = clock.after(HOLD_EVERY_MS, count);
    };
    count();
    return () => cancel();
  };

  const run = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await enter();
    const release = hold();
    try {
      refuseDuringPause();
      const result = await work();
      nextPauseMs = FIRST_PAUSE_MS;
      return result;
    } catch (error) {
      if (error instanceof Overloaded && clock.monotonicMs() >= pausedUntilMs) {
        const pauseMs = nextPauseMs;
        pause(pauseMs);
        ledger.close(pauseMs);
      }
      throw error;
    } finally {
      release();
    }
  };

  return {
    take: (work) => inTurn(() => run(work)),
  };
}
