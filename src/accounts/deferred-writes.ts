import { isPassing } from "../db/errors.ts";

type Write = () => unknown;

/**
 * Writes that nobody waits for. If a lock or a full disk prevents one, it is kept and retried
 * until it is stored or a newer one of its name replaces it.
 */
export interface DeferredWrites {
  /**
   * Tries to write at once. Rejects on failure; `retry` then repeats what may still succeed.
   * A write replaces an earlier one of the same name.
   */
  write(name: string, write: Write): Promise<void>;
  /**
   * The same in a later turn of the event loop: once a turn has brought no more of this name, or after
   * some turns that did. A write can store all that is noted until then.
   */
  writeSoon(name: string, write: Write): Promise<void>;
  /** Retries the kept writes, up to the first that fails. Rejects if one can never succeed. */
  retry(): Promise<void>;
  /** How many are kept. */
  waiting(): number;
}

export function createDeferredWrites(): DeferredWrites {
  const left = new Map<string, Write>();
  const planned = new Map<string, PlannedWrite>();
  let lastTurn: Promise<void> = Promise.resolve();

  /** One at a time: an older value must not be stored after a newer one. */
  const attempt = (name: string, write: Write): Promise<void> => {
    const turn = lastTurn.then(async () => {
      if (left.get(name) !== write) return;
      try {
        await write();
      } catch (error) {
        if (!isPassing(error)) forget(name, write);
        throw error;
      }
      forget(name, write);
    });
    lastTurn = turn.catch(() => {});
    return turn;
  };

  const forget = (name: string, write: Write) => {
    if (left.get(name) === write) left.delete(name);
  };

  return {
    write(name, write) {
      left.set(name, write);
      return attempt(name, write);
    },
    writeSoon(name, write) {
      left.set(name, write);
      const known = planned.get(name);
      if (known) {
        known.calls += 1;
        return known.done;
      }
      const plan: PlannedWrite = { calls: 1, done: Promise.resolve() };
      planned.set(name, plan);
      plan.done = calmed(plan).then(() => {
        planned.delete(name);
        return attempt(name, write);
      });
      return plan.done;
    },
    async retry() {
      for (const [name, write] of [...left]) {
        try {
          await attempt(name, write);
        } catch (error) {
          if (isPassing(error)) return;
          throw error;
        }
      }
    },
    waiting: () => left.size,
  };
}

/** A write that waits for others of its name, which it then stores too. */
interface PlannedWrite {
  calls: number;
  done: Promise<void>;
}

/** So many turns that bring more are waited for, so that what is stored at once takes few milliseconds. */
const MOST_TURNS = 5;

/** Resolves after a turn without a call, or after some. */
async function calmed(plan: Pick<PlannedWrite, "calls">): Promise<void> {
  let stored = 0;
  for (let turn = 0; turn < MOST_TURNS && stored !== plan.calls; turn++) {
    stored = plan.calls;
    await nextTurn();
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
