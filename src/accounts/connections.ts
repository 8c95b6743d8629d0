import { and, asc, eq, getTableColumns, gt, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { connectionStatuses, connections, users } from "../db/schema.ts";
import type { Writer } from "../db/open.ts";
import { type AccountsContext, storeSealed } from "./context.ts";
import type { DeferredWrites } from "./deferred-writes.ts";
import {
  type StoredStatus,
  type ReportedStatus,
  type FailureReason,
  FAILURE_REASONS,
} from "./connection-status.ts";
import { SecretError, type Vault } from "./secrets.ts";
import { createStatusWrites } from "./status-writes.ts";
import type { User } from "./users.ts";

/** A user's connection to a source. */
export interface Connection {
  /** Never reused: another id means another connection. */
  readonly id: number;
  readonly source: string;
  /** The source's own settings, which the source validates; `undefined` if decryption fails. */
  readonly settings: unknown;
  /** When the upstream refused our credentials (Unix ms): the user has to connect again. */
  readonly refusedAt: number | null;
}

/** What is stored of an account outside its encrypted settings. */
export interface NotedAccount {
  readonly source: string;
  /** `null` when the upstream gives none. */
  readonly id: string | null;
  /** When the upstream's consent ends (Unix ms), where it ends by itself. */
  readonly consentEndsAt: number | null;
}

const PAGE = 50;

/** A deferred write rejects if it is not stored yet. It is retried: see {@link DeferredWrites}. */
export interface Connections {
  of(userId: number): Promise<Connection | undefined>;
  /** The id of a user's connection unless it is refused, without decrypting anything. */
  workingIdOf(userId: number): Promise<number | undefined>;
  /** Replaces the user's earlier connection. */
  connect(user: User, source: string, settings: unknown): Promise<void>;
  /** Returns whether there was a connection to end. */
  disconnect(user: User): Promise<boolean>;
  /** Stores that the upstream refuses this connection until the user connects again. Deferred. */
  markRefused(connectionId: number): Promise<void>;
  /** Stores new settings of a connection. Does nothing if it no longer exists. Deferred. */
  keepSettings(connectionId: number, settings: unknown): Promise<void>;
  /** Stores a connection's status. Does nothing if it is gone. Deferred. */
  storeStatus(connectionId: number, status: ReportedStatus): Promise<void>;
  /**
   * One page of a source's connections whose account is not stored yet.
   * @param afterId last id of the previous page, or 0
   */
  withoutAccount(source: string, afterId: number): Promise<Connection[]>;
  /** Stores the account's fingerprint and end of consent. */
  noteAccount(connectionId: number, account: NotedAccount): Promise<void>;
  /** The users whose connection is stored with this account, ordered by id. */
  usersOf(source: string, accountId: string): Promise<User[]>;
  /** The users with a working connection whose consent ends by then (Unix ms). */
  usersWhoseConsentEnds(untilMs: number): Promise<User[]>;
  /** Calls back with the user whose connection's status was stored. */
  onStatus(listener: (userId: number) => void): void;
  statusOf(connection: Pick<Connection, "id" | "refusedAt">): Promise<StoredStatus>;
}

export function createConnections(
  { store, vault, wallMs }: AccountsContext,
  deferred: DeferredWrites,
): Connections {
  const { queries, atomically, inBackground } = store;
  const statusListeners: ((userId: number) => void)[] = [];
  const tellStatusOf = (userId: number) => {
    for (const tell of statusListeners) tell(userId);
  };
  const statusWrites = createStatusWrites({ store }, deferred, tellStatusOf);
  const toConnection = async (row: typeof connections.$inferSelect): Promise<Connection> => {
    const { id, source, refusedAt } = row;
    return { id, source, refusedAt, settings: await openSettings(vault, row) };
  };
  /** Prepared once: each channel that starts needs this query, which takes longer to build than to run. */
  const prepareOfUser = () =>
    queries
      .select()
      .from(connections)
      .where(eq(connections.userId, sql.placeholder("userId")))
      .prepare();
  let preparedOfUser: ReturnType<typeof prepareOfUser> | undefined;
  const ofUser = () => (preparedOfUser ??= prepareOfUser());
  const fingerprintOf = (source: string, accountId: string | null) =>
    vault.fingerprint(JSON.stringify([source, accountId]));
  const usersWhere = async (condition: SQL | undefined) =>
    queries
      .select(getTableColumns(users))
      .from(connections)
      .innerJoin(users, eq(users.id, connections.userId))
      .where(condition)
      .orderBy(asc(users.id));
  return {
    async of(userId) {
      const [row] = await ofUser().execute({ userId });
      return row && toConnection(row);
    },
    async withoutAccount(source, afterId) {
      const noted = sql`substr(${connections.accountHash}, 1, ${vault.keyId.length})`;
      const rows = await queries
        .select()
        .from(connections)
        .where(
          and(
            eq(connections.source, source),
            gt(connections.id, afterId),
            or(isNull(connections.accountHash), ne(noted, vault.keyId)),
          ),
        )
        .orderBy(asc(connections.id))
        .limit(PAGE);
      return Promise.all(rows.map(toConnection));
    },
    async noteAccount(connectionId, { source, id, consentEndsAt }) {
      const accountHash = fingerprintOf(source, id);
      await atomically((writer) => [
        writer
          .update(connections)
          .set({ accountHash, consentEndsAt })
          .where(eq(connections.id, connectionId)),
      ]);
    },
    usersOf: (source, accountId) =>
      usersWhere(eq(connections.accountHash, fingerprintOf(source, accountId))),
    usersWhoseConsentEnds: (untilMs) =>
      usersWhere(and(lte(connections.consentEndsAt, untilMs), isNull(connections.refusedAt))),
    async workingIdOf(userId) {
      const [row] = await queries
        .select({ id: connections.id })
        .from(connections)
        .where(and(eq(connections.userId, userId), isNull(connections.refusedAt)));
      return row?.id;
    },
    connect: (user, source, settings) =>
      storeSealed(vault, async () => {
        const row = await draftConnection(vault, user.id, { source, settings }, wallMs());
        await atomically((writer) => putConnection(writer, row));
      }),
    async disconnect(user) {
      const [ended] = await atomically((writer) => [
        writer
          .delete(connections)
          .where(eq(connections.userId, user.id))
          .returning({ id: connections.id }),
      ]);
      return ended.length > 0;
    },
    markRefused(connectionId) {
      const refusedAt = wallMs();
      return deferred.write(`refusal of ${connectionId}`, async () => {
        const [refused] = await inBackground((writer) => [
          writer
            .update(connections)
            .set({ refusedAt })
            .where(eq(connections.id, connectionId))
            .returning({ userId: connections.userId }),
        ]);
        for (const { userId } of refused) tellStatusOf(userId);
      });
    },
    keepSettings: (connectionId, settings) =>
      deferred.write(`settings of ${connectionId}`, async () => {
        const [row] = await queries
          .select({ userId: connections.userId })
          .from(connections)
          .where(eq(connections.id, connectionId));
        if (!row) return;
        const text = JSON.stringify(settings);
        await storeSealed(vault, async () => {
          const sealedSettings = await vault.seal("connection-settings", row.userId, text);
          await inBackground((writer) => [
            writer
              .update(connections)
              .set({ sealedSettings })
              .where(eq(connections.id, connectionId)),
          ]);
        });
      }),
    storeStatus: statusWrites.store,
    onStatus: (listener) => void statusListeners.push(listener),
    async statusOf({ id, refusedAt }) {
      if (refusedAt !== null) return { state: "needsLinking", since: refusedAt };
      const [row] = await queries
        .select()
        .from(connectionStatuses)
        .where(eq(connectionStatuses.connectionId, id));
      return row ? toHealthState(row) : { state: "untried" };
    },
  };
}

/** A damaged row affects only its own user. */
async function openSettings(
  vault: Vault,
  { userId, sealedSettings }: typeof connections.$inferSelect,
): Promise<unknown> {
  try {
    return JSON.parse(await vault.open("connection-settings", userId, sealedSettings));
  } catch (error) {
    if (error instanceof SecretError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function toHealthState(row: typeof connectionStatuses.$inferSelect): StoredStatus {
  const { state, since, until } = row;
  if (state === "limited") return { state, since, until: until ?? since };
  if (state === "ok") return { state, since };
  return { state, since, reason: isFailureReason(row.reason) ? row.reason : "unreachable" };
}

const isFailureReason = (text: string | null): text is FailureReason =>
  FAILURE_REASONS.some((trouble) => trouble === text);

type ConnectionRow = typeof connections.$inferInsert;

/** The row that stores a user's connection. */
export async function draftConnection(
  vault: Vault,
  userId: number,
  { source, settings }: { source: string; settings: unknown },
  createdAt: number,
): Promise<ConnectionRow> {
  const text = JSON.stringify(settings);
  const sealedSettings = await vault.seal("connection-settings", userId, text);
  return { userId, source, sealedSettings, createdAt };
}

/** Statements that replace the user's connection by this one. */
export function putConnection(writer: Writer, row: ConnectionRow) {
  return [
    writer.delete(connections).where(eq(connections.userId, row.userId)),
    writer.insert(connections).values(row),
  ];
}
