import type { Database } from "bun:sqlite";
import { getTableName } from "drizzle-orm";
import { attemptEach } from "../attempt-each.ts";
import { changeOf, type ChangeListener } from "./change.ts";
import { hasTable } from "./sealed-values.ts";
import { watchedTables } from "./watched-tables.ts";

/** Reports whose data changed, whichever process wrote it. */
export interface ChangeFeed {
  /** Calls back with the changes of one user, or those that concern all users. */
  onChange(listener: ChangeListener): void;
  /**
   * Calls the listeners, one after the other, with the changes since the last call. What one of
   * them could not follow waits for `checkForChanges`: what was written stays written.
   */
  publishChanges(): Promise<void>;
  /**
   * The same, but only if another process has written, and for what could not be followed before.
   * Cheap if there is nothing.
   * @throws the first error of a listener, after all were called
   */
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

  /** What a listener could not follow: tables by the user's id. */
  let missed = new Map<number, ReadonlySet<string>>();

  /** @throws the first error of a listener, after all were called */
  const followChanges = async (): Promise<void> => {
    if (seenId === undefined) return;
    const rows = sqlite
      .query<{ id: number; userId: number; tables: string }, [number]>(
        `SELECT max(id) AS id, user_id AS userId, group_concat(table_name) AS tables
          FROM changes WHERE id > ? GROUP BY user_id ORDER BY max(id)`,
      )
      .all(seenId);
    seenId = rows.at(-1)?.id ?? seenId;
    const changes = missed;
    missed = new Map();
    for (const { userId, tables } of rows) {
      changes.set(userId, new Set(tables.split(",")).union(changes.get(userId) ?? new Set()));
    }
    await attemptEach(changes, async ([userId, tables]) => {
      const change = changeOf(userId === EVERYBODY ? undefined : userId, tables);
      try {
        await attemptEach(listeners, (follow) => follow(change));
      } catch (error) {
        missed.set(userId, tables.union(missed.get(userId) ?? new Set()));
        throw error;
      }
    });
  };

  return {
    onChange(listener) {
      seenId ??=
        sqlite.query<{ id: number | null }, []>("SELECT max(id) AS id FROM changes").get()?.id ?? 0;
      listeners.push(listener);
    },
    publishChanges: () => followChanges().catch(() => {}),
    async checkForChanges() {
      const version = dataVersion();
      if (version === seenVersion && missed.size === 0) return;
      seenVersion = version;
      await followChanges();
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
