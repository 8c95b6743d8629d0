import {
  and,
  asc,
  desc,
  eq,
  gt,
  isNull,
  lt,
  lte,
  ne,
  notInArray,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { Schema } from "../db/schema.ts";
import type { Writer } from "../db/store.ts";
import { AccountError, type AccountsContext } from "./context.ts";
import { type ApiKey, createApiKey, createKeyId, hashCredential } from "./credential.ts";
import { createKeyHolders, type KeyHolders } from "./key-holders.ts";
import type { User } from "./users.ts";

export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  /** Unix times in milliseconds. A future `revokedAt` ends a rotation's grace period. */
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

/** A new key. It can be shown only this once. */
export interface IssuedKey {
  readonly id: string;
  readonly key: ApiKey;
}

export interface Keys extends KeyHolders {
  /** @throws {TooManyKeysError} when the user has the maximum of working keys */
  add(user: User, name: string): Promise<IssuedKey>;
  /** A user's keys, also recently revoked ones, oldest first. */
  list(user: User): Promise<KeyRecord[]>;
  /** @throws {AccountError} when the user has no such working key. */
  revoke(user: User, keyId: string): Promise<void>;
  /**
   * Replaces a key with a new one. The old key still works for `graceMs`.
   * @throws {AccountError} when `keyId` names no working key, or is needed but missing
   * @throws {TooManyKeysError} when both keys together would exceed the maximum
   */
  rotate(user: User, keyId: string | undefined, graceMs: number): Promise<IssuedKey>;
}

/** The maximum of working keys per user: the call limit counts each key separately. */
export const MOST_WORKING_KEYS = 50;
/** Only recent revocations are of interest, so older revoked keys are deleted. */
const MOST_REVOKED_KEYS = 50;
const REVOKED_KEPT_MS = 90 * 86_400_000;

/** A user has the maximum of working keys. */
export class TooManyKeysError extends AccountError {
  constructor(userName: string) {
    super(
      `${userName} has ${MOST_WORKING_KEYS} working keys, which is the maximum. Revoke one first: "marquee key list ${userName}" shows them.`,
    );
  }
}

export function createKeys(context: AccountsContext): Keys {
  const { store, wallMs } = context;
  const { queries, atomically } = store;
  const { apiKeys, users } = store.tables;

  const working = () => or(isNull(apiKeys.revokedAt), gt(apiKeys.revokedAt, wallMs()));
  const workingOf = (user: User) => and(eq(apiKeys.userId, user.id), working());

  /** Deletes all but the latest revoked keys, so that adding and revoking cannot fill the disk. */
  const pruneRevoked = (writer: Writer, user: User) => {
    const revoked = and(eq(apiKeys.userId, user.id), lte(apiKeys.revokedAt, wallMs()));
    const latest = writer
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .where(revoked)
      .orderBy(desc(apiKeys.revokedAt))
      .limit(MOST_REVOKED_KEYS);
    const old = lt(apiKeys.revokedAt, wallMs() - REVOKED_KEPT_MS);
    return writer.delete(apiKeys).where(and(revoked, or(old, notInArray(apiKeys.id, latest))));
  };

  const isThere = (keyId: string, condition?: SQL) =>
    sql`EXISTS (SELECT 1 FROM ${apiKeys} WHERE ${and(eq(apiKeys.id, keyId), condition)})`;

  /** Whether the user may have one more working key; `others` limits which keys count. */
  const hasRoom = (user: User, others?: SQL) =>
    sql`(SELECT count(*) FROM ${apiKeys} WHERE ${and(workingOf(user), others)}) < ${MOST_WORKING_KEYS}`;

  /** Stores a key if the condition holds, and returns its id. */
  const insertKeyWhere = (writer: Writer, user: User, draft: KeyDraft, condition?: SQL) =>
    writer
      .insert(apiKeys)
      .select((query) =>
        query
          .select({
            id: sql`${draft.row.id}`.as("id"),
            userId: users.id,
            name: sql`${draft.row.name}`.as("name"),
            hash: sql`${draft.row.hash}`.as("hash"),
            createdAt: sql`${draft.row.createdAt}`.as("created_at"),
            lastUsedAt: sql`NULL`.as("last_used_at"),
            revokedAt: sql`NULL`.as("revoked_at"),
          })
          .from(users)
          .where(and(eq(users.id, user.id), condition)),
      )
      .returning({ id: apiKeys.id });

  const workingKey = async (user: User, keyId: string) => {
    const [key] = await queries
      .select()
      .from(apiKeys)
      .where(and(eq(apiKeys.id, keyId), workingOf(user)));
    if (!key) throw unknownKey(user, keyId);
    return key;
  };

  const onlyKey = async (user: User) => {
    const [key, ...others] = await queries
      .select()
      .from(apiKeys)
      .where(and(eq(apiKeys.userId, user.id), isNull(apiKeys.revokedAt)))
      .orderBy(asc(apiKeys.createdAt));
    if (!key) throw noKey(user);
    if (others.length > 0) throw severalKeys(user);
    return key;
  };

  return {
    ...createKeyHolders(context),
    async add(user, name) {
      const draft = draftKey(user.id, name, wallMs());
      const [added] = await atomically((writer) => [
        insertKeyWhere(writer, user, draft, hasRoom(user)),
        pruneRevoked(writer, user),
      ]);
      if (added.length === 0) throw new TooManyKeysError(user.name);
      return draft.issued;
    },
    list: async (user) =>
      queries
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.userId, user.id))
        .orderBy(asc(apiKeys.createdAt)),
    async revoke(user, keyId) {
      const [, revoked] = await atomically((writer) => [
        pruneRevoked(writer, user),
        writer
          .update(apiKeys)
          .set({ revokedAt: wallMs() })
          .where(and(eq(apiKeys.id, keyId), workingOf(user)))
          .returning({ id: apiKeys.id }),
      ]);
      if (revoked.length === 0) throw unknownKey(user, keyId);
    },
    async rotate(user, keyId, graceMs) {
      const old = keyId === undefined ? await onlyKey(user) : await workingKey(user, keyId);
      const draft = draftKey(user.id, old.name, wallMs());
      const revokedAt = Math.min(wallMs() + graceMs, old.revokedAt ?? Number.MAX_SAFE_INTEGER);
      // Without a grace period the old key does not count.
      const others = revokedAt > wallMs() ? undefined : ne(apiKeys.id, old.id);
      const [added] = await atomically((writer) => [
        insertKeyWhere(writer, user, draft, and(hasRoom(user, others), isThere(old.id, working()))),
        writer
          .update(apiKeys)
          .set({ revokedAt })
          .where(and(eq(apiKeys.id, old.id), isThere(draft.row.id))),
        pruneRevoked(writer, user),
      ]);
      if (added.length > 0) return draft.issued;
      await workingKey(user, old.id);
      throw new TooManyKeysError(user.name);
    },
  };
}

const unknownKey = ({ name }: User, keyId: string): AccountError =>
  new AccountError(`${name} has no working key "${keyId}". "marquee key list ${name}" shows all.`);

const noKey = ({ name }: User): AccountError =>
  new AccountError(`${name} has no key to replace. "marquee key add ${name}" makes one.`);

const severalKeys = ({ name }: User): AccountError =>
  new AccountError(
    `${name} has several keys: say which one by its ID. "marquee key list ${name}" shows them.`,
    true,
  );

interface KeyDraft {
  readonly issued: IssuedKey;
  readonly row: Schema["apiKeys"]["$inferInsert"];
}

/** A new key, and the row that stores it. */
export function draftKey(userId: number, name: string, createdAt: number): KeyDraft {
  const key = createApiKey();
  const id = createKeyId();
  return { issued: { id, key }, row: { id, userId, name, hash: hashCredential(key), createdAt } };
}
