/** Whom credentials belong to, as far as they were looked up: most requests come with a known one. */
export interface CredentialCache<Credential, Found> {
  /** From memory only. */
  get(credential: Credential): Found | undefined;
  /** Finds it and keeps it, unless it was forgotten meanwhile: it may have changed since. */
  lookUp(
    credential: Credential,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | undefined>;
  /** Drops what is known of a user, or of all, because the database has changed. */
  forget(userId?: number): void;
}

/** Bounds the memory: the oldest look-up is dropped. */
const MOST_CACHED = 20_000;

export function createCredentialCache<Credential, Found extends NonNullable<unknown>>(
  userIdOf: (found: Found) => number,
): CredentialCache<Credential, Found> {
  const known = new Map<Credential, Found>();
  /** The known credentials of each user id. */
  const ofUser = new Map<number, Set<Credential>>();
  /** For each look-up that is under way, the user ids that were forgotten since it began. */
  const underWay = new Set<Set<number | undefined>>();

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
    get: (credential) => known.get(credential),
    async lookUp(credential, find) {
      const forgotten = new Set<number | undefined>();
      underWay.add(forgotten);
      try {
        const found = await find();
        const isForgotten = forgotten.has(undefined) || (found && forgotten.has(userIdOf(found)));
        if (found !== undefined && !isForgotten) keep(credential, found);
        return found;
      } finally {
        underWay.delete(forgotten);
      }
    },
    forget(userId) {
      for (const forgotten of underWay) forgotten.add(userId);
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
