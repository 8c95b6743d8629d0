import { and, asc, desc, eq, gt, inArray, isNull, lte, or } from "drizzle-orm";
import { apiKeys, users } from "../db/schema.ts";
import { AccountError, type AccountsContext, type Writer } from "./context.ts";
import { type ApiKey, createApiKey, createKeyId, hashCredential } from "./credential.ts";
import type { User } from "./users.ts";

/** Who a working key belongs to. */
export interface KeyHolder {
  readonly keyId: string;
  readonly user: User;
}

export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  /** Unix times in milliseconds. A `revokedAt` to come is the end of a rotation's grace. */
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

/** A key as it is shown the one time it can be. */
export interface IssuedKey {
  readonly id: string;
  readonly key: ApiKey;
}

export interface Keys {
  /** Who holds this key, if it works. Answers from memory when the key was asked for before. */
  holderOf(key: ApiKey): Promise<KeyHolder | undefined>;
  /** The same from memory alone: `undefined` when it is not known there. */
  cachedHolderOf(key: ApiKey): KeyHolder | undefined;
  /** Remembers that a key was used; written with the next flush. */
  noteUse(keyId: string): void;
  /** Writes the uses noted since the last flush. @throws when that is not possible now; they are kept */
  flushUses(): void;
  /** Forgets what is held in memory of a user, or of all, because the database has changed. */
  forget(userId?: number): void;
  /** @throws {TooManyKeysError} when the user has as many working keys as there may be */
  add(user: User, name: string): Promise<IssuedKey>;
  /** All keys of a user, those revoked of late too, oldest first. */
  list(user: User): Promise<KeyRecord[]>;
  /** @throws {AccountError} when the user has no such working key. */
  revoke(user: User, keyId: string): Promise<void>;
  /**
   * Issues a key in place of another, which goes on working for `graceMs`.
   * @throws {AccountError} when `keyId` names no working key, or is needed and missing
   * @throws {TooManyKeysError} when both at once would be more than there may be
   */
  rotate(user: User, keyId: string | undefined, graceMs: number): Promise<IssuedKey>;
}

interface CachedHolder extends KeyHolder {
  revokedAt: number | null;
}

/** How many keys of a user may work at a time: the limit of calls counts each by itself. */
export const MOST_WORKING_KEYS = 50;
/** Whoever looks for when a key was revoked looks among the latest, and not after a season. */
const MOST_REVOKED_KEYS = 50;
const REVOKED_KEPT_MS = 90 * 86_400_000;

/** A user has as many working keys as there may be. */
export class TooManyKeysError extends AccountError {
  constructor(userName: string) {
    super(
      `${userName} has ${MOST_WORKING_KEYS} working keys, which is the most there may be. Revoke one first: "marquee key list ${userName}" shows them.`,
    );
  }
}

/** Bounds the memory that looked-up keys take; the oldest look-up makes room. */
const MOST_CACHED_KEYS = 20_000;

export function createKeys({ store, wallMs }: AccountsContext): Keys {
  const { queries } = store;
  const cache = new Map<ApiKey, CachedHolder>();
  /** Which of the cached keys are whose. */
  const cachedOf = new Map<number, Set<ApiKey>>();
  const uses = new Map<string, number>();

  const working = () => or(isNull(apiKeys.revokedAt), gt(apiKeys.revokedAt, wallMs()));

  /** Deletes all but the latest revoked keys, so that making and revoking does not fill the disk. */
  const pruneRevoked = (writer: Writer, user: User) => {
    const revoked = writer
      .select({ id: apiKeys.id, revokedAt: apiKeys.revokedAt })
      .from(apiKeys)
      .where(and(eq(apiKeys.userId, user.id), lte(apiKeys.revokedAt, wallMs())))
      .orderBy(desc(apiKeys.revokedAt))
      .all();
    const old = revoked.filter(
      ({ revokedAt }, at) =>
        at >= MOST_REVOKED_KEYS || (revokedAt ?? 0) < wallMs() - REVOKED_KEPT_MS,
    );
    if (old.length === 0) return;
    const ids = old.map(({ id }) => id);
    writer.delete(apiKeys).where(inArray(apiKeys.id, ids)).run();
  };

  const issue = (writer: Writer, user: User, name: string): IssuedKey => {
    const mine = writer
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .where(and(eq(apiKeys.userId, user.id), working()))
      .all();
    if (mine.length >= MOST_WORKING_KEYS) throw new TooManyKeysError(user.name);
    pruneRevoked(writer, user);
    return insertKey(writer, user, name, wallMs());
  };

  const drop = (key: ApiKey, { user }: KeyHolder) => {
    cache.delete(key);
    const others = cachedOf.get(user.id);
    others?.delete(key);
    if (others?.size === 0) cachedOf.delete(user.id);
  };

  const lookUp = (key: ApiKey): CachedHolder | undefined => {
    const row = queries
      .select({ keyId: apiKeys.id, revokedAt: apiKeys.revokedAt, user: users })
      .from(apiKeys)
      .innerJoin(users, eq(users.id, apiKeys.userId))
      .where(and(eq(apiKeys.hash, hashCredential(key)), working()))
      .get();
    if (!row) return undefined;
    const [oldest] = cache.size >= MOST_CACHED_KEYS ? cache : [];
    if (oldest) drop(...oldest);
    cache.set(key, row);
    const { id } = row.user;
    cachedOf.set(id, (cachedOf.get(id) ?? new Set()).add(key));
    return row;
  };

  const workingKey = (writer: Writer, user: User, keyId: string) => {
    const key = writer
      .select()
      .from(apiKeys)
      .where(and(eq(apiKeys.id, keyId), eq(apiKeys.userId, user.id), working()))
      .get();
    if (!key) {
      throw new AccountError(
        `${user.name} has no working key "${keyId}". "marquee key list ${user.name}" shows all.`,
      );
    }
    return key;
  };

  const onlyKey = (writer: Writer, user: User) => {
    const [key, ...others] = writer
      .select()
      .from(apiKeys)
      .where(and(eq(apiKeys.userId, user.id), isNull(apiKeys.revokedAt)))
      .orderBy(asc(apiKeys.createdAt))
      .all();
    if (!key) {
      throw new AccountError(
        `${user.name} has no key to replace. "marquee key add ${user.name}" makes one.`,
      );
    }
    if (others.length > 0) {
      throw new AccountError(
        `${user.name} has several keys: say which one by its id. "marquee key list ${user.name}" shows them.`,
        true,
      );
    }
    return key;
  };

  const cachedHolderOf = (key: ApiKey): KeyHolder | undefined => {
    const holder = cache.get(key);
    if (!holder) return undefined;
    return holder.revokedAt === null || holder.revokedAt > wallMs() ? holder : undefined;
  };

  return {
    cachedHolderOf,
    holderOf: async (key) => cachedHolderOf(key) ?? lookUp(key),
    noteUse(keyId) {
      uses.set(keyId, wallMs());
    },
    flushUses() {
      if (uses.size === 0) return;
      store.withoutWaiting(() =>
        queries.transaction((writer) => {
          for (const [keyId, lastUsedAt] of uses) {
            writer.update(apiKeys).set({ lastUsedAt }).where(eq(apiKeys.id, keyId)).run();
          }
        }),
      );
      uses.clear();
    },
    forget(userId) {
      for (const key of userId === undefined ? cache.keys() : (cachedOf.get(userId) ?? [])) {
        cache.delete(key);
      }
      if (userId === undefined) cachedOf.clear();
      else cachedOf.delete(userId);
    },
    async add(user, name) {
      const issued = queries.transaction((writer) => issue(writer, user, name), {
        behavior: "immediate",
      });
      store.tellChanges();
      return issued;
    },
    list: async (user) =>
      queries
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.userId, user.id))
        .orderBy(asc(apiKeys.createdAt))
        .all(),
    async revoke(user, keyId) {
      queries.transaction(
        (writer) => {
          const key = workingKey(writer, user, keyId);
          pruneRevoked(writer, user);
          writer.update(apiKeys).set({ revokedAt: wallMs() }).where(eq(apiKeys.id, key.id)).run();
        },
        { behavior: "immediate" },
      );
      store.tellChanges();
    },
    async rotate(user, keyId, graceMs) {
      const issued = queries.transaction(
        (writer) => {
          const old = keyId === undefined ? onlyKey(writer, user) : workingKey(writer, user, keyId);
          const revokedAt = Math.min(wallMs() + graceMs, old.revokedAt ?? Number.MAX_SAFE_INTEGER);
          writer.update(apiKeys).set({ revokedAt }).where(eq(apiKeys.id, old.id)).run();
          return issue(writer, user, old.name);
        },
        // A lock taken only after reading would fail if another process wrote in between.
        { behavior: "immediate" },
      );
      store.tellChanges();
      return issued;
    },
  };
}

/** Issues a key inside a transaction. */
export function insertKey(writer: Writer, user: User, name: string, createdAt: number): IssuedKey {
  const key = createApiKey();
  const id = createKeyId();
  writer
    .insert(apiKeys)
    .values({ id, userId: user.id, name, hash: hashCredential(key), createdAt })
    .run();
  return { id, key };
}
