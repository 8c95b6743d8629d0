import type { SQL } from "bun";
import { getTableName } from "drizzle-orm";
import accounts from "../../../drizzle/postgres/0000_accounts.sql" with { type: "text" };
import cluster from "../../../drizzle/postgres/0001_cluster.sql" with { type: "text" };
import history from "../../../drizzle/postgres/0002_history.sql" with { type: "text" };
import evenAfterOutage from "../../../drizzle/postgres/0003_even_after_outage.sql" with { type: "text" };
import storedReports from "../../../drizzle/postgres/0004_stored_reports.sql" with { type: "text" };
import clearedHistory from "../../../drizzle/postgres/0005_cleared_history.sql" with { type: "text" };
import plainWords from "../../../drizzle/postgres/0006_plain_words.sql" with { type: "text" };
import stopAsked from "../../../drizzle/postgres/0007_stop_asked.sql" with { type: "text" };
import cleanTitles from "../../../drizzle/postgres/0008_clean_titles.sql" with { type: "text" };
import onDemand from "../../../drizzle/postgres/0009_on_demand.sql" with { type: "text" };
import hooks from "../../../drizzle/postgres/0010_hooks.sql" with { type: "text" };
import chatAccounts from "../../../drizzle/postgres/0011_chat_accounts.sql" with { type: "text" };
import coversElsewhere from "../../../drizzle/postgres/0012_covers_elsewhere.sql" with { type: "text" };
import replacedCovers from "../../../drizzle/postgres/0013_replaced_covers.sql" with { type: "text" };
import clearedSongs from "../../../drizzle/postgres/0014_cleared_songs.sql" with { type: "text" };
import { type Watched, watchedTables } from "../watched-tables.ts";
import { type AppliedStep, countKnown, hashOf, type Migration } from "../migrations.ts";
import { CHANGES } from "./change-feed.ts";
import { type Pool, sendTo } from "./pool.ts";
import { sealGuards } from "./sealed-values.ts";

/** All steps from an empty database to the current schema, embedded in the executable. */
export const migrations: readonly Migration[] = [
  { name: "0000_accounts", sql: accounts },
  { name: "0001_cluster", sql: cluster },
  { name: "0002_history", sql: history },
  { name: "0003_even_after_outage", sql: evenAfterOutage },
  { name: "0004_stored_reports", sql: storedReports },
  { name: "0005_cleared_history", sql: clearedHistory },
  { name: "0006_plain_words", sql: plainWords },
  { name: "0007_stop_asked", sql: stopAsked },
  { name: "0008_clean_titles", sql: cleanTitles },
  { name: "0009_on_demand", sql: onDemand },
  { name: "0010_hooks", sql: hooks },
  { name: "0011_chat_accounts", sql: chatAccounts },
  { name: "0012_covers_elsewhere", sql: coversElsewhere },
  { name: "0013_replaced_covers", sql: replacedCovers },
  { name: "0014_cleared_songs", sql: clearedSongs },
];

/** Any number that other programs do not use for their locks in the same database. */
export const MIGRATION_LOCK = 4_747_001;

/** `to_regclass` would answer from a cache that does not see what others did during a wait. */
const IS_MIGRATED =
  "SELECT 1 FROM pg_tables WHERE tablename = 'migrations' AND schemaname = ANY (current_schemas(false))";

/**
 * Applies the steps that a database lacks, all or none. Of several programs that start at once,
 * one does it and the others wait. A step must suit the version before too, because nodes are
 * updated one after the other.
 * @throws {MigrationError} when the database is newer than this program or its history differs
 */
export async function migrate(pool: Pool, steps = migrations): Promise<void> {
  const known = await pool.transaction((connection) => countApplied(connection, steps));
  if (known === steps.length) return;
  await pool.transaction(
    async (connection) => {
      await connection.unsafe(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      const applied = await countApplied(connection, steps);
      if (applied === steps.length) return;
      await connection.unsafe(
        "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, hash text NOT NULL, applied_at bigint NOT NULL)",
      );
      for (const step of steps.slice(applied)) {
        // drizzle-kit names the schema "public", but a URL may choose another.
        await connection.unsafe(step.sql.replaceAll('"public".', ""));
        await sendTo(
          connection,
          "INSERT INTO migrations (name, hash, applied_at) VALUES ($1, $2, $3)",
          [step.name, hashOf(step), Date.now()],
        );
      }
      for (const guard of [...sealGuards, ...watchedTables.map(toTriggers)]) {
        await connection.unsafe(guard);
      }
    },
    { isLong: true },
  );
}

/** Whether Marquee has used this database. */
export async function isMigrated(pool: Pick<Pool, "query">): Promise<boolean> {
  return (await pool.query(IS_MIGRATED)).length > 0;
}

/** How many of `steps` this database has. */
async function countApplied(connection: SQL, steps: readonly Migration[]): Promise<number> {
  if ((await connection.unsafe(IS_MIGRATED)).length === 0) return 0;
  const applied: AppliedStep[] = await connection.unsafe(
    "SELECT name, hash FROM migrations ORDER BY name",
  );
  return countKnown(applied, steps);
}

/** Statements that create triggers which announce whose data change, whichever program writes. */
function toTriggers({ table, user, on }: Watched): string {
  const name = getTableName(table);
  const note = `note_change_of_${name}`;
  const noticeOf = (row: string) =>
    user === undefined ? `' ${name}'` : `${row}.${user}::text || ' ${name}'`;
  const triggers = on.map((event) => {
    const trigger = `${note}_${event.split(" ", 1)[0]?.toLowerCase()}`;
    return `
      DROP TRIGGER IF EXISTS ${trigger} ON ${name};
      CREATE TRIGGER ${trigger} AFTER ${event} ON ${name} FOR EACH ROW EXECUTE FUNCTION ${note}();`;
  });
  return `
    CREATE OR REPLACE FUNCTION ${note}() RETURNS trigger LANGUAGE plpgsql AS $note$
    BEGIN
      IF TG_OP = 'DELETE' THEN
        PERFORM pg_notify('${CHANGES}', ${noticeOf("OLD")});
      ELSE
        PERFORM pg_notify('${CHANGES}', ${noticeOf("NEW")});
      END IF;
      RETURN NULL;
    END $note$;
    ${triggers.join("")}`;
}
