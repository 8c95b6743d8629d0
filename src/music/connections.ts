import { eq, inArray } from "drizzle-orm";
import { writeUnique } from "../db/errors.ts";
import { connections } from "../db/schema.ts";
import type { Queries } from "../db/store.ts";
import type { AccountsContext } from "../accounts/context.ts";
import { Refused } from "../i18n/refused.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import {
  connectionConditions,
  createConnectionReads,
  decryptConnection,
  publicIdOf,
  type PublicConnectionId,
  refuseId,
} from "./connection-reads.ts";
import { createInboxes } from "./inboxes.ts";
import type { Vault } from "../vault/vault.ts";
import { createSettingsWrites } from "./settings-writes.ts";
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

/** The source that plays until a user has connected something real. */
const DEMO = "demo";

/** A deferred write rejects if it is not stored yet. It is retried: see {@link DeferredWrites}. */
export type Connections = ReturnType<typeof createConnections>;

/** What a user decides about a connection. */
type Choices = Partial<
  Pick<typeof connections.$inferInsert, "name" | "cleansTitles" | "replacesCovers">
>;

export function createConnections(context: AccountsContext, deferred: DeferredWrites) {
  const { store, vault, wallMs } = context;
  const conditions = connectionConditions(context);
  const { isOf, rowsOf, fingerprintOf } = conditions;
  const statusListeners: ((userId: number) => void)[] = [];
  const notifyOfStatus = (userId: number) => {
    for (const notify of statusListeners) notify(userId);
  };
  /** @throws {Refused} when the user has no such connection */
  const change = (user: User, id: PublicConnectionId, choices: Choices): Promise<void> =>
    store.write({ userId: user.id, what: "connections" }, (tx) => {
      const changed = tx
        .update(connections)
        .set(choices)
        .where(isOf(user, id))
        .returning({ id: connections.id })
        .get();
      if (!changed) refuseId();
    });
  return {
    ...createInboxes(context),
    ...createConnectionReads(context, conditions),
    /** Stores the account's fingerprint and end of consent. */
    noteAccount(connectionId: number, { source, id, consentEndsAt }: NotedAccount) {
      const accountHash = fingerprintOf(source, id);
      store.queries
        .update(connections)
        .set({ accountHash, consentEndsAt })
        .where(eq(connections.id, connectionId))
        .run();
    },
    /**
     * Adds a connection at the end, or replaces the settings of the user's connection of the same
     * source and name, which keeps its place and its secret. A first real connection removes the demo.
     * @throws {Refused} when the user has the maximum
     */
    async connect(user: User, source: string, settings: unknown, name = "") {
      const draft = draftConnection(vault, user.id, { source, settings }, wallMs());
      const row = await store.write({ userId: user.id, what: "connections" }, (tx) =>
        putConnection(tx, rowsOf(tx, user), { ...draft, name }),
      );
      return decryptConnection(vault, { row, status: null });
    },
    /**
     * Ends one connection, or all. Returns whether there was one to end.
     * @throws {Refused} when the user has no such connection
     */
    disconnect: (user: User, which: PublicConnectionId | "all") =>
      store.write({ userId: user.id, what: "connections" }, (tx) => {
        const ended = tx
          .delete(connections)
          .where(which === "all" ? eq(connections.userId, user.id) : isOf(user, which))
          .returning({ id: connections.id })
          .all();
        if (ended.length === 0 && which !== "all") refuseId();
        return ended.length > 0;
      }),
    /**
     * Puts these connections first, in this order; the others follow in the order they had.
     * @throws {Refused} when the user has no such connection, or one is given twice
     */
    order: (user: User, ids: readonly PublicConnectionId[]) =>
      store.write({ userId: user.id, what: "connections" }, (tx) => {
        const all = rowsOf(tx, user);
        const first = ids.map((id, index) => {
          if (ids.indexOf(id) !== index) {
            throw new Refused("connection.twice", {}, { isMisuse: true });
          }
          return all.find((row) => publicIdOf(row) === id) ?? refuseId();
        });
        const ordered = [...first, ...all.filter((row) => !first.includes(row))];
        for (const [index, { id }] of ordered.entries()) {
          const position = index + 1;
          tx.update(connections).set({ position }).where(eq(connections.id, id)).run();
        }
      }),
    /**
     * Whether this connection's titles are cleaned, whatever the user has chosen for all; `null` for what
     * is chosen for all.
     * @throws {Refused} when the user has no such connection
     */
    cleanTitles: (user: User, id: PublicConnectionId, isOn: boolean | null) =>
      change(user, id, { cleansTitles: isOn }),
    /**
     * Whether covers that are found elsewhere replace this connection's own.
     * @throws {Refused} when the user has no such connection
     */
    replaceCovers: (user: User, id: PublicConnectionId, isOn: boolean) =>
      change(user, id, { replacesCovers: isOn }),
    /** @throws {Refused} when there is no such connection, or another has this name */
    rename: (user: User, id: PublicConnectionId, name: string) =>
      writeUnique(new Refused("connection.nameTaken", {}, { field: "name" }), () =>
        change(user, id, { name }),
      ),
    ...createSettingsWrites(context, deferred, notifyOfStatus),
    /** Work that stores settings which cannot be had again: a stop of the server waits for it. */
    expectSettings: deferred.expect,
    storeStatus: createStatusWrites(store, deferred, notifyOfStatus),
    /** Calls back with the user whose connection's status was stored. */
    onStatus: (listener: (userId: number) => void) => void statusListeners.push(listener),
  };
}

type ConnectionDraft = typeof connections.$inferInsert;

/** Stores a connection beside the others of its user, or in place of one. @throws {Refused} */
function putConnection(
  tx: Queries,
  all: readonly (typeof connections.$inferSelect)[],
  draft: ConnectionDraft & { readonly name: string },
) {
  const { source, name } = draft;
  const isFirstReal = source !== DEMO && all.every((one) => one.source === DEMO);
  const before = all.find((one) => one.source === source && one.name === name);
  if (!before && !isFirstReal && all.length >= MOST_CONNECTIONS) {
    throw new Refused("connection.tooMany", { most: String(MOST_CONNECTIONS) });
  }
  const replaced = isFirstReal ? all : before ? [before] : [];
  const ids = replaced.map(({ id }) => id);
  tx.delete(connections).where(inArray(connections.id, ids)).run();
  return tx
    .insert(connections)
    .values({
      ...draft,
      position: before?.position ?? (all.at(-1)?.position ?? 0) + 1,
      firstId: before ? publicIdOf(before) : null,
      cleansTitles: before?.cleansTitles ?? null,
      replacesCovers: before?.replacesCovers ?? false,
      secretHash: before?.secretHash ?? null,
      sealedSecret: before?.sealedSecret ?? null,
    })
    .returning()
    .get();
}

/** The row that stores a user's connection. */
export function draftConnection(
  vault: Vault,
  userId: number,
  { source, settings }: { source: string; settings: unknown },
  createdAt: number,
): ConnectionDraft {
  const text = JSON.stringify(settings);
  const sealedSettings = vault.seal("connection-settings", userId, text);
  return { userId, source, sealedSettings, createdAt };
}
