/** Bounds the memory: the oldest look-up is dropped. */
const MOST_CACHED = 100_000;

/** Whom credentials belong to, as far as they were looked up: most requests come with a known one. */
export function createCredentialCache<Credential, Found extends NonNullable<unknown>>(
  userIdOf: (found: Found) => number,
) {
  const known = new Map<Credential, Found>();
  /** The known credentials of each user id. */
  const ofUser = new Map<number, Set<Credential>>();

  const keep = (credential: Credential, found: Found) => {
    const [oldest] = known.size >= MOST_CACHED ? known : [];
    if (oldest) drop(...oldest);
    known.set(credential, found);
    const userId = userIdOf(found);
    ofUser.set(userId, (ofUser.get(userId) ?? new Set()).add(credential));
  };
  const drop = (credential: Credential, found: Found) => {
    known.delete(credential);
    const userId = userIdOf(found);
    const others = ofUser.get(userId);
    others?.delete(credential);
    if (others?.size === 0) ofUser.delete(userId);
  };

  return {
    /** From memory only. */
    get: (credential: Credential) => known.get(credential),
    /** From memory, or else found and kept. */
    lookUp(credential: Credential, find: () => Found | undefined) {
      const before = known.get(credential);
      if (before !== undefined) return before;
      const found = find();
      if (found !== undefined) keep(credential, found);
      return found;
    },
    /** Drops what is known of a user, or of all, because the database has changed. */
    forget(userId?: number) {
      if (userId === undefined) {
        known.clear();
        ofUser.clear();
        return;
      }
      for (const credential of ofUser.get(userId) ?? []) known.delete(credential);
      ofUser.delete(userId);
    },
  };
}
