import { Database } from "bun:sqlite";
import { appliedSteps, migrate, MigrationError, migrations } from "./migrations.ts";

/**
 * What is wrong with a file that should be a backup; `undefined` for one that this version can use. The
 * file is not believed: one with anything else in it than Marquee's own tables is none.
 * @param keyId the id of the secret key that it should be encrypted under
 */
export function mistakeInBackup(
  path: string,
  keyId: Uint8Array,
): "noBackup" | "newer" | "otherKey" | undefined {
  try {
    using sqlite = new Database(path, { readwrite: true, strict: true });
    sqlite.run("PRAGMA trusted_schema = OFF");
    // A copy has no log beside it, and is to get none.
    sqlite.run("PRAGMA journal_mode = DELETE");
    const steps = migrations.slice(0, appliedSteps(sqlite, migrations));
    if (steps.length === 0) return "noBackup";
    using made = new Database(":memory:");
    migrate(made, () => {}, steps);
    if (!Bun.deepEquals(tablesOf(sqlite), tablesOf(made))) return "noBackup";
    if (sqlite.query("PRAGMA quick_check(1)").values()[0]?.[0] !== "ok") return "noBackup";
    if (sqlite.query("SELECT 1 FROM users WHERE role = 'owner'").get() === null) return "noBackup";
    const [[used] = []] = sqlite.query("SELECT secret_key_id FROM server").values();
    const isRight = used instanceof Uint8Array && Buffer.from(used).equals(keyId);
    return isRight ? undefined : "otherKey";
  } catch (error) {
    return error instanceof MigrationError ? "newer" : "noBackup";
  }
}

/** Tables, indexes and whatever else a database has, as they were made. */
const tablesOf = (sqlite: Database): unknown[] =>
  sqlite
    .query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    .values()
    .filter(([, name]) => !String(name).startsWith("sqlite_"));
