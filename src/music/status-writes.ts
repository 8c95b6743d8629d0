import { eq, sql } from "drizzle-orm";
import { connections, connectionStatuses } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import type { ReportedStatus } from "./connection-status.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import { lazily } from "../once.ts";

/**
 * Returns a function that stores a connection's status, or does nothing if the connection is gone. All
 * statuses that change in one turn of the event loop are one transaction: where thousands of channels
 * start at once, one for each would keep answers waiting.
 * @param onStored is called with the user of each connection whose status was stored
 */
export function createStatusWrites(
  store: Store,
  deferred: Pick<DeferredWrites, "writeSoon">,
  onStored: (userId: number) => void,
) {
  const noted = new Map<number, StatusRow>();
  const { queries } = store;

  /** Each channel that starts needs them. */
  const prepared = lazily(() => ({
    userOf: queries
      .select({ userId: connections.userId })
      .from(connections)
      .where(eq(connections.id, sql.placeholder("connectionId")))
      .prepare(),
    put: queries
      .insert(connectionStatuses)
      .values({
        connectionId: sql.placeholder("connectionId"),
        state: sql.placeholder("state"),
        reason: sql.placeholder("reason"),
        since: sql.placeholder("since"),
        until: sql.placeholder("until"),
        firstReportAt: sql.placeholder("firstReportAt"),
      })
      .onConflictDoUpdate({
        target: connectionStatuses.connectionId,
        set: {
          state: sql`excluded.state`,
          reason: sql`excluded.reason`,
          since: sql`excluded.since`,
          until: sql`excluded.until`,
          firstReportAt: sql`coalesce(${connectionStatuses.firstReportAt}, excluded.first_report_at)`,
        },
      })
      .prepare(),
  }));

  /** The users whose connections' statuses were stored. */
  const storeAll = (rows: readonly StatusRow[]): number[] => {
    const { userOf, put } = prepared();
    return store.transaction(() =>
      rows.flatMap((row) => {
        const connection = userOf.get(row);
        if (!connection) return [];
        put.run(row);
        return [connection.userId];
      }),
    );
  };

  const storeNoted = () => {
    const userIds = storeAll([...noted.values()]);
    noted.clear();
    for (const userId of userIds) onStored(userId);
  };

  return (connectionId: number, status: ReportedStatus): Promise<void> => {
    const before = noted.get(connectionId);
    noted.set(connectionId, toRow(connectionId, status, before?.firstReportAt ?? null));
    return deferred.writeSoon("statuses of connections", storeNoted);
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
