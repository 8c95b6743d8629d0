import { createBoundedMap } from "../bounded-map.ts";

/** Bounds the memory: the oldest look-up is dropped. */
const MOST_CACHED = 100_000;

/** Whom credentials belong to, as far as they were looked up: most requests come with a known one. */
export function createCredentialCache<Credential, Found extends NonNullable<unknown>>(
  userIdOf: (found: Found) => number,
) {
  const known = createBoundedMap<Credential, Found>(MOST_CACHED);
  return {
    /** From memory only. */
    get: known.get,
    /** From memory, or else found and kept. */
    lookUp(credential: Credential, find: () => Found | undefined) {
      const before = known.get(credential);
      if (before !== undefined) return before;
      const found = find();
      if (found !== undefined) known.set(credential, found);
      return found;
    },
    /** Drops what is known of a user, or of all, because the database has changed. */
    forget(userId?: number) {
      if (userId === undefined) return known.clear();
      for (const [credential, found] of known.entries()) {
        if (userIdOf(found) === userId) known.take(credential);
      }
    },
  };
}
