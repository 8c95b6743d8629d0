import {
  and,
  asc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNull,
  lte,
  ne,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { isNotUnique } from "../db/errors.ts";
import type { Schema } from "../db/schema.ts";
import { step, type Writer } from "../db/store.ts";
import { AccountError, type AccountsContext, storeSealed } from "../accounts/context.ts";
import type { DeferredWrites } from "../accounts/deferred-writes.ts";
import {
  type StoredStatus,
  type ReportedStatus,
  type FailureReason,
  FAILURE_REASONS,
} from "./connection-status.ts";
import { createInboxes, type Inboxes } from "./inboxes.ts";
import type { Vault } from "../vault/secrets.ts";
import { type ChangeSettings, createSettingsWrites, openSettings } from "./settings-writes.ts";
import { createStatusWrites } from "./status-writes.ts";
import type { User } from "../accounts/users.ts";

/** By which people know a connection: it stays when the connection's settings are replaced. */
export type PublicConnectionId = number & { readonly kind: "public-connection-id" };

/** One of a user's connections. */
export interface Connection {
  /** Never reused: another id means another connection, or other settings. */
  readonly id: number;
  readonly publicId: PublicConnectionId;
  readonly userId: number;
  readonly source: string;
  /** Tells a user's connections to the same source apart; often empty. */
  readonly name: string;
  /** The source's own settings, which the source validates; `undefined` if decryption fails. */
  readonly settings: unknown;
  /** When the upstream refused our credentials (Unix ms): the user has to connect again. */
  readonly refusedAt: number | null;
  /** Whether it was ever heard with these settings. */
  readonly hasWorked: boolean;
}

/** What is stored of an account outside its encrypted settings. */
export interface NotedAccount {
  readonly source: string;
  /** `null` when the upstream gives none. */
  readonly id: string | null;
  /** When the upstream's consent ends (Unix ms), where it ends by itself. */
  readonly consentEndsAt: number | null;
}

/** The maximum of connections per user. */
export const MOST_CONNECTIONS = 10;

/** A user has the maximum of connections. */
export class TooManyConnectionsError extends AccountError {
  constructor(userName: string) {
    super(
      `${userName} has ${MOST_CONNECTIONS} connections, which is the most there may be. End one first: "marquee connection list ${userName}" shows them, "marquee disconnect ${userName} ID" ends one.`,
    );
  }
}

/** The source that plays until a user has connected something real. */
const DEMO = "demo";

const PAGE = 50;

/** A deferred write rejects if it is not stored yet. It is retried: see {@link DeferredWrites}. */
export interface Connections extends Inboxes {
  /** A user's connections in the user's order. */
  allOf(userId: number): Promise<readonly Connection[]>;
  /** The ids of those that are not refused, without decrypting anything. */
  workingIdsOf(userId: number): Promise<readonly number[]>;
  byId(connectionId: number): Promise<Connection | undefined>;
  /** The user's connection with this public id. @throws {AccountError} if there is none */
  find(user: User, id: PublicConnectionId): Promise<Connection>;
  /**
   * Adds a connection at the end, or replaces the settings of the user's connection of the same
   * source and name, which keeps its place and its secret. A first real connection removes the demo.
   * @throws {TooManyConnectionsError}
   */
  connect(
    user: User,
    source: string,
    settings: unknown,
    options?: { readonly name?: string },
  ): Promise<Connection>;
  /**
   * Ends one connection, or all. Returns whether there was one to end.
   * @throws {AccountError} when the user has no such connection
   */
  disconnect(user: User, which: PublicConnectionId | "all"): Promise<boolean>;
  /**
   * Puts these connections first, in this order; the others follow in the order they had.
   * @throws {AccountError} when the user has no such connection, or one is given twice
   */
  order(user: User, ids: readonly PublicConnectionId[]): Promise<void>;
  /** @throws {AccountError} when there is no such connection, or another has this name */
  rename(user: User, id: PublicConnectionId, name: string): Promise<void>;
  /**
   * Stores that the upstream refuses this connection until the user connects again, whatever its
   * settings are now. Deferred.
   */
  markRefused(connectionId: number): Promise<void>;
  /**
   * The same, but only if the connection still has these settings. Returns whether it is refused
   * now, or gone: otherwise it has other settings. Deferred.
   */
  refuse(connectionId: number, settings: unknown): Promise<boolean>;
  /**
   * Stores what `change` makes of the settings that are stored. If somebody else stores others in
   * between, it is called again with those. Returns the settings that are stored then; `undefined`
   * if the connection is gone or its settings are damaged. Deferred: this process stores the last
   * of several changes that were begun together.
   * @throws {SecretError} when the secret key is not the one in force
   */
  changeSettings(connectionId: number, change: ChangeSettings): Promise<unknown>;
  /** Stores a connection's status. Does nothing if it is gone. Deferred. */
  storeStatus(connectionId: number, status: ReportedStatus): Promise<void>;
  /**
   * One page of a source's connections whose account is not stored yet.
   * @param afterId last id of the previous page, or 0
   */
  withoutAccount(source: string, afterId: number): Promise<Connection[]>;
  /** Stores the account's fingerprint and end of consent. */
  noteAccount(connectionId: number, account: NotedAccount): Promise<void>;
  /** The users with a connection that is stored with this account, ordered by id. */
  usersOf(source: string, accountId: string): Promise<User[]>;
  /** The users with a working connection whose consent ends by then (Unix ms). */
  usersWhoseConsentEnds(untilMs: number): Promise<User[]>;
  /** Calls back with the user whose connection's status was stored. */
  onStatus(listener: (userId: number) => void): void;
  statusOf(connection: Pick<Connection, "id" | "refusedAt">): Promise<StoredStatus>;
}

export function createConnections(context: AccountsContext, deferred: DeferredWrites): Connections {
  const { store, vault, wallMs } = context;
  const { queries, atomically, exclusively } = store;
  const { connectionStatuses, connections, users } = store.tables;
  const inOrder = [asc(connections.position), asc(connections.id)];
  const publicId = sql<number>`coalesce(${connections.firstId}, ${connections.id})`;
  const statusListeners: ((userId: number) => void)[] = [];
  const tellStatusOf = (userId: number) => {
    for (const tell of statusListeners) tell(userId);
  };
  const statusWrites = createStatusWrites({ store }, deferred, tellStatusOf);
  const toConnection = async ({ row, firstReportAt, state }: FoundRow): Promise<Connection> => {
    const { id, userId, source, name, refusedAt } = row;
    return {
      id,
      publicId: publicIdOf(row),
      userId,
      source,
      name,
      refusedAt,
      // Earlier versions did not store when a connection was first heard.
      hasWorked: firstReportAt !== null || state === "ok",
      settings: await openSettings(vault, row),
    };
  };
  const find = (condition: SQL | undefined) =>
    queries
      .select({
        row: connections,
        firstReportAt: connectionStatuses.firstReportAt,
        state: connectionStatuses.state,
      })
      .from(connections)
      .leftJoin(connectionStatuses, eq(connectionStatuses.connectionId, connections.id))
      .where(condition);
  /** Prepared once: each channel that starts needs this query, which takes longer to build than to run. */
  const prepareOfUser = () =>
    find(eq(connections.userId, sql.placeholder("userId")))
      .orderBy(...inOrder)
      .prepare();
  let preparedOfUser: ReturnType<typeof prepareOfUser> | undefined;
  const ofUser = () => (preparedOfUser ??= prepareOfUser());
  const rowsOf = (writer: Writer, { id }: User) =>
    writer
      .select()
      .from(connections)
      .where(eq(connections.userId, id))
      .orderBy(...inOrder);
  const isOf = (user: User, id: PublicConnectionId) =>
    and(eq(connections.userId, user.id), sql`${publicId} = ${id}`);

  const fingerprintOf = (source: string, accountId: string | null) =>
    vault.fingerprint(JSON.stringify([source, accountId]));
  const usersWhere = async (condition: SQL | undefined) =>
    queries
      .selectDistinct(getTableColumns(users))
      .from(connections)
      .innerJoin(users, eq(users.id, connections.userId))
      .where(condition)
      .orderBy(asc(users.id));
  return {
    ...createInboxes(context),
    allOf: async (userId) => Promise.all((await ofUser().execute({ userId })).map(toConnection)),
    async workingIdsOf(userId) {
      const rows = await queries
        .select({ id: connections.id })
        .from(connections)
        .where(and(eq(connections.userId, userId), isNull(connections.refusedAt)))
        .orderBy(...inOrder);
      return rows.map(({ id }) => id);
    },
    async byId(connectionId) {
      const [found] = await find(eq(connections.id, connectionId));
      return found && toConnection(found);
    },
    async find(user, id) {
      const [found] = await find(isOf(user, id));
      return found ? toConnection(found) : refuseId(user, id);
    },
    async withoutAccount(source, afterId) {
      const noted = sql`substr(${connections.accountHash}, 1, ${vault.keyId.length})`;
      const rows = await find(
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
    connect: (user, source, settings, { name = "" } = {}) =>
      storeSealed(vault, async () => {
        const draft = await draftConnection(vault, user.id, { source, settings }, wallMs());
        const row = await exclusively(function* (writer) {
          const all = yield* step(rowsOf(writer, user));
          const isFirstReal = source !== DEMO && all.every((one) => one.source === DEMO);
          const before = all.find((one) => one.source === source && one.name === name);
          if (!before && !isFirstReal && all.length >= MOST_CONNECTIONS) {
            throw new TooManyConnectionsError(user.name);
          }
          const replaced = isFirstReal ? all : before ? [before] : [];
          const ids = replaced.map(({ id }) => id);
          yield* step(writer.delete(connections).where(inArray(connections.id, ids)));
          const inserted = yield* step(
            writer
              .insert(connections)
              .values({
                ...draft,
                name,
                position: before?.position ?? (all.at(-1)?.position ?? 0) + 1,
                firstId: before ? publicIdOf(before) : null,
                secretHash: before?.secretHash ?? null,
                sealedSecret: before?.sealedSecret ?? null,
              })
              .returning(),
          );
          return inserted[0];
        });
        if (!row) throw new Error("the database stored no connection, and no error");
        return toConnection({ row, firstReportAt: null, state: null });
      }),
    async disconnect(user, which) {
      const [ended] = await atomically((writer) => [
        writer
          .delete(connections)
          .where(which === "all" ? eq(connections.userId, user.id) : isOf(user, which))
          .returning({ id: connections.id }),
      ]);
      if (ended.length === 0 && which !== "all") refuseId(user, which);
      return ended.length > 0;
    },
    order: (user, ids) =>
      exclusively(function* (writer) {
        const all = yield* step(rowsOf(writer, user));
        const first = ids.map((id, index) => {
          if (ids.indexOf(id) !== index) {
            throw new AccountError(`The connection ${id} is given twice.`, true);
          }
          return all.find((row) => publicIdOf(row) === id) ?? refuseId(user, id);
        });
        const ordered = [...first, ...all.filter((row) => !first.includes(row))];
        for (const [index, { id, position }] of ordered.entries()) {
          if (position === index + 1) continue;
          yield* step(
            writer
              .update(connections)
              .set({ position: index + 1 })
              .where(eq(connections.id, id)),
          );
        }
      }),
    async rename(user, id, name) {
      try {
        const [renamed] = await atomically((writer) => [
          writer
            .update(connections)
            .set({ name })
            .where(isOf(user, id))
            .returning({ id: connections.id }),
        ]);
        if (renamed.length === 0) refuseId(user, id);
      } catch (error) {
        if (!isNotUnique(error)) throw error;
        throw new AccountError(
          `Another connection of ${user.name} to the same source has the name ${JSON.stringify(name)}. Choose another name.`,
        );
      }
    },
    ...createSettingsWrites(context, deferred, tellStatusOf),
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

type ConnectionRow = Schema["connections"]["$inferSelect"];

/** A stored connection, and what is known of it from listening. */
interface FoundRow {
  readonly row: ConnectionRow;
  readonly firstReportAt: number | null;
  readonly state: StoredStatus["state"] | null;
}

const publicIdOf = ({ id, firstId }: { id: number; firstId: number | null }) =>
  (firstId ?? id) as PublicConnectionId;

/** The text as a connection's public id. The connection may still be unknown. */
export const parseConnectionId = (text: string): PublicConnectionId | undefined =>
  /^[1-9]\d{0,14}$/.test(text) ? (Number(text) as PublicConnectionId) : undefined;

/** @throws {AccountError} always: no such connection */
function refuseId(user: User, id: PublicConnectionId): never {
  throw new AccountError(
    `${user.name} has no connection ${id}. "marquee connection list ${user.name}" shows all.`,
  );
}

function toHealthState(row: Schema["connectionStatuses"]["$inferSelect"]): StoredStatus {
  const { state, since, until } = row;
  if (state === "limited") return { state, since, until: until ?? since };
  if (state === "ok") return { state, since };
  return { state, since, reason: isFailureReason(row.reason) ? row.reason : "unreachable" };
}

const isFailureReason = (text: string | null): text is FailureReason =>
  FAILURE_REASONS.some((trouble) => trouble === text);

/** The row that stores a user's connection. */
export async function draftConnection(
  vault: Vault,
  userId: number,
  { source, settings }: { source: string; settings: unknown },
  createdAt: number,
): Promise<Schema["connections"]["$inferInsert"]> {
  const text = JSON.stringify(settings);
  const sealedSettings = await vault.seal("connection-settings", userId, text);
  return { userId, source, sealedSettings, createdAt };
}
