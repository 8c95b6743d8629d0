import { closeSync, mkdirSync, openSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { flushFolder } from "../own-file.ts";
import { DatabaseError, databaseCode } from "./errors.ts";

export const DATABASE_FILE = "marquee.db";
/** A backup that is to take the database's place, until it does. */
export const RESTORED_FILE = "restored.db";
/** A copy of the database, until it is sent. */
export const COPY_FILE = "marquee-copy.db";

/** Creates a data folder if there is none. @throws {DatabaseError} */
export function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DatabaseError(
      `The data folder ${folder} cannot be created. Choose one you may write to with --data or MARQUEE_DATA.`,
      { cause: error },
    );
  }
}

/** Makes an empty file that only this user can read. @throws when there is one, whatever it is */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, "wx", 0o600));
}

/** Removes a database that nobody needs any more, and the journal that a killed process has left beside it. */
export function removeDatabase(path: string): void {
  for (const file of [path, `${path}-journal`]) rmSync(file, { force: true });
}

/** Removes what a server that was killed has left: a backup that was uploaded, and a copy to be sent. */
export function dropUnfinished(folder: string): void {
  for (const file of [RESTORED_FILE, COPY_FILE]) removeDatabase(join(folder, file));
}

/** Puts a backup in the place of the database, which nobody has open. */
export function putRestoredInPlace(folder: string): void {
  const database = join(folder, DATABASE_FILE);
  for (const log of [`${database}-wal`, `${database}-shm`]) rmSync(log, { force: true });
  renameSync(join(folder, RESTORED_FILE), database);
  flushFolder(folder);
}

/** What a program without special rights may still write. */
export function freeBytesOnDisk(folder: string): number {
  const { blocks, bavail, bsize } = statfsSync(folder);
  // Some disks elsewhere do not know.
  return blocks === 0 ? Infinity : bavail * bsize;
}

/** Not `existsSync`: it checks the rights the process started with, not the current ones. */
export function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether a file could not be used because another user owns it or its folder. */
export const isForbidden = (error: unknown): boolean =>
  ["EACCES", "EPERM", "SQLITE_CANTOPEN", "SQLITE_READONLY"].some((code) =>
    databaseCode(error).startsWith(code),
  );
