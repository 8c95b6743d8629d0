import { eq, inArray } from "drizzle-orm";
import { isNotUnique } from "../db/errors.ts";
import type { Schema } from "../db/schema.ts";
import { step } from "../db/store.ts";
import { AccountError, type AccountsContext, storeSealed } from "../accounts/context.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import {
  connectionConditions,
  type ConnectionReads,
  createConnectionReads,
  openConnection,
  publicIdOf,
  type PublicConnectionId,
  type Connection,
  refuseId,
} from "./connection-reads.ts";
import type { ReportedStatus } from "./connection-status.ts";
import { createInboxes, type Inboxes } from "./inboxes.ts";
import type { Vault } from "../vault/vault.ts";
import { type ChangeSettings, createSettingsWrites } from "./settings-writes.ts";
import { createStatusWrites } from "./status-writes.ts";
import type { User } from "../accounts/users.ts";

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
      `${userName} has ${MOST_CONNECTIONS} connections, which is the maximum. End one first: "marquee connection list ${userName}" shows them, "marquee disconnect ${userName} ID" ends one.`,
    );
  }
}

/** The source that plays until a user has connected something real. */
const DEMO = "demo";

/** A deferred write rejects if it is not stored yet. It is retried: see {@link DeferredWrites}. */
export interface Connections extends Inboxes, ConnectionReads {
  /**
   * Adds a connection at the end, or replaces the settings of the user's connection of the same
   * source and name, which keeps its place and its secret. A first real connection removes the demo.
   * @throws {TooManyConnectionsError}
   */
  connect(user: User, source: string, settings: unknown, name?: string): Promise<Connection>;
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
   * Whether this connection's titles are cleaned, whatever the user has chosen for all; `null` for what
   * is chosen for all.
   * @throws {AccountError} when the user has no such connection
   */
  cleanTitles(user: User, id: PublicConnectionId, isOn: boolean | null): Promise<void>;
  /**
   * Whether covers that are found elsewhere replace this connection's own.
   * @throws {AccountError} when the user has no such connection
   */
  replaceCovers(user: User, id: PublicConnectionId, isOn: boolean): Promise<void>;
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
   * of several changes that were begun together, and the others reject.
   * @throws {SecretError} when the secret key is not the one in force
   */
  changeSettings(connectionId: number, change: ChangeSettings): Promise<unknown>;
  /** Stores a connection's status. Does nothing if it is gone. Deferred. */
  storeStatus(connectionId: number, status: ReportedStatus): Promise<void>;
  /** Stores the account's fingerprint and end of consent. */
  noteAccount(connectionId: number, account: NotedAccount): Promise<void>;
  /** Calls back with the user whose connection's status was stored. */
  onStatus(listener: (userId: number) => void): void;
}

/** What a user decides about a connection. */
type Choices = Partial<
  Pick<Schema["connections"]["$inferInsert"], "name" | "cleansTitles" | "replacesCovers">
>;

export function createConnections(context: AccountsContext, deferred: DeferredWrites): Connections {
  const { store, vault, wallMs } = context;
  const { atomically, exclusively } = store;
  const { connections } = store.tables;
  const conditions = connectionConditions(context);
  const { isOf, rowsOf, fingerprintOf } = conditions;
  const statusListeners: ((userId: number) => void)[] = [];
  const notifyOfStatus = (userId: number) => {
    for (const notify of statusListeners) notify(userId);
  };
  const statusWrites = createStatusWrites({ store }, deferred, notifyOfStatus);
  /** @throws {AccountError} when the user has no such connection */
  const change = async (user: User, id: PublicConnectionId, choices: Choices): Promise<void> => {
    const [changed] = await atomically((writer) => [
      writer
        .update(connections)
        .set(choices)
        .where(isOf(user, id))
        .returning({ id: connections.id }),
    ]);
    if (changed.length === 0) refuseId(user, id);
  };
  return {
    ...createInboxes(context),
    ...createConnectionReads(context, conditions),
    async noteAccount(connectionId, { source, id, consentEndsAt }) {
      const accountHash = fingerprintOf(source, id);
      await atomically((writer) => [
        writer
          .update(connections)
          .set({ accountHash, consentEndsAt })
          .where(eq(connections.id, connectionId)),
      ]);
    },
    connect: (user, source, settings, name = "") =>
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
                cleansTitles: before?.cleansTitles ?? null,
                replacesCovers: before?.replacesCovers ?? false,
                secretHash: before?.secretHash ?? null,
                sealedSecret: before?.sealedSecret ?? null,
              })
              .returning(),
          );
          return inserted[0];
        });
        if (!row) throw new Error("the database stored no connection, and no error");
        return openConnection(vault, { row, firstReportAt: null, state: null });
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
    cleanTitles: (user, id, isOn) => change(user, id, { cleansTitles: isOn }),
    replaceCovers: (user, id, isOn) => change(user, id, { replacesCovers: isOn }),
    async rename(user, id, name) {
      try {
        await change(user, id, { name });
      } catch (error) {
        if (!isNotUnique(error)) throw error;
        throw new AccountError(
          `Another connection of ${user.name} to the same source has the name ${JSON.stringify(name)}. Choose another name.`,
        );
      }
    },
    ...createSettingsWrites(context, deferred, notifyOfStatus),
    storeStatus: statusWrites.store,
    onStatus: (listener) => void statusListeners.push(listener),
  };
}

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
