import type { SQL } from "bun";
import { count, getTableColumns, getTableName, gt, sql } from "drizzle-orm";
import { addressOfDatabase } from "../../config.ts";
import { DatabaseError } from "../errors.ts";
import type { Schema } from "../schema.ts";
import type { DatabaseFile, Queries, Store } from "../store.ts";
import { migrate, MIGRATION_LOCK } from "./migrations.ts";
import { explainPostgresFailure, refuseOldVersion } from "./open.ts";
import { createPool, type Pool, sendTo } from "./pool.ts";
import { queriesOn } from "./queries.ts";
import { tables as postgresTables } from "./schema.ts";

/** How many rows of each table were copied. */
export type MovedRows = Readonly<Record<keyof Schema, number>>;

/** All tables: no row comes before what it belongs to, and the key comes before the secrets. */
export const MOVED_TABLES = [
  "server",
  "users",
  "apiKeys",
  "widgets",
  "widgetRevisions",
  "fonts",
  "connections",
  "connectionStatuses",
  "upstreams",
  "magicLinks",
  "sessions",
  "privacy",
  "histories",
  "songs",
  "hooks",
  "chatAccounts",
  "foundCovers",
] as const satisfies readonly (keyof Schema)[];

const ROWS_AT_ONCE = 100;

/**
 * Copies everything that a data folder's database holds at this moment into an empty database on a
 * PostgreSQL server, all or nothing. Secrets stay sealed under the same key.
 * @throws {DatabaseError} when the database cannot be used or is not empty
 */
export async function moveIn(
  source: Pick<Store, "queries" | "tables">,
  file: DatabaseFile,
  url: string,
): Promise<MovedRows> {
  let opened: Pool | undefined;
  try {
    const pool = createPool(url, 1);
    opened = pool;
    await refuseOldVersion(pool);
    await migrate(pool);
    return await file.atOneMoment(() =>
      pool.transaction(
        async (connection) => {
          await connection.unsafe(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
          const target = queriesOn(connection);
          await refuseRows(connection, target, url);
          const moved: Partial<Record<keyof Schema, number>> = {};
          for (const name of MOVED_TABLES) moved[name] = await copyTable(source, target, name);
          await continueIds(connection, file.lastIds());
          return moved as MovedRows;
        },
        { isLong: true },
      ),
    );
  } catch (error) {
    throw explainPostgresFailure(error, url);
  } finally {
    await opened?.close();
  }
}

async function refuseRows(connection: SQL, target: Queries, url: string): Promise<void> {
  for (const name of MOVED_TABLES) {
    const table = postgresTables[name];
    // Nobody else may write the first row either, until everything is there.
    await connection.unsafe(`LOCK TABLE ${getTableName(table)} IN EXCLUSIVE MODE`);
    const [found] = await target.select({ rows: count() }).from(table);
    if (found?.rows === 0) continue;
    throw new DatabaseError(
      `The database ${addressOfDatabase(url)} has data of Marquee's already. Nothing was copied. Choose an empty database.`,
    );
  }
}

async function copyTable(
  { queries, tables }: Pick<Store, "queries" | "tables">,
  target: Queries,
  name: keyof Schema,
): Promise<number> {
  const table = tables[name];
  let copied = 0;
  for (let lastRow = 0; ;) {
    const page = await queries
      .select({ ...getTableColumns(table), sqliteRow: sql<number>`rowid`.as("sqlite_row") })
      .from(table)
      .where(gt(sql`rowid`, lastRow))
      .orderBy(sql`rowid`)
      .limit(ROWS_AT_ONCE);
    const last = page.at(-1);
    if (!last) return copied;
    lastRow = last.sqliteRow;
    const rows = page.map(({ sqliteRow: _, ...row }) => row);
    await target.insert(postgresTables[name]).values(rows);
    copied += rows.length;
  }
}

/** Ids that were given away are never given again. */
async function continueIds(connection: SQL, lastIds: ReadonlyMap<string, number>): Promise<void> {
  for (const name of MOVED_TABLES) {
    const table = getTableName(postgresTables[name]);
    const last = lastIds.get(table) ?? 0;
    if (last === 0) continue;
    await sendTo(connection, "SELECT setval(pg_get_serial_sequence($1, 'id'), $2)", [table, last]);
  }
}
