/** A map that holds only so much: what was set longest ago makes room. */
export interface BoundedMap<Key, Value> {
  get(key: Key): Value | undefined;
  /** Whoever sets what was there already has it stay longer. */
  set(key: Key, value: Value): void;
  /** Hands a value over and forgets it. */
  take(key: Key): Value | undefined;
  clear(): void;
}

/** @param weigh what a value counts towards `most`; without it, each is one */
export function createBoundedMap<Key, Value extends NonNullable<unknown>>(
  most: number,
  weigh: (value: Value) => number = () => 1,
): BoundedMap<Key, Value> {
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
    get: (key) => kept.get(key),
    set(key, value) {
      take(key);
      kept.set(key, value);
      weight += weigh(value);
      for (const oldest of kept.keys()) {
        if (weight <= most) break;
        take(oldest);
      }
    },
    take,
    clear() {
      kept.clear();
      weight = 0;
    },
  };
}
