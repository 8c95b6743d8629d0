import { Database } from "bun:sqlite";
import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import { copyInto } from "./copy.ts";
import {
  createFolder,
  createPrivateFile,
  DATABASE_FILE,
  freeBytesOnDisk,
  isThere,
} from "./data-folder.ts";
import { errorCode } from "../error-code.ts";
import { makePrivate } from "../own-file.ts";
import { DatabaseError, databaseCode } from "./errors.ts";
import { migrate, MigrationError, type Migration } from "./migrations.ts";
import { createStore, pragmaOf, type Store } from "./store.ts";

/** How long a statement waits for another program that has the file open, such as one that copies it. */
const LOCK_WAIT_MS = 250;

/** A file gives pages back to the disk only in this mode, `PRAGMA auto_vacuum`. */
const INCREMENTAL = 2;
/** The write-ahead log shrinks to this many bytes once all of it is in the file. */
const LONGEST_LOG_BYTES = 4 * 1024 * 1024;

/** What a test sets instead of what this machine has. */
export interface OpenOptions {
  readonly steps?: readonly Migration[];
  /** How much may still be written into a folder, in bytes. */
  freeBytesIn?(folder: string): number;
  /** Of SQLite, such as `3.51.3`. */
  readonly sqliteVersion?: string;
}

/**
 * Opens the database in a data folder, creating both if needed, and brings its schema up to date.
 * @param folder a data folder, or `:memory:` for a database that ends with the process
 * @throws {DatabaseError} when the folder is not writable or the file is damaged, busy or too new
 */
export function openStore(
  folder: string,
  { steps, freeBytesIn = freeBytesOnDisk, sqliteVersion }: OpenOptions = {},
): Store {
  const path = folder === ":memory:" ? folder : join(folder, DATABASE_FILE);
  if (path !== ":memory:") createFolder(folder);
  let sqlite: Database | undefined;
  try {
    if (path !== ":memory:" && !isThere(path)) createDatabaseFile(path);
    // Before it is opened: a file that its owner must not write is opened for reading only.
    if (path !== ":memory:") makePrivate(path);
    sqlite = new Database(path, { create: true, readwrite: true, strict: true });
    sqlite.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
    // Counts for a new file. Setting it again would write.
    if (pragmaOf(sqlite, "auto_vacuum") !== INCREMENTAL) {
      sqlite.run(`PRAGMA auto_vacuum = ${INCREMENTAL}`);
    }
    sqlite.run(`PRAGMA journal_mode = ${journalModeOf(sqliteVersion ?? versionOf(sqlite))}`);
    sqlite.run(`PRAGMA journal_size_limit = ${LONGEST_LOG_BYTES}`);
    sqlite.run("PRAGMA synchronous = FULL");
    sqlite.run("PRAGMA foreign_keys = ON");
    const opened = sqlite;
    const keepCopy = ({ name }: Migration) =>
      copyInto(opened, freePath(folder, `marquee-before-${name}`));
    migrate(opened, keepCopy, steps);
    // The quick check reads every page, so only `backup` runs it. This finds a damaged schema.
    opened.query("SELECT count(*) FROM sqlite_schema").get();
    const freeBytes = () => (path === folder ? Infinity : freeBytesIn(folder));
    return createStore(opened, folder, freeBytes);
  } catch (error) {
    sqlite?.close();
    throw explainDatabaseFailure(error, path);
  }
}

/** SQLite's own version, such as `3.51.3`: on macOS it is the system's. */
const versionOf = (sqlite: Database): string =>
  sqlite.query<{ version: string }, []>("SELECT sqlite_version() AS version").get()?.version ?? "";

/** SQLite's version in this program. */
export function sqliteVersion(): string {
  using sqlite = new Database(":memory:");
  return versionOf(sqlite);
}

/**
 * How SQLite of this version keeps its journal. Before 3.51.3 two connections that write and
 * checkpoint one write-ahead log at the same moment can lose what was committed, so there the older
 * rollback journal is used (https://sqlite.org/wal.html, "The WAL-Reset Bug").
 */
export const journalModeOf = (version: string): "WAL" | "TRUNCATE" =>
  Bun.semver.order(version, "3.51.3") >= 0 ? "WAL" : "TRUNCATE";

/** SQLite itself would make a file that others can open until its permissions are changed. */
function createDatabaseFile(path: string): void {
  try {
    createPrivateFile(path);
  } catch {
    // SQLite explains better what is in the way.
  }
}

/** A copy left by a failed update must not block the next attempt. */
function freePath(folder: string, name: string): string {
  for (let attempt = 1; ; attempt++) {
    const path = join(folder, attempt === 1 ? `${name}.db` : `${name}-${attempt}.db`);
    if (!isThere(path)) return path;
  }
}

/** Why a place cannot be written, as an error's code; `undefined` when it can. */
function codeOfWriting(place: string): string | undefined {
  try {
    accessSync(place, constants.W_OK);
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
}

const isOnReadOnlyDisk = (path: string): boolean => codeOfWriting(dirname(path)) === "EROFS";

/** The disk, the file or its folder: the first that cannot be written. */
function whatToMakeWritable(path: string): string {
  if (isOnReadOnlyDisk(path)) return "The disk that holds it takes no writes: mount it writable";
  const place = isThere(path) && codeOfWriting(path) !== undefined ? path : dirname(path);
  return `Make ${place} writable for this user`;
}

/** Less is no room for the files that SQLite needs beside a database. */
const LEAST_ROOM_BYTES = 64 * 1024;

function hasRoom(path: string): boolean {
  try {
    return freeBytesOnDisk(dirname(path)) >= LEAST_ROOM_BYTES;
  } catch {
    return true;
  }
}

/** Explains SQLite's error to users, as a {@link DatabaseError}. */
export function explainDatabaseFailure(error: unknown, path: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  if (error instanceof MigrationError) return new DatabaseError(error.message);
  const code = databaseCode(error);
  const readOnly = `${path} is read-only. ${whatToMakeWritable(path)}, or choose another folder with --data or MARQUEE_DATA.`;
  const unopened = `${path} cannot be opened. Check that you may read and write ${dirname(path)}, or choose another folder with --data or MARQUEE_DATA.`;
  const full = `The disk that holds ${path} is full. Make room and try again.`;
  const sentences: Record<string, string> = {
    SQLITE_NOTADB: `${path} is not a database, or it is damaged. Restore a backup in its place; the file was left as it is.`,
    SQLITE_CORRUPT: `${path} is damaged. Restore a backup in its place; the file was left as it is.`,
    // SQLite cannot make the files beside it that it needs.
    SQLITE_CANTOPEN: isOnReadOnlyDisk(path) ? readOnly : unopened,
    SQLITE_READONLY: readOnly,
    EROFS: readOnly,
    SQLITE_FULL: full,
    ENOSPC: full,
    SQLITE_BUSY: `${path} is in use by another program that does not let go. Stop it and start again.`,
    // SQLite maps a file into memory beside it, for which a full disk has no word of its own.
    SQLITE_IOERR: hasRoom(path)
      ? `${path} cannot be read or written: the disk reports an error.`
      : full,
  };
  const sentence = Object.entries(sentences).find(([name]) => code.startsWith(name))?.[1];
  return new DatabaseError(
    sentence ?? `${path} cannot be used. Check that you may read and write it.`,
    { cause: error },
  );
}
