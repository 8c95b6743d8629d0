import { isPassing } from "../db/open.ts";

type Write = () => unknown;

/**
 * Writes that nobody waits for. What a lock or a full disk stands in the way of is kept and tried
 * again, until it is stored or a later word takes its place.
 */
export interface DeferredWrites {
  /**
   * Tries to write at once. Rejects when that fails; what may succeed later is then left to `retry`.
   * A write takes the place of an earlier one of the same name.
   */
  write(name: string, write: Write): Promise<void>;
  /** Tries what is left, up to the first that fails again. Rejects when something never can succeed. */
  retry(): Promise<void>;
  /** How many are left. */
  waiting(): number;
}

export function createDeferredWrites(): DeferredWrites {
  const left = new Map<string, Write>();
  let lastTurn: Promise<void> = Promise.resolve();

  /** One after the other: an older word must not be stored after a newer one. */
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
