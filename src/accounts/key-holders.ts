import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { createBatch } from "../db/batch.ts";
import type { AccountsContext } from "./context.ts";
import { createCredentialCache } from "./credential-cache.ts";
import { type ApiKey, hashCredential } from "./credential.ts";
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

/** Whom keys that programs call with belong to, and when each was last used. */
export interface KeyHolders {
  /** The holder of this key, if it works. From memory if the key was looked up before. */
  holderOf(key: ApiKey): Promise<KeyHolder | undefined>;
  /** The same from memory only: `undefined` when the key is not cached. */
  cachedHolderOf(key: ApiKey): KeyHolder | undefined;
  /** Notes that a key was used; the next flush stores it. */
  noteUse(keyId: string): void;
  /** Stores the uses noted since the last flush. Rejects if it cannot; they are kept. */
  flushUses(): Promise<void>;
  /** Drops the cached keys of a user, or of all users, because the database has changed. */
  forget(userId?: number): void;
}

export function createKeyHolders({ store, wallMs }: AccountsContext): KeyHolders {
  const { queries } = store;
  const { apiKeys, users } = store.tables;
  const holders = createCredentialCache<ApiKey, CachedHolder>(({ user }) => user.id);
  const uses = new Map<string, number>();
  const asked = store.rows(sql.placeholder("asked"), { hash: "hex" });

  /** Prepared once: to build a query takes longer than to run it. */
  const prepareHolderQuery = () =>
    queries
      .select({ hash: apiKeys.hash, keyId: apiKeys.id, revokedAt: apiKeys.revokedAt, user: users })
      .from(apiKeys)
      .innerJoin(users, eq(users.id, apiKeys.userId))
      .where(
        and(
          sql`${apiKeys.hash} IN (SELECT hash FROM ${asked} AS asked)`,
          or(isNull(apiKeys.revokedAt), gt(apiKeys.revokedAt, sql.placeholder("nowMs"))),
        ),
      )
      .prepare();
  let preparedHolderQuery: ReturnType<typeof prepareHolderQuery> | undefined;
  const holderQuery = () => (preparedHolderQuery ??= prepareHolderQuery());

  const holderWithHash = createBatch<string, CachedHolder>(async (hashes) => {
    const json = JSON.stringify(hashes.map((hash) => ({ hash })));
    const rows = await holderQuery().execute({ asked: json, nowMs: wallMs() });
    return new Map(
      rows.map(({ hash, ...row }) => [
        hash.toString("hex"),
        { ...row, notedAtMs: -Infinity, kept: undefined },
      ]),
    );
  });
  const find = (key: ApiKey) => holderWithHash(hashCredential(key).toString("hex"));

  const cachedHolderOf = (key: ApiKey): KeyHolder | undefined => {
    const holder = holders.get(key);
    if (!holder) return undefined;
    return holder.revokedAt === null || holder.revokedAt > wallMs() ? holder : undefined;
  };

  return {
    cachedHolderOf,
    holderOf: async (key) => cachedHolderOf(key) ?? holders.lookUp(key, () => find(key)),
    noteUse(keyId) {
      uses.set(keyId, wallMs());
    },
    async flushUses() {
      const noted = [...uses];
      if (noted.length === 0) return;
      const json = JSON.stringify(noted.map(([id, at]) => ({ id, at })));
      const rows = store.rows(json, { id: "text", at: "bigint" });
      await store.inBackground((writer) => [
        writer
          .update(apiKeys)
          .set({ lastUsedAt: sql`noted.at` })
          .from(sql`${rows} AS noted`)
          .where(eq(apiKeys.id, sql`noted.id`)),
      ]);
      for (const [id, at] of noted) if (uses.get(id) === at) uses.delete(id);
    },
    forget: holders.forget,
  };
}
