import { eq } from "drizzle-orm";
import { connections, connectionStatuses } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import type { ReportedStatus } from "./connection-status.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";

/**
 * Stores connections' statuses. All that change in one turn of the event loop are one transaction:
 * where thousands of channels start at once, one for each would keep answers waiting.
 * @param onStored is called with the user of each connection whose status was stored
 */
export function createStatusWrites(
  store: Store,
  deferred: Pick<DeferredWrites, "writeSoon">,
  onStored: (userId: number) => void,
) {
  const noted = new Map<number, StatusRow>();

  /** The users whose connections' statuses were stored. */
  const storeAll = (rows: readonly StatusRow[]): number[] =>
    store.transaction((tx) =>
      rows.flatMap((row) => {
        const connection = tx
          .select({ userId: connections.userId })
          .from(connections)
          .where(eq(connections.id, row.connectionId))
          .get();
        if (!connection) return [];
        const isIt = eq(connectionStatuses.connectionId, row.connectionId);
        const before = tx.select().from(connectionStatuses).where(isIt).get();
        const set = { ...row, firstReportAt: before?.firstReportAt ?? row.firstReportAt };
        tx.insert(connectionStatuses)
          .values(set)
          .onConflictDoUpdate({ target: connectionStatuses.connectionId, set })
          .run();
        return [connection.userId];
      }),
    );

  const storeNoted = () => {
    const userIds = storeAll([...noted.values()]);
    noted.clear();
    for (const userId of userIds) onStored(userId);
  };

  return {
    /** Does nothing if the connection is gone. */
    store(connectionId: number, status: ReportedStatus): Promise<void> {
      const before = noted.get(connectionId);
      noted.set(connectionId, toRow(connectionId, status, before?.firstReportAt ?? null));
      return deferred.writeSoon("statuses of connections", storeNoted);
    },
  };
}

type StatusRow = ReturnType<typeof toRow>;

/** @param firstReportAt when the connection first reported, as far as it is noted and not yet stored */
const toRow = (connectionId: number, status: ReportedStatus, firstReportAt: number | null) => ({
  connectionId,
  state: status.state,
  reason: status.state === "retrying" ? status.reason : null,
  since: status.since,
  until: status.state === "limited" ? status.until : null,
  firstReportAt: firstReportAt ?? (status.state === "ok" ? status.since : null),
});
