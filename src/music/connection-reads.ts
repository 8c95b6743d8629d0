import { and, asc, eq, getTableColumns, gt, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { type AccountsContext, readSealed } from "../accounts/context.ts";
import type { User } from "../accounts/users.ts";
import { connections, connectionStatuses, users } from "../db/schema.ts";
import type { Queries } from "../db/store.ts";
import { Refused } from "../i18n/refused.ts";
import { lazily } from "../once.ts";
import { FAILURE_REASONS, type FailureReason, type StoredStatus } from "./connection-status.ts";
import type { Vault } from "../vault/vault.ts";

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
  /** Whether it has ever reported with these settings. */
  readonly hasWorked: boolean;
  /** As it was stored when the connection was read. */
  readonly status: StoredStatus;
}

const PAGE = 50;

/** Questions about connections. */
export function createConnectionReads(
  { store, vault }: AccountsContext,
  { fingerprintOf, isOf, inOrder }: ConnectionConditions,
) {
  const { queries } = store;
  const toConnection = (found: FoundRow) => decryptConnection(vault, found);
  const find = (condition: SQL | undefined) =>
    queries
      .select({ row: connections, status: connectionStatuses })
      .from(connections)
      .leftJoin(connectionStatuses, eq(connectionStatuses.connectionId, connections.id))
      .where(condition);
  /** Each channel that starts needs it. */
  const ofUser = lazily(() =>
    find(eq(connections.userId, sql.placeholder("userId")))
      .orderBy(...inOrder)
      .prepare(),
  );
  const usersWhere = (condition: SQL | undefined) =>
    queries
      .selectDistinct(getTableColumns(users))
      .from(connections)
      .innerJoin(users, eq(users.id, connections.userId))
      .where(condition)
      .orderBy(asc(users.id))
      .all();
  return {
    /** A user's connections in the user's order. */
    allOf(userId: number): readonly Connection[] {
      return ofUser().all({ userId }).map(toConnection);
    },
    /** The user's connection with this public id. @throws {Refused} if there is none */
    find(user: User, id: PublicConnectionId): Connection {
      const found = find(isOf(user, id)).get();
      return found ? toConnection(found) : refuseId();
    },
    /**
     * One page of a source's connections whose account is not stored yet.
     * @param afterId last id of the previous page, or 0
     */
    withoutAccount(source: string, afterId: number) {
      const noted = sql`substr(${connections.accountHash}, 1, ${vault.keyId.length})`;
      const rows = find(
        and(
          eq(connections.source, source),
          gt(connections.id, afterId),
          or(isNull(connections.accountHash), ne(noted, vault.keyId)),
        ),
      )
        .orderBy(asc(connections.id))
        .limit(PAGE)
        .all();
      return rows.map(toConnection);
    },
    /** The users with a connection that is stored with this account, ordered by id. */
    usersOf: (source: string, accountId: string): User[] =>
      usersWhere(eq(connections.accountHash, fingerprintOf(source, accountId))),
    /** The users with a working connection whose consent ends by then (Unix ms). */
    usersWhoseConsentEnds: (untilMs: number): User[] =>
      usersWhere(and(lte(connections.consentEndsAt, untilMs), isNull(connections.refusedAt))),
  };
}

/** A stored connection with its settings decrypted. */
export function decryptConnection(vault: Vault, { row, status }: FoundRow): Connection {
  const { id, userId, source, name, refusedAt, sealedSettings } = row;
  return {
    id,
    publicId: publicIdOf(row),
    userId,
    source,
    name,
    refusedAt,
    // Earlier versions did not store when a connection first reported.
    hasWorked: status !== null && (status.firstReportAt !== null || status.state === "ok"),
    status: statusIn(row, status),
    settings: readSealed(vault, "connection-settings", userId, sealedSettings),
  };
}

/** Conditions and orders in which reads and writes agree. */
export function connectionConditions({ vault }: Pick<AccountsContext, "vault">) {
  const inOrder = [asc(connections.position), asc(connections.id)];
  const publicId = sql<number>`coalesce(${connections.firstId}, ${connections.id})`;
  return {
    inOrder,
    isOf: (user: User, id: PublicConnectionId) =>
      and(eq(connections.userId, user.id), sql`${publicId} = ${id}`),
    /** All rows of a user, read within a write. */
    rowsOf: (tx: Queries, { id }: User) =>
      tx
        .select()
        .from(connections)
        .where(eq(connections.userId, id))
        .orderBy(...inOrder)
        .all(),
    fingerprintOf: (source: string, accountId: string | null) =>
      vault.fingerprint(JSON.stringify([source, accountId])),
  };
}

type ConnectionConditions = ReturnType<typeof connectionConditions>;

type ConnectionRow = typeof connections.$inferSelect;

type StatusRow = typeof connectionStatuses.$inferSelect;

/** A stored connection, and what its reports have shown of it. */
interface FoundRow {
  readonly row: ConnectionRow;
  readonly status: StatusRow | null;
}

export const publicIdOf = ({ id, firstId }: { id: number; firstId: number | null }) =>
  (firstId ?? id) as PublicConnectionId;

/** The text as a connection's public id. The connection may still be unknown. */
export const parseConnectionId = (text: string): PublicConnectionId | undefined =>
  /^[1-9]\d{0,14}$/.test(text) ? (Number(text) as PublicConnectionId) : undefined;

/** @throws {Refused} always: no such connection */
export function refuseId(): never {
  throw new Refused("connection.unknown");
}

function statusIn({ refusedAt }: ConnectionRow, row: StatusRow | null): StoredStatus {
  if (refusedAt !== null) return { state: "needsLinking", since: refusedAt };
  if (!row) return { state: "untried" };
  const { state, since, until } = row;
  if (state === "limited") return { state, since, until: until ?? since };
  if (state === "ok") return { state, since };
  return { state, since, reason: isFailureReason(row.reason) ? row.reason : "unreachable" };
}

const isFailureReason = (text: string | null): text is FailureReason =>
  FAILURE_REASONS.some((reason) => reason === text);
