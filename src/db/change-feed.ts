import type { Database } from "bun:sqlite";
import { getTableName } from "drizzle-orm";
import { changeOf, type ChangeListener, tellAll } from "./change.ts";
import { hasTable } from "./sealed-values.ts";
import { watchedTables } from "./watched-tables.ts";

/** Reports whose data changed, whichever process wrote it. */
export interface ChangeFeed {
  /** Calls back with the changes of one user, or those that concern all users. */
  onChange(listener: ChangeListener): void;
  /**
   * Calls the listeners, one after the other, with the changes since the last call.
   * @throws the first error of a listener, after all were called
   */
  publishChanges(): Promise<void>;
  /** The same, but only if another process has written. Cheap if none has. */
  checkForChanges(): Promise<void>;
}

/** The user id of a change that concerns all users; no user has it. */
const EVERYBODY = 0;

export function createChangeFeed(sqlite: Database): ChangeFeed {
  const listeners: ChangeListener[] = [];
  const versionQuery = sqlite.query<{ data_version: number }, []>("PRAGMA data_version");
  const dataVersion = () => versionQuery.get()?.data_version;
  let seenVersion = dataVersion();
  let seenId: number | undefined;

  const publishChanges = async () => {
    if (seenId === undefined) return;
    const changes = sqlite
      .query<{ id: number; userId: number; tables: string }, [number]>(
        `SELECT max(id) AS id, user_id AS userId, group_concat(table_name) AS tables
          FROM changes WHERE id > ? GROUP BY user_id ORDER BY max(id)`,
      )
      .all(seenId);
    seenId = changes.at(-1)?.id ?? seenId;
    const failures: unknown[] = [];
    for (const { userId, tables } of changes) {
      const change = changeOf(
        userId === EVERYBODY ? undefined : userId,
        new Set(tables.split(",")),
      );
      await tellAll(listeners, change, (error) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };

  return {
    onChange(listener) {
      seenId ??=
        sqlite.query<{ id: number | null }, []>("SELECT max(id) AS id FROM changes").get()?.id ?? 0;
      listeners.push(listener);
    },
    publishChanges,
    async checkForChanges() {
      const version = dataVersion();
      if (version === seenVersion) return;
      await publishChanges();
      seenVersion = version;
    },
  };
}

/**
 * Creates triggers that record whose data change, whichever process or version writes.
 * Each user has one row for each table, whose id grows with each change, so no row has to be
 * cleaned up.
 * What this schema does not have yet is left out.
 */
export function noteChanges(sqlite: Database): void {
  const columns = sqlite.query("SELECT name FROM pragma_table_info('changes')").values().flat();
  if (!columns.includes("table_name")) return;
  for (const { table, user, on } of watchedTables) {
    const name = getTableName(table);
    if (!hasTable(sqlite, name)) continue;
    for (const event of on) {
      const verb = event.split(" ", 1)[0]?.toLowerCase();
      const row = verb === "delete" ? "OLD" : "NEW";
      const userId = user === undefined ? String(EVERYBODY) : `${row}.${user}`;
      sqlite.run(
        `CREATE TRIGGER change_of_${name}_${verb} AFTER ${event} ON ${name}
         BEGIN
           DELETE FROM changes WHERE user_id = ${userId} AND table_name = '${name}';
           INSERT INTO changes (user_id, table_name) VALUES (${userId}, '${name}');
         END`,
      );
    }
  }
}
