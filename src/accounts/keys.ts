import { and, asc, desc, eq, gt, gte, isNull, lte, ne, notInArray, or, sql } from "drizzle-orm";
import { apiKeys } from "../db/schema.ts";
import type { Queries } from "../db/store.ts";
import { Refused } from "../i18n/refused.ts";
import type { AccountsContext } from "./context.ts";
import { type ApiKey, createApiKey, createKeyId, hashCredential } from "./credential.ts";
import { createKeyHolders } from "./key-holders.ts";
import type { User } from "./users.ts";

/** A stored key. Times are Unix milliseconds; a future `revokedAt` ends a rotation's grace period. */
export type KeyRecord = Readonly<Omit<KeyRow, "hash" | "userId">>;

/** A new key. It can be shown only this once. */
export interface IssuedKey {
  readonly id: string;
  readonly key: ApiKey;
}

/** A key that replaces another, whose name it has. */
export interface ReplacingKey extends IssuedKey {
  readonly name: string;
  /** When the replaced key stops working (Unix ms). */
  readonly endsAt: number;
}

export type Keys = ReturnType<typeof createKeys>;

/** The maximum of working keys per user: the call limit counts each key separately. */
const MOST_WORKING_KEYS = 50;
/** Only recent revocations are of interest, so older revoked keys are deleted. */
const MOST_REVOKED_KEYS = 50;
const REVOKED_KEPT_MS = 90 * 86_400_000;

export function createKeys(context: AccountsContext) {
  const { store, wallMs } = context;

  const workingKeysOf = (tx: Queries, user: User): KeyRow[] =>
    tx
      .select()
      .from(apiKeys)
      .where(
        and(
          eq(apiKeys.userId, user.id),
          ne(apiKeys.hash, NO_HASH),
          or(isNull(apiKeys.revokedAt), gt(apiKeys.revokedAt, wallMs())),
        ),
      )
      .orderBy(asc(apiKeys.createdAt))
      .all();

  /** Deletes all but the latest revoked keys, so that adding and revoking cannot fill the disk. */
  const pruneRevoked = (tx: Queries, user: User) => {
    const isRevoked = and(eq(apiKeys.userId, user.id), lte(apiKeys.revokedAt, wallMs()));
    const latest = tx
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .where(and(isRevoked, gte(apiKeys.revokedAt, wallMs() - REVOKED_KEPT_MS)))
      .orderBy(desc(apiKeys.revokedAt))
      .limit(MOST_REVOKED_KEYS);
    tx.delete(apiKeys)
      .where(and(isRevoked, notInArray(apiKeys.id, latest)))
      .run();
  };

  /** Stores a key of a user who has these working keys besides. @throws {Refused} */
  const insert = (tx: Queries, user: User, others: readonly KeyRow[], name: string): IssuedKey => {
    if (others.length >= MOST_WORKING_KEYS) {
      throw new Refused("key.tooMany", { count: String(MOST_WORKING_KEYS) });
    }
    const { row, issued } = draftKey(user.id, name, wallMs());
    tx.insert(apiKeys).values(row).run();
    pruneRevoked(tx, user);
    return issued;
  };

  /** Those whose time is over, and whose hash is still there. */
  const justEnded = () => and(lte(apiKeys.revokedAt, wallMs()), ne(apiKeys.hash, NO_HASH));

  const revokeAt = (tx: Queries, id: string, revokedAt: number) => {
    const isOver = revokedAt <= wallMs();
    const end = { revokedAt, ...(isOver && { hash: NO_HASH }) };
    tx.update(apiKeys).set(end).where(eq(apiKeys.id, id)).run();
  };

  const holders = createKeyHolders(context);

  return {
    ...holders,
    /** @throws {Refused} when the user has the maximum of working keys */
    add: (user: User, name: string) =>
      store.write({ userId: user.id, what: "keys" }, (tx) =>
        insert(tx, user, workingKeysOf(tx, user), name),
      ),
    /** A user's keys, also recently revoked ones, oldest first. */
    list: (user: User): readonly KeyRecord[] =>
      store.queries
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.userId, user.id))
        .orderBy(asc(apiKeys.createdAt))
        .all()
        .map((row) => ({
          ...row,
          lastUsedAt: holders.unstoredUse(row.id) ?? row.lastUsedAt,
          // The clock may have been set back since.
          revokedAt: hasEnded(row) ? Math.min(row.revokedAt ?? 0, wallMs()) : row.revokedAt,
        })),
    /** @throws {Refused} when the user has no such working key. */
    revoke: (user: User, keyId: string) =>
      store.write({ userId: user.id, what: "keys" }, (tx) => {
        const { id } = keyIn(workingKeysOf(tx, user), keyId);
        pruneRevoked(tx, user);
        revokeAt(tx, id, wallMs());
      }),
    /**
     * Replaces a key with a new one. The old key still works for `graceMs`.
     * @throws {Refused} when `keyId` names no working key, or is needed but missing
     * @throws {Refused} when both keys together would exceed the maximum
     */
    rotate: (user: User, keyId: string | undefined, graceMs: number) =>
      store.write({ userId: user.id, what: "keys" }, (tx): ReplacingKey => {
        const working = workingKeysOf(tx, user);
        const old = keyId === undefined ? onlyKeyIn(working) : keyIn(working, keyId);
        const revokedAt = Math.min(wallMs() + graceMs, old.revokedAt ?? Infinity);
        revokeAt(tx, old.id, revokedAt);
        // Without a grace period the old key does not count.
        const others = revokedAt > wallMs() ? working : working.filter((key) => key !== old);
        return { ...insert(tx, user, others, old.name), name: old.name, endsAt: revokedAt };
      }),
    /** Ends keys whose grace period is over, for good: no clock that goes back brings them back. */
    async endReplaced() {
      const users = store.queries
        .selectDistinct({ userId: apiKeys.userId })
        .from(apiKeys)
        .where(justEnded())
        .all();
      if (users.length === 0) return;
      const changed = users.map(({ userId }) => ({ userId, what: "keys" }) as const);
      await store.write(changed, (tx) =>
        tx.update(apiKeys).set({ hash: NO_HASH }).where(justEnded()).run(),
      );
    },
  };
}

/** What stands in the place of an ended key's hash, and is the hash of none: its id. */
const NO_HASH = sql<Buffer>`CAST(${apiKeys.id} AS BLOB)`;

const hasEnded = ({ id, hash }: KeyRow): boolean => hash.equals(Buffer.from(id));

type KeyRow = typeof apiKeys.$inferSelect;

/** @throws {Refused} when no working key has this id */
function keyIn(working: readonly KeyRow[], keyId: string): KeyRow {
  const key = working.find(({ id }) => id === keyId);
  if (!key) throw new Refused("key.unknown");
  return key;
}

/** @throws {Refused} unless there is one key that is not about to end */
function onlyKeyIn(working: readonly KeyRow[]): KeyRow {
  const [key, ...others] = working.filter(({ revokedAt }) => revokedAt === null);
  if (!key) throw new Refused("key.none");
  if (others.length > 0) {
    throw new Refused("key.several", {}, { field: "id", isMisuse: true });
  }
  return key;
}

interface KeyDraft {
  readonly issued: IssuedKey;
  readonly row: typeof apiKeys.$inferInsert;
}

/** A new key, and the row that stores it. */
export function draftKey(userId: number, name: string, createdAt: number): KeyDraft {
  const key = createApiKey();
  const id = createKeyId();
  return { issued: { id, key }, row: { id, userId, name, hash: hashCredential(key), createdAt } };
}
