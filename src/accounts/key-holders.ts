import { eq, sql } from "drizzle-orm";
import { apiKeys, users } from "../db/schema.ts";
import { lazily } from "../once.ts";
import type { AccountsContext } from "./context.ts";
import { createCredentialCache } from "./credential-cache.ts";
import { type ApiKey, hashCredential } from "./credential.ts";
import { nextTurn } from "../next-turn.ts";
import type { User } from "./users.ts";

/** Who a working key belongs to. */
export interface KeyHolder {
  readonly keyId: string;
  readonly user: User;
  /** When a use of the key was last noted; monotonic milliseconds. */
  notedAtMs: number;
  /** What answers to this key need each time, for whoever gives them; forgotten with the key. */
  kept: object | undefined;
}

interface CachedHolder extends KeyHolder {
  revokedAt: number | null;
}

/** Some milliseconds of work. */
const STORED_AT_ONCE = 200;

/** Whom keys that programs call with belong to, and when each was last used. */
export function createKeyHolders({ store, wallMs }: AccountsContext) {
  const { queries } = store;
  const holders = createCredentialCache<ApiKey, CachedHolder>(({ user }) => user.id);
  const uses = new Map<string, number>();

  /** Revoked keys too. */
  const holderQuery = lazily(() =>
    queries
      .select({ keyId: apiKeys.id, revokedAt: apiKeys.revokedAt, user: users })
      .from(apiKeys)
      .innerJoin(users, eq(users.id, apiKeys.userId))
      .where(eq(apiKeys.hash, sql.placeholder("hash")))
      .prepare(),
  );
  const find = (key: ApiKey): CachedHolder | undefined => {
    const row = holderQuery().get({ hash: hashCredential(key) });
    return row && { ...row, notedAtMs: -Infinity, kept: undefined };
  };

  const storeUse = lazily(() =>
    queries
      .update(apiKeys)
      .set({ lastUsedAt: sql`${sql.placeholder("lastUsedAt")}` })
      .where(eq(apiKeys.id, sql.placeholder("id")))
      .prepare(),
  );

  const ifItWorks = (holder: CachedHolder | undefined): KeyHolder | undefined =>
    holder && (holder.revokedAt === null || holder.revokedAt > wallMs()) ? holder : undefined;

  return {
    /** The holder of a cached key, if it works; `undefined` when the key is not cached. */
    cachedHolderOf: (key: ApiKey) => ifItWorks(holders.get(key)),
    /** The holder of this key, if it works. From memory if the key was looked up before. */
    holderOf: (key: ApiKey) => ifItWorks(holders.lookUp(key, () => find(key))),
    /** Notes that a key was used; the next flush stores it. */
    noteUse(keyId: string) {
      uses.set(keyId, wallMs());
    },
    /** When a key was last used (Unix ms), if that is not stored yet. */
    unstoredUse: (keyId: string) => uses.get(keyId),
    /**
     * Stores the uses noted since the last flush, in parts, between which others are answered.
     * @throws if it cannot; what is left is kept
     */
    async flushUses() {
      for (let left = uses.size; left > 0; left -= STORED_AT_ONCE) {
        const part = [...uses.entries().take(STORED_AT_ONCE)];
        store.transaction(() => {
          for (const [id, lastUsedAt] of part) storeUse().run({ id, lastUsedAt });
        });
        for (const [id] of part) uses.delete(id);
        if (left > STORED_AT_ONCE) await nextTurn();
      }
    },
    /** Drops the cached keys of a user, or of all users, because the database has changed. */
    forget: holders.forget,
  };
}
