import { sql } from "drizzle-orm";
import type { AccountsContext } from "../accounts/context.ts";
import type { ReportedStatus } from "./connection-status.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";

/**
 * Stores connections' statuses. All that change in one turn of the event loop are one statement:
 * where thousands of channels start at once, a transaction for each would keep answers waiting.
 * @param onStored is called with the user of each connection whose status was stored
 */
export function createStatusWrites(
  { store }: Pick<AccountsContext, "store">,
  deferred: Pick<DeferredWrites, "writeSoon">,
  onStored: (userId: number) => void,
) {
  const { connections, connectionStatuses } = store.tables;
  /** A row of an earlier version has no such time, but may say `ok`. */
  const firstReportAt = sql`coalesce(${connectionStatuses.firstReportAt}, CASE WHEN ${connectionStatuses.state} = 'ok' THEN ${connectionStatuses.since} END, excluded.first_report_at)`;
  const noted = new Map<number, StatusRow>();

  const storeNoted = async () => {
    const storing = [...noted];
    const rows = JSON.stringify(storing.map(([, row]) => row));
    const one = sql`${store.rows(rows, FIELDS)} AS one`;
    const field = (name: keyof StatusRow) => sql`one.${sql.identifier(name)}`;
    const isIt = sql`${connections.id} = ${field("id")}`;
    const [found] = await store.inBackground((writer) => [
      writer.select({ userId: connections.userId }).from(connections).innerJoin(one, isIt),
      writer
        .insert(connectionStatuses)
        .select((query) =>
          query
            .select({
              connectionId: connections.id,
              state: field("state").as("state"),
              reason: field("reason").as("reason"),
              since: field("since").as("since"),
              until: field("until").as("until"),
              firstReportAt: field("firstReportAt").as("first_report_at"),
            })
            .from(connections)
            .innerJoin(one, isIt)
            // Without a condition SQLite takes ON CONFLICT for a part of the join.
            .where(sql`true`),
        )
        .onConflictDoUpdate({
          target: connectionStatuses.connectionId,
          set: {
            state: sql`excluded.state`,
            reason: sql`excluded.reason`,
            since: sql`excluded.since`,
            until: sql`excluded.until`,
            firstReportAt: firstReportAt,
          },
        }),
    ]);
    for (const [id, row] of storing) if (noted.get(id) === row) noted.delete(id);
    for (const { userId } of found) onStored(userId);
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

const FIELDS = {
  id: "bigint",
  state: "text",
  reason: "text",
  since: "bigint",
  until: "bigint",
  firstReportAt: "bigint",
} as const satisfies Record<keyof StatusRow, "text" | "bigint">;

/** @param firstReportAt when the connection first reported, as far as it is noted and not yet stored */
const toRow = (id: number, status: ReportedStatus, firstReportAt: number | null) => ({
  id,
  state: status.state,
  reason: status.state === "retrying" ? status.reason : null,
  since: status.since,
  until: status.state === "limited" ? status.until : null,
  firstReportAt: firstReportAt ?? (status.state === "ok" ? status.since : null),
});
