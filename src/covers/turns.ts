import type { Clock } from "../clock.ts";
import { createInTurn } from "../in-turn.ts";
import { Overloaded } from "./services.ts";

/** The least time from one search to the next: MusicBrainz takes one a second from an address. */
const EVERY_MS = 1_100;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/**
 * Lets one search of a service run at a time, and none during a pause. Returns a function that runs
 * work when its turn comes, and throws {@link Overloaded} during a pause, or what the work throws.
 * @param service the service's name
 */
export function createSearchTurns(clock: Pick<Clock, "monotonicMs" | "sleep">, service: string) {
  const inTurn = createInTurn();
  let nextSearchAtMs = -Infinity;
  let pausedUntilMs = -Infinity;
  let nextPauseMs = FIRST_PAUSE_MS;

  const run = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (clock.monotonicMs() < pausedUntilMs) throw new Overloaded(`${service} has a pause`);
    const waitMs = nextSearchAtMs - clock.monotonicMs();
    if (waitMs > 0) await clock.sleep(waitMs);
    try {
      const result = await work();
      nextPauseMs = FIRST_PAUSE_MS;
      return result;
    } catch (error) {
      if (error instanceof Overloaded) {
        pausedUntilMs = clock.monotonicMs() + nextPauseMs;
        nextPauseMs = Math.min(2 * nextPauseMs, LONGEST_PAUSE_MS);
      }
      throw error;
    } finally {
      nextSearchAtMs = clock.monotonicMs() + EVERY_MS;
    }
  };

  return <Result>(work: () => Promise<Result>) => inTurn(() => run(work));
}
