/**
 * A map of limited size: when it is full, the entry that was set longest ago is removed.
 * @param weigh how much a value counts towards `most`; by default each value counts as one
 */
export function createBoundedMap<Key, Value extends NonNullable<unknown>>(
  most: number,
  weigh: (value: Value) => number = () => 1,
) {
  const kept = new Map<Key, Value>();
  let weight = 0;

  const take = (key: Key): Value | undefined => {
    const value = kept.get(key);
    if (value === undefined) return undefined;
    kept.delete(key);
    weight -= weigh(value);
    return value;
  };

  return {
    get: (key: Key) => kept.get(key),
    /** Setting an existing key again makes it the newest entry. */
    set(key: Key, value: Value) {
      take(key);
      kept.set(key, value);
      weight += weigh(value);
      // Not before: where much was removed, it takes a while to find the oldest entry.
      if (weight <= most) return;
      for (const oldest of kept.keys()) {
        take(oldest);
        if (weight <= most) break;
      }
    },
    /** Removes a value and returns it. */
    take,
    /** The one that was set longest ago comes first. */
    entries: () => kept.entries(),
    clear() {
      kept.clear();
      weight = 0;
    },
  };
}
