import type { Database } from "bun:sqlite";
import accounts from "../../drizzle/0000_accounts.sql" with { type: "text" };
import upstreams from "../../drizzle/0001_upstreams.sql" with { type: "text" };
import dashboard from "../../drizzle/0002_dashboard.sql" with { type: "text" };
import secretKey from "../../drizzle/0003_secret_key.sql" with { type: "text" };
import changes from "../../drizzle/0004_changes.sql" with { type: "text" };
import accountsOfConnections from "../../drizzle/0005_accounts_of_connections.sql" with { type: "text" };
import oneOwner from "../../drizzle/0006_one_owner.sql" with { type: "text" };
import severalConnections from "../../drizzle/0007_several_connections.sql" with { type: "text" };
import savedWidgets from "../../drizzle/0008_saved_widgets.sql" with { type: "text" };
import widgetTokensMoved from "../../drizzle/0009_widget_tokens_moved.sql" with { type: "text" };
import history from "../../drizzle/0010_history.sql" with { type: "text" };
import clearedHistory from "../../drizzle/0011_cleared_history.sql" with { type: "text" };
import plainWords from "../../drizzle/0012_plain_words.sql" with { type: "text" };
import stopAsked from "../../drizzle/0013_stop_asked.sql" with { type: "text" };
import cleanTitles from "../../drizzle/0014_clean_titles.sql" with { type: "text" };
import onDemand from "../../drizzle/0015_on_demand.sql" with { type: "text" };
import hooks from "../../drizzle/0016_hooks.sql" with { type: "text" };
import chatAccounts from "../../drizzle/0017_chat_accounts.sql" with { type: "text" };
import coversElsewhere from "../../drizzle/0018_covers_elsewhere.sql" with { type: "text" };
import replacedCovers from "../../drizzle/0019_replaced_covers.sql" with { type: "text" };
import clearedSongs from "../../drizzle/0020_cleared_songs.sql" with { type: "text" };
import { noteChanges } from "./change-feed.ts";
import { guardSealedColumns, hasTable } from "./sealed-values.ts";

export interface Migration {
  /** The generated file's name without extension; names sort in the order of the steps. */
  readonly name: string;
  readonly sql: string;
}

/** All steps from an empty database to the current schema, embedded in the executable. */
export const migrations: readonly Migration[] = [
  { name: "0000_accounts", sql: accounts },
  { name: "0001_upstreams", sql: upstreams },
  { name: "0002_dashboard", sql: dashboard },
  { name: "0003_secret_key", sql: secretKey },
  { name: "0004_changes", sql: changes },
  { name: "0005_accounts_of_connections", sql: accountsOfConnections },
  { name: "0006_one_owner", sql: oneOwner },
  { name: "0007_several_connections", sql: severalConnections },
  { name: "0008_saved_widgets", sql: savedWidgets },
  { name: "0009_widget_tokens_moved", sql: widgetTokensMoved },
  { name: "0010_history", sql: history },
  { name: "0011_cleared_history", sql: clearedHistory },
  { name: "0012_plain_words", sql: plainWords },
  { name: "0013_stop_asked", sql: stopAsked },
  { name: "0014_clean_titles", sql: cleanTitles },
  { name: "0015_on_demand", sql: onDemand },
  { name: "0016_hooks", sql: hooks },
  { name: "0017_chat_accounts", sql: chatAccounts },
  { name: "0018_covers_elsewhere", sql: coversElsewhere },
  { name: "0019_replaced_covers", sql: replacedCovers },
  { name: "0020_cleared_songs", sql: clearedSongs },
];

/** The database cannot be brought to this version's schema. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

export interface MigrateOptions {
  steps?: readonly Migration[];
  /** Called before the first step changes a database that already has tables. */
  beforeChange(nextStep: Migration): void;
}

/**
 * Applies the steps that a database lacks, all or none.
 * Own code because drizzle's `migrate()` reads its steps from disk, silently skips steps out of
 * order, and cannot turn foreign keys off where that has an effect (drizzle-orm#5769, #5782).
 * @throws {MigrationError} when the database is newer than this program or its history differs.
 */
export function migrate(sqlite: Database, options: MigrateOptions): void {
  const steps = options.steps ?? migrations;
  // Read first: tables that another process creates meanwhile need no copy.
  const populated = isPopulated(sqlite);
  const next = steps[appliedSteps(sqlite, steps)];
  if (!next) return;
  if (populated) options.beforeChange(next);

  // A table rebuild drops the old table: with foreign keys on, that deletes the rows that refer to
  // it. The pragma has no effect inside a transaction, so it is set outside.
  sqlite.run("PRAGMA foreign_keys = OFF");
  try {
    sqlite
      .transaction(() => {
        sqlite.run(
          "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY NOT NULL, hash TEXT NOT NULL, applied_at INTEGER NOT NULL)",
        );
        dropTriggers(sqlite);
        // Read again under the write lock: another process may have migrated meanwhile.
        for (const step of steps.slice(appliedSteps(sqlite, steps))) {
          sqlite.run(step.sql);
          sqlite.run("INSERT INTO migrations (name, hash, applied_at) VALUES (?, ?, ?)", [
            step.name,
            hashOf(step),
            Date.now(),
          ]);
        }
        guardSealedColumns(sqlite);
        noteChanges(sqlite);
        const broken = sqlite.query("PRAGMA foreign_key_check").all();
        if (broken.length > 0) {
          throw new MigrationError(
            `Updating the database would leave ${broken.length} rows without what they belong to; nothing was changed.`,
          );
        }
      })
      .immediate();
  } finally {
    sqlite.run("PRAGMA foreign_keys = ON");
  }
}

/** How many of `steps` this database has. */
function appliedSteps(sqlite: Database, steps: readonly Migration[]): number {
  if (!hasTable(sqlite, "migrations")) return 0;
  const applied = sqlite
    .query<AppliedStep, []>("SELECT name, hash FROM migrations ORDER BY name")
    .all();
  return countKnown(applied, steps, {
    ofNewer: ", or restore a backup made with this one",
    ofOther: ", or restore a backup",
  });
}

/** A row of the table of applied steps. */
export interface AppliedStep {
  readonly name: string;
  readonly hash: string;
}

/**
 * How many steps were applied, all of which this program must know.
 * @param ways what else one may do, as the end of a sentence
 * @throws {MigrationError} when the database is newer than this program or its history differs
 */
export function countKnown(
  applied: readonly AppliedStep[],
  steps: readonly Migration[],
  ways = { ofNewer: "", ofOther: "" },
): number {
  for (const [index, { name, hash }] of applied.entries()) {
    const step = steps[index];
    if (!step) {
      throw new MigrationError(
        `The database was written by a newer Marquee (it knows the step ${name}). Run that version or a newer one${ways.ofNewer}.`,
      );
    }
    if (step.name !== name || hashOf(step) !== hash) {
      throw new MigrationError(
        `The database's history differs from this program's at the step ${name}, so it was made by another build. Run the version that made it${ways.ofOther}.`,
      );
    }
  }
  return applied.length;
}

/** All are created again: SQLite cannot rename a table while a trigger names a missing one. */
export function dropTriggers(sqlite: Database): void {
  const triggers = sqlite
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    .all();
  for (const { name } of triggers) sqlite.run(`DROP TRIGGER ${name}`);
}

function isPopulated(sqlite: Database): boolean {
  return sqlite.query("SELECT 1 FROM sqlite_schema WHERE type = 'table'").get() !== null;
}

export function hashOf(step: Migration): string {
  return new Bun.CryptoHasher("sha256").update(step.sql).digest("hex");
}
