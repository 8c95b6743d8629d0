import type { Database } from "bun:sqlite";
import first from "../../drizzle/0000_first.sql" with { type: "text" };
import standInCovers from "../../drizzle/0001_stand_in_covers.sql" with { type: "text" };

export interface Migration {
  /** The generated file's name without extension; names sort in the order of the steps. */
  readonly name: string;
  readonly sql: string;
}

/** All steps from an empty database to the current schema, embedded in the executable. */
export const migrations: readonly Migration[] = [
  { name: "0000_first", sql: first },
  { name: "0001_stand_in_covers", sql: standInCovers },
];

/** The database cannot be brought to this version's schema. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/**
 * Applies the steps that a database lacks, all or none.
 * Own code because drizzle's `migrate()` reads its steps from disk, silently skips steps out of
 * order, and cannot turn foreign keys off where that has an effect (drizzle-orm#5769, #5782).
 * @param beforeChange is called before the first step changes a database that already has tables
 * @throws {MigrationError} when the database is newer than this program or its history differs.
 */
export function migrate(
  sqlite: Database,
  beforeChange: (nextStep: Migration) => void,
  steps = migrations,
): void {
  const applied = appliedSteps(sqlite, steps);
  const next = steps[applied];
  if (!next) return;
  if (isPopulated(sqlite)) beforeChange(next);

  // A table rebuild drops the old table: with foreign keys on, that deletes the rows that refer to
  // it. The pragma has no effect inside a transaction, so it is set outside.
  sqlite.run("PRAGMA foreign_keys = OFF");
  try {
    sqlite
      .transaction(() => {
        sqlite.run(
          "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY NOT NULL, hash TEXT NOT NULL, applied_at INTEGER NOT NULL)",
        );
        for (const step of steps.slice(applied)) {
          sqlite.run(step.sql);
          sqlite.run("INSERT INTO migrations (name, hash, applied_at) VALUES (?, ?, ?)", [
            step.name,
            hashOf(step),
            Date.now(),
          ]);
        }
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

/**
 * How many of `steps` this database has.
 * @throws {MigrationError} when it is newer than this program or its history differs
 */
export function appliedSteps(sqlite: Database, steps: readonly Migration[]): number {
  if (!hasTable(sqlite, "migrations")) return 0;
  const applied = sqlite
    .query<{ readonly name: string; readonly hash: string }, []>(
      "SELECT name, hash FROM migrations ORDER BY name",
    )
    .all();
  for (const [index, { name, hash }] of applied.entries()) {
    const step = steps[index];
    if (!step) {
      throw new MigrationError(
        `The database was written by a newer Marquee (it knows the step ${name}). Run that version or a newer one, or restore a backup made with this one.`,
      );
    }
    if (step.name !== name || hashOf(step) !== hash) {
      throw new MigrationError(
        `The database was made by a version of Marquee that was never released (it has the step ${name}), and this one cannot read it. Run the version that made it, or move marquee.db and secret.key to another folder and start again without them.`,
      );
    }
  }
  return applied.length;
}

const hasTable = (sqlite: Database, table: string): boolean =>
  sqlite.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== null;

function isPopulated(sqlite: Database): boolean {
  return sqlite.query("SELECT 1 FROM sqlite_schema WHERE type = 'table'").get() !== null;
}

function hashOf(step: Migration): string {
  return new Bun.CryptoHasher("sha256").update(step.sql).digest("hex");
}
