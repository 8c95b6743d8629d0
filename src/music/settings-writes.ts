import { eq } from "drizzle-orm";
import { connections } from "../db/schema.ts";
import type { AccountsContext } from "../accounts/context.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";

type ConnectionRow = typeof connections.$inferSelect;

/**
 * What watching writes to connections. All of it does nothing if the connection is gone.
 * @param onRefusal is called with the user of a connection that became refused
 */
export function createSettingsWrites(
  { store, vault, wallMs }: AccountsContext,
  deferred: Pick<DeferredWrites, "write">,
  onRefusal: (userId: number) => void,
) {
  const rowOf = (connectionId: number): ConnectionRow | undefined =>
    store.queries.select().from(connections).where(eq(connections.id, connectionId)).get();

  return {
    /** Stores settings in place of those that are stored. Deferred. */
    storeSettings(connectionId: number, settings: unknown): Promise<void> {
      return deferred.write(`settings of ${connectionId}`, () => {
        const row = rowOf(connectionId);
        if (!row) return;
        const text = JSON.stringify(settings);
        const sealedSettings = vault.seal("connection-settings", row.userId, text);
        const isIt = eq(connections.id, connectionId);
        store.queries.update(connections).set({ sealedSettings }).where(isIt).run();
      });
    },

    /** Stores that the upstream refuses a connection until the user connects again. Deferred. */
    markRefused(connectionId: number): Promise<void> {
      const refusedAt = wallMs();
      return deferred.write(`refusal of ${connectionId}`, async () => {
        const row = rowOf(connectionId);
        if (!row || row.refusedAt !== null) return;
        const { userId } = row;
        const isIt = eq(connections.id, connectionId);
        await store.write({ userId, what: "connections" }, (tx) =>
          tx.update(connections).set({ refusedAt }).where(isIt).run(),
        );
        onRefusal(userId);
      });
    },
  };
}
