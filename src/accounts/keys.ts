import { and, asc, desc, eq, gt, inArray, isNull, lte, or } from "drizzle-orm";
import { apiKeys } from "../db/schema.ts";
import type { Queries } from "../db/store.ts";
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
  list(user: User): KeyRecord[];
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

  const workingKeysOf = (tx: Queries, user: User): KeyRow[] =>
    tx
      .select()
      .from(apiKeys)
      .where(
        and(
          eq(apiKeys.userId, user.id),
          or(isNull(apiKeys.revokedAt), gt(apiKeys.revokedAt, wallMs())),
        ),
      )
      .orderBy(asc(apiKeys.createdAt))
      .all();

  /** Deletes all but the latest revoked keys, so that adding and revoking cannot fill the disk. */
  const pruneRevoked = (tx: Queries, user: User) => {
    const revoked = tx
      .select({ id: apiKeys.id, revokedAt: apiKeys.revokedAt })
      .from(apiKeys)
      .where(and(eq(apiKeys.userId, user.id), lte(apiKeys.revokedAt, wallMs())))
      .orderBy(desc(apiKeys.revokedAt))
      .all();
    const oldestMs = wallMs() - REVOKED_KEPT_MS;
    const old = revoked.filter(
      ({ revokedAt }, index) => index >= MOST_REVOKED_KEYS || (revokedAt ?? 0) < oldestMs,
    );
    const ids = old.map(({ id }) => id);
    if (ids.length > 0) tx.delete(apiKeys).where(inArray(apiKeys.id, ids)).run();
  };

  /** Stores a key of a user who has these working keys besides. @throws {TooManyKeysError} */
  const insert = (tx: Queries, user: User, others: readonly KeyRow[], name: string): IssuedKey => {
    if (others.length >= MOST_WORKING_KEYS) throw new TooManyKeysError(user.name);
    const { row, issued } = draftKey(user.id, name, wallMs());
    tx.insert(apiKeys).values(row).run();
    pruneRevoked(tx, user);
    return issued;
  };

  const revokeAt = (tx: Queries, id: string, revokedAt: number) =>
    tx.update(apiKeys).set({ revokedAt }).where(eq(apiKeys.id, id)).run();

  return {
    ...createKeyHolders(context),
    add: (user, name) =>
      store.write({ userId: user.id, what: "keys" }, (tx) =>
        insert(tx, user, workingKeysOf(tx, user), name),
      ),
    list: (user) =>
      store.queries
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.userId, user.id))
        .orderBy(asc(apiKeys.createdAt))
        .all(),
    revoke: (user, keyId) =>
      store.write({ userId: user.id, what: "keys" }, (tx) => {
        const { id } = keyIn(workingKeysOf(tx, user), user, keyId);
        pruneRevoked(tx, user);
        revokeAt(tx, id, wallMs());
      }),
    rotate: (user, keyId, graceMs) =>
      store.write({ userId: user.id, what: "keys" }, (tx) => {
        const working = workingKeysOf(tx, user);
        const old = keyId === undefined ? onlyKeyIn(working, user) : keyIn(working, user, keyId);
        const revokedAt = Math.min(wallMs() + graceMs, old.revokedAt ?? Infinity);
        revokeAt(tx, old.id, revokedAt);
        // Without a grace period the old key does not count.
        const others = revokedAt > wallMs() ? working : working.filter((key) => key !== old);
        return insert(tx, user, others, old.name);
      }),
  };
}

type KeyRow = typeof apiKeys.$inferSelect;

/** @throws {AccountError} when no working key has this id */
function keyIn(working: readonly KeyRow[], user: User, keyId: string): KeyRow {
  const key = working.find(({ id }) => id === keyId);
  if (!key) throw unknownKey(user, keyId);
  return key;
}

/** @throws {AccountError} unless there is one key that is not about to end */
function onlyKeyIn(working: readonly KeyRow[], user: User): KeyRow {
  const [key, ...others] = working.filter(({ revokedAt }) => revokedAt === null);
  if (!key) throw noKey(user);
  if (others.length > 0) throw severalKeys(user);
  return key;
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
  readonly row: typeof apiKeys.$inferInsert;
}

/** A new key, and the row that stores it. */
export function draftKey(userId: number, name: string, createdAt: number): KeyDraft {
  const key = createApiKey();
  const id = createKeyId();
  return { issued: { id, key }, row: { id, userId, name, hash: hashCredential(key), createdAt } };
}
