import { nextTurn } from "../next-turn.ts";

/** How many are read at once, in about a millisecond: requests are answered in between. */
const MOST_AT_ONCE = 100;

/**
 * Reads together what is asked for in one turn of the event loop. A query for many costs little more
 * than one for a single row, and after a start thousands of users ask for theirs at once.
 * @param readAll what is found, by its key; what is missing is not in it
 */
export function createBatch<Key, Found>(
  readAll: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>,
): (key: Key) => Promise<Found | undefined> {
  interface Batch {
    readonly keys: Key[];
    readonly found: Promise<ReadonlyMap<Key, Found>>;
  }
  let next: Batch | undefined;

  const begin = (): Batch => {
    const keys: Key[] = [];
    const found = nextTurn().then(() => {
      if (next?.keys === keys) next = undefined;
      return readAll(keys);
    });
    return { keys, found };
  };

  return async (key) => {
    if (!next || next.keys.length === MOST_AT_ONCE) next = begin();
    next.keys.push(key);
    return (await next.found).get(key);
  };
}
