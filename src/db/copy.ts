import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { createPrivateFile } from "./data-folder.ts";
import { DatabaseError, databaseCode } from "./errors.ts";

/** How long a copy waits for a write of the server. */
const LOCK_WAIT_MS = 10_000;

/**
 * Writes a consistent copy of a database's file to one that does not exist yet, while others use it.
 * @throws {DatabaseError}
 */
export function copyDatabase(from: string, to: string): void {
  try {
    using sqlite = new Database(from, { readonly: true });
    sqlite.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
    // What cannot be read fails here, so that the copy is not blamed for it.
    sqlite.query("SELECT count(*) FROM sqlite_schema").get();
    copyInto(sqlite, to);
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    throw new DatabaseError(
      `${from} cannot be read. Check that you may read it and its folder, and that its disk takes writes.`,
      {
        cause: error,
      },
    );
  }
}

/** The same of an open database. @throws {DatabaseError} */
export function copyInto(sqlite: Database, path: string): void {
  const refuse = (cause: unknown): never => {
    throw new DatabaseError(
      `No copy of the database could be written to ${path}. Check that its folder exists, is writable and has room.`,
      { cause },
    );
  };
  try {
    createPrivateFile(path);
  } catch (error) {
    if (databaseCode(error) !== "EEXIST") refuse(error);
    throw new DatabaseError(
      `${path} already exists. Move it away or choose another name, so that no copy is overwritten.`,
    );
  }
  try {
    // SQLite fills an empty file.
    sqlite.run("VACUUM INTO ?", [path]);
  } catch (error) {
    rmSync(path, { force: true });
    refuse(error);
  }
}
