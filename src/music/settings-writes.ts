import { and, eq, isNull } from "drizzle-orm";
import type { Schema } from "../db/schema.ts";
import { type AccountsContext, storeSealed } from "../accounts/context.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import { SecretError, type Vault } from "../vault/vault.ts";

/** What takes the place of a connection's stored settings. */
export interface SettingsChange {
  readonly settings: unknown;
  /** Whether the upstream refuses them, so that the user has to connect again. */
  readonly isRefused: boolean;
}

/**
 * Returns what is to be stored in place of these settings; `undefined` leaves them as they are. It
 * may be called several times, and long after it was given.
 */
export type ChangeSettings = (stored: unknown) => SettingsChange | undefined;

type ConnectionRow = Schema["connections"]["$inferSelect"];

/**
 * What watching writes to connections. A connection may be watched by another node by now, or be
 * linked again: so each write names what it has read, and comes to nothing if that has changed.
 * @param onRefusal is called with the user of a connection that became refused, or is no longer
 */
export function createSettingsWrites(
  { store, vault, wallMs }: AccountsContext,
  deferred: Pick<DeferredWrites, "write">,
  onRefusal: (userId: number) => void,
) {
  const { queries, inBackground } = store;
  const { connections } = store.tables;

  const rowOf = async (connectionId: number): Promise<ConnectionRow | undefined> => {
    const [row] = await queries.select().from(connections).where(eq(connections.id, connectionId));
    return row;
  };

  /** Changes a row if it is still as it was read. Returns whether it was. */
  const replace = async (
    { id, userId, sealedSettings, refusedAt }: ConnectionRow,
    values: Partial<Pick<ConnectionRow, "sealedSettings" | "refusedAt">>,
  ): Promise<boolean> => {
    const isAsRead = and(
      eq(connections.id, id),
      eq(connections.sealedSettings, sealedSettings),
      refusedAt === null ? isNull(connections.refusedAt) : eq(connections.refusedAt, refusedAt),
    );
    const [replaced] = await inBackground((writer) => [
      writer.update(connections).set(values).where(isAsRead).returning({ id: connections.id }),
    ]);
    if (replaced.length === 0) return false;
    if (values.refusedAt !== undefined) onRefusal(userId);
    return true;
  };

  return {
    async changeSettings(connectionId: number, change: ChangeSettings): Promise<unknown> {
      const nowMs = wallMs();
      let stored: unknown;
      let isTried = false;
      const attempt = async () => {
        isTried = true;
        for (;;) {
          const row = await rowOf(connectionId);
          // What cannot be read for want of the key must not count as gone.
          if (row) await vault.recognize(row.sealedSettings);
          stored = row && (await openSettings(vault, row));
          const wanted = stored === undefined ? undefined : change(stored);
          if (!row || !wanted) return;
          const text = JSON.stringify(wanted.settings);
          const sealedSettings = await vault.seal("connection-settings", row.userId, text);
          const changesRefusal = wanted.isRefused !== (row.refusedAt !== null);
          // A column that is named here counts as changed, even if its value stays the same.
          const refusal = changesRefusal && { refusedAt: wanted.isRefused ? nowMs : null };
          if (await replace(row, { sealedSettings, ...refusal })) {
            stored = wanted.settings;
            return;
          }
        }
      };
      await deferred.write(`settings of ${connectionId}`, () => storeSealed(vault, attempt));
      // Not gone: the caller has to know that its change is not stored.
      if (!isTried) throw new Error("a newer change of these settings has replaced this one");
      return stored;
    },

    async refuse(connectionId: number, settings: unknown): Promise<boolean> {
      const refusedAt = wallMs();
      let isRefused = true;
      await deferred.write(`refusal of ${connectionId}`, async () => {
        for (;;) {
          const row = await rowOf(connectionId);
          isRefused = !row || row.refusedAt !== null;
          if (!row || isRefused) return;
          // Equal settings have other bytes when the secret key was replaced.
          if (!Bun.deepEquals(await openSettings(vault, row), settings)) return;
          isRefused = await replace(row, { refusedAt });
          if (isRefused) return;
        }
      });
      return isRefused;
    },

    async markRefused(connectionId: number): Promise<void> {
      const refusedAt = wallMs();
      await deferred.write(`refusal of ${connectionId}`, async () => {
        const [refused] = await inBackground((writer) => [
          writer
            .update(connections)
            .set({ refusedAt })
            .where(eq(connections.id, connectionId))
            .returning({ userId: connections.userId }),
        ]);
        for (const { userId } of refused) onRefusal(userId);
      });
    },
  };
}

/** The settings of a row; `undefined` if they cannot be decrypted: this affects only its own user. */
export async function openSettings(
  vault: Vault,
  { userId, sealedSettings }: Pick<ConnectionRow, "userId" | "sealedSettings">,
): Promise<unknown> {
  try {
    return JSON.parse(await vault.open("connection-settings", userId, sealedSettings));
  } catch (error) {
    if (error instanceof SecretError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
