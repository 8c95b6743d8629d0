import { isPassing } from "./errors.ts";
import { nextTurn } from "../next-turn.ts";

/** What it writes is stored when it returns; a promise is for those who follow it. */
type Write = () => unknown;

/**
 * Writes that nobody waits for. If a lock or a full disk prevents one, it is kept and retried
 * until it is stored or a newer one of its name replaces it.
 */
export function createDeferredWrites() {
  const left = new Map<string, Write>();
  const planned = new Map<string, PlannedWrite>();
  /** Names of which much was stored a moment ago. */
  const crowded = new Set<string>();
  let expected = 0;

  const attempt = async (name: string, write: Write): Promise<void> => {
    left.delete(name);
    try {
      await write();
    } catch (error) {
      if (isPassing(error)) left.set(name, write);
      throw error;
    }
  };

  return {
    /**
     * Tries to write at once. Rejects on failure; `retry` then repeats what may still succeed.
     * A write replaces an earlier one of the same name.
     */
    write: attempt,
    /**
     * The same in the event loop's next turn, or some milliseconds after one that stored many: a write
     * can store all that is noted until then.
     */
    writeSoon(name: string, write: Write) {
      left.set(name, write);
      const known = planned.get(name);
      if (known) {
        known.calls += 1;
        return known.done;
      }
      const waited = crowded.delete(name) ? Bun.sleep(AFTER_CROWD_MS) : nextTurn();
      const done = waited.then(async () => {
        planned.delete(name);
        if (plan.calls >= CROWD) crowded.add(name);
        const last = left.get(name);
        if (last) await attempt(name, last);
      });
      const plan: PlannedWrite = { calls: 1, done };
      planned.set(name, plan);
      return done;
    },
    /**
     * Work in which something is written that cannot be had again, such as tokens that are given out once. It
     * counts as a write that is kept, so a stop waits for it.
     */
    async expect<Result>(work: Promise<Result>) {
      expected += 1;
      return work.finally(() => {
        expected -= 1;
      });
    },
    /** Retries the kept writes, up to the first that fails. Rejects if one can never succeed. */
    async retry() {
      for (const [name, write] of [...left]) {
        try {
          if (left.get(name) === write) await attempt(name, write);
        } catch (error) {
          if (isPassing(error)) break;
          throw error;
        }
      }
    },
    /** How many are kept or expected. */
    waiting: () => left.size + expected,
  };
}

export type DeferredWrites = ReturnType<typeof createDeferredWrites>;

/** A write that others of its name join. */
interface PlannedWrite {
  calls: number;
  readonly done: Promise<void>;
}

/** After a write with so many calls, as after a start, more follow, and each transaction takes milliseconds. */
const CROWD = 32;
const AFTER_CROWD_MS = 50;
