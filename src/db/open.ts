import { Database } from "bun:sqlite";
import { accessSync, constants, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { sql } from "drizzle-orm";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { createChangeFeed } from "./change-feed.ts";
import {
  createFolder,
  createPrivateFile,
  DATABASE_FILE,
  freeBytesOnDisk,
  isThere,
} from "./data-folder.ts";
import { errorCode } from "../error-code.ts";
import { makePrivate } from "../own-file.ts";
import { createDatabaseCopies } from "./database-copy.ts";
import { DatabaseError, databaseCode, isBusy } from "./errors.ts";
import { migrate, MigrationError, type Migration } from "./migrations.ts";
import { tables } from "./schema.ts";
import { createSealedValues, type SqliteSealedValues } from "./sealed-values.ts";
import type { DatabaseFile, Results, Statement, Steps, Store } from "./store.ts";

/** The store of a data folder, whose database answers at once. */
export interface SqliteStore extends Store {
  readonly queries: BunSQLiteDatabase<typeof tables>;
  readonly sealed: SqliteSealedValues;
  forgetReplaced(): void;
  hasUsers(): boolean;
  probeWrite(): void;
  readonly file: DatabaseFile;
  close(): void;
}

/** How long commands and a starting server wait for another process's lock. */
const PATIENT_LOCK_WAIT_MS = 10_000;

/**
 * The largest form is a megabyte, which is written to the log and then to the file. A full disk
 * still takes small writes, into what the log already has.
 */
export const ROOM_BYTES = 2 * 1024 * 1024;

/** A file gives pages back to the disk only in this mode, `PRAGMA auto_vacuum`. */
const INCREMENTAL = 2;
/** Free space that stays in the file, in bytes: new data often follow deleted ones. */
const KEPT_FREE_BYTES = 1024 * 1024;
/** How many bytes are given back at once: requests wait some milliseconds meanwhile. */
const GIVEN_BACK_BYTES = 1024 * 1024;
/** The write-ahead log shrinks to this many bytes once all of it is in the file. */
const LONGEST_LOG_BYTES = 4 * 1024 * 1024;
/** A larger file of an earlier version is not rewritten at a start, which would wait for seconds. */
const LARGEST_REWRITTEN_BYTES = 64 * 1024 * 1024;

/**
 * Opens the database in a data folder, creating both if needed, and brings its schema up to date.
 * @param folder a data folder, or `:memory:` for a database that ends with the process
 * @param freeBytesIn how much may still be written into a folder, in bytes
 * @throws {DatabaseError} when the folder is not writable or the file is damaged, busy or too new
 */
export function openStore(
  folder: string,
  steps?: readonly Migration[],
  freeBytesIn = freeBytesOnDisk,
): SqliteStore {
  const path = folder === ":memory:" ? folder : join(folder, DATABASE_FILE);
  if (path !== ":memory:") createFolder(folder);
  let sqlite: Database | undefined;
  try {
    if (path !== ":memory:" && !isThere(path)) createDatabaseFile(path);
    // Before it is opened: a file that its owner must not write is opened for reading only.
    if (path !== ":memory:") makePrivate(path);
    sqlite = new Database(path, { create: true, readwrite: true, strict: true });
    setLockWait(sqlite, PATIENT_LOCK_WAIT_MS);
    // Counts for a new file, and for an older one when it is rewritten. Setting it again would write.
    if (numberOf(sqlite, "auto_vacuum") !== INCREMENTAL) {
      sqlite.run(`PRAGMA auto_vacuum = ${INCREMENTAL}`);
    }
    switchToWriteAheadLog(sqlite);
    sqlite.run(`PRAGMA journal_size_limit = ${LONGEST_LOG_BYTES}`);
    sqlite.run("PRAGMA synchronous = FULL");
    sqlite.run("PRAGMA foreign_keys = ON");
    const opened = sqlite;
    migrate(opened, {
      ...(steps && { steps }),
      beforeChange: (step) => copyDatabase(opened, freePath(folder, `marquee-before-${step.name}`)),
    });
    // The quick check reads every page, so only `backup` runs it. This finds a damaged schema.
    opened.query("SELECT count(*) FROM sqlite_schema").get();
    const freeBytes = () => (path === folder ? Infinity : freeBytesIn(folder));
    return createStore(opened, folder, freeBytes);
  } catch (error) {
    sqlite?.close();
    throw explainDatabaseFailure(error, path);
  }
}

/**
 * If two processes switch the same database at once, SQLite fails without waiting, whatever the
 * busy timeout: each holds a lock that the other needs.
 */
function switchToWriteAheadLog(sqlite: Database): void {
  const giveUpAtMs = performance.now() + PATIENT_LOCK_WAIT_MS;
  for (;;) {
    try {
      sqlite.run("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAtMs) throw error;
      Bun.sleepSync(5 + Math.random() * 10);
    }
  }
}

/** The value of a pragma that is a number. */
const numberOf = (sqlite: Database, pragma: string): number =>
  Number(sqlite.query(`PRAGMA ${pragma}`).values()[0]?.[0]);

function setLockWait(sqlite: Database, atMostMs: number): void {
  sqlite.run(`PRAGMA busy_timeout = ${atMostMs}`);
}

function createStore(sqlite: Database, folder: string, freeBytes: () => number): SqliteStore {
  let lockWaitMs = PATIENT_LOCK_WAIT_MS;
  const withoutWaiting = <Result>(work: () => Result): Result => {
    setLockWait(sqlite, 0);
    try {
      return work();
    } finally {
      setLockWait(sqlite, lockWaitMs);
    }
  };
  const queries = drizzle(sqlite, { schema: tables });
  const changeFeed = createChangeFeed(sqlite);
  const sealed = createSealedValues(sqlite);
  // A lock taken only after reading would fail if another process wrote in between.
  const exclusively: DatabaseFile["exclusively"] = (work) => sqlite.transaction(work).immediate();
  const run = <Statements extends readonly Statement[]>(statements: Statements) => {
    const runAll = () => statements.map((statement) => statement.all()) as Results<Statements>;
    return statements.length > 1 ? exclusively(runAll) : runAll();
  };
  return {
    ...changeFeed,
    tables,
    queries,
    rows: (json, fields) =>
      sql`(SELECT ${sql.join(
        Object.entries(fields).map(([name, type]) => {
          const value = `value ->> '${name}'`;
          return sql.raw(`${type === "hex" ? `unhex(${value})` : value} AS "${name}"`);
        }),
        sql`, `,
      )} FROM json_each(${json}))`,
    async atomically(build) {
      const results = run(build(queries));
      await changeFeed.publishChanges();
      return results;
    },
    inBackground: async (build) => withoutWaiting(() => run(build(queries))),
    async exclusively(steps) {
      const result = exclusively(() => runSteps(steps(queries)));
      await changeFeed.publishChanges();
      return result;
    },
    reserveUserIds: async (count) =>
      exclusively(() => {
        sqlite.run(
          "INSERT INTO sqlite_sequence (name, seq) SELECT 'users', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'users')",
        );
        const reserved = sqlite
          .query<{ last: number }, [number]>(
            "UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'users' RETURNING seq AS last",
          )
          .get(count);
        const first = (reserved?.last ?? count) - count + 1;
        return Array.from({ length: count }, (_, index) => first + index);
      }),
    sealed,
    forgetReplaced: () => void sqlite.run("VACUUM"),
    hasUsers: () => sqlite.query("SELECT 1 FROM users").get() !== null,
    probeWrite() {
      withoutWaiting(() =>
        sqlite.run(
          "INSERT INTO server (id, checked_at) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET checked_at = ?1",
          [Date.now()],
        ),
      );
      if (freeBytes() < ROOM_BYTES) throw new Error("the disk is full");
    },
    file: {
      secretKeyId: sealed.keyId,
      async atOneMoment(work) {
        sqlite.run("BEGIN");
        try {
          return await work();
        } finally {
          sqlite.run("ROLLBACK");
        }
      },
      lastIds: () =>
        new Map(
          sqlite
            .query<{ name: string; seq: number }, []>("SELECT name, seq FROM sqlite_sequence")
            .all()
            .map(({ name, seq }) => [name, seq]),
        ),
      exclusively,
      waitForLocks(atMostMs) {
        lockWaitMs = atMostMs;
        setLockWait(sqlite, atMostMs);
      },
      copyTo: (path) => copyDatabase(sqlite, path),
      takeCopy: createDatabaseCopies({ folder, freeBytes }),
      makeShrinkable() {
        if (numberOf(sqlite, "auto_vacuum") === INCREMENTAL) return;
        const bytes = numberOf(sqlite, "page_count") * numberOf(sqlite, "page_size");
        // The rewritten pages are in the log first.
        if (bytes > LARGEST_REWRITTEN_BYTES || freeBytes() < 2 * bytes + ROOM_BYTES) return;
        withoutWaiting(() => sqlite.run("VACUUM"));
      },
      shrink() {
        const pageBytes = numberOf(sqlite, "page_size");
        const spare = numberOf(sqlite, "freelist_count") - KEPT_FREE_BYTES / pageBytes;
        if (spare <= 0) return;
        const pages = Math.min(spare, GIVEN_BACK_BYTES / pageBytes);
        withoutWaiting(() => {
          sqlite.run(`PRAGMA incremental_vacuum(${pages})`);
          // Until then only the log knows that the file is shorter. This waits for nobody.
          sqlite.run("PRAGMA wal_checkpoint(PASSIVE)");
        });
      },
    },
    close() {
      // With all statements finalized SQLite checkpoints the log itself, unless another process
      // has the database open. An explicit checkpoint would wait for readers and block writers.
      sqlite.close(true);
    },
  };
}

function runSteps<Result>(steps: Steps<Result>): Result {
  for (let next = steps.next(); ;) {
    if (next.done) return next.value;
    next = steps.next(next.value.all());
  }
}

function copyDatabase(sqlite: Database, path: string): void {
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

/** SQLite itself would make a file that others can open until its permissions are changed. */
function createDatabaseFile(path: string): void {
  try {
    createPrivateFile(path);
  } catch {
    // Another process has made it at this moment; anything else SQLite explains better.
  }
}

/** A copy left by a failed update must not block the next attempt. */
function freePath(folder: string, name: string): string {
  for (let attempt = 1; ; attempt++) {
    const path = join(folder, attempt === 1 ? `${name}.db` : `${name}-${attempt}.db`);
    if (!isThere(path)) return path;
  }
}

/** The disk, the file or its folder: the first that cannot be written. */
function whatToMakeWritable(path: string): string {
  const codeOf = (place: string) => {
    try {
      accessSync(place, constants.W_OK);
      return undefined;
    } catch (error) {
      return errorCode(error);
    }
  };
  const folder = dirname(path);
  if (codeOf(folder) === "EROFS")
    return `The disk that holds it takes no writes: mount it writable`;
  const place = isThere(path) && codeOf(path) !== undefined ? path : folder;
  return `Make ${place} writable for this user`;
}

/** Explains SQLite's error to users, as a {@link DatabaseError}. */
export function explainDatabaseFailure(error: unknown, path: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  if (error instanceof MigrationError) return new DatabaseError(error.message);
  const code = databaseCode(error);
  const readOnly = `${path} is read-only. ${whatToMakeWritable(path)}, or choose another folder with --data or MARQUEE_DATA.`;
  const full = `The disk that holds ${path} is full. Make room and try again.`;
  const sentences: Record<string, string> = {
    SQLITE_NOTADB: `${path} is not a database, or it is damaged. Restore a backup in its place; the file was left as it is.`,
    SQLITE_CORRUPT: `${path} is damaged. Restore a backup in its place; the file was left as it is.`,
    SQLITE_CANTOPEN: `${path} cannot be opened. Check that you may read and write ${dirname(path)}, or choose another folder with --data or MARQUEE_DATA.`,
    SQLITE_READONLY: readOnly,
    EROFS: readOnly,
    SQLITE_FULL: full,
    ENOSPC: full,
    SQLITE_BUSY: `${path} is in use by another program that does not let go. Stop it and start again.`,
    SQLITE_IOERR: `${path} cannot be read or written: the disk reports an error.`,
  };
  const known = Object.keys(sentences).find((name) => code.startsWith(name));
  const sentence = known ? sentences[known] : undefined;
  return new DatabaseError(
    sentence ??
      (isBusy(error)
        ? `${path} did not answer, or takes no requests at this moment. Try again.`
        : `${path} cannot be used. Check that you may read and write it.`),
    { cause: error },
  );
}
