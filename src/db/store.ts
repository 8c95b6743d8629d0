import type { Database } from "bun:sqlite";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { type Changed, createChanges } from "./changes.ts";
import { createDatabaseCopies } from "./database-copy.ts";
import * as schema from "./schema.ts";
import { createSealedValues } from "./sealed-values.ts";

/** Builds statements; `get`, `all` and `run` carry one out at once. */
export type Queries = BunSQLiteDatabase<typeof schema>;

/**
 * The largest form is a megabyte, which is written to the log and then to the file. A full disk
 * still takes small writes, into what the log already has.
 */
export const ROOM_BYTES = 2 * 1024 * 1024;

/** Free space that stays in the file, in bytes: new data often follow deleted ones. */
const KEPT_FREE_BYTES = 1024 * 1024;
/** How many bytes are given back at once: requests wait some milliseconds meanwhile. */
const GIVEN_BACK_BYTES = 1024 * 1024;

/** The open database. One process has it open for writing, and it answers at once. */
export function createStore(sqlite: Database, folder: string, freeBytes: () => number) {
  const queries: Queries = drizzle(sqlite, { schema });
  const { onChange, publish, followMissed } = createChanges();
  /** Runs work that reads, decides and writes: all of it, or nothing if it throws. Nobody is told. */
  const transaction = <Result>(work: (tx: Queries) => Result): Result =>
    sqlite.transaction(() => work(queries)).immediate();
  return {
    queries,
    sealed: createSealedValues(sqlite),
    onChange,
    followMissed,
    transaction,
    /**
     * The same for a write that others follow. It is done when this returns; the promise resolves when
     * all who follow `changed` have done so.
     */
    async write<Result>(changed: Changed | readonly Changed[], work: (tx: Queries) => Result) {
      const result = transaction(work);
      for (const one of [changed].flat()) await publish(one);
      return result;
    },
    /** Whether users exist, whose data need the secret key. */
    hasUsers: () => sqlite.query("SELECT 1 FROM users").get() !== null,
    /** @throws when the database takes no writes at this moment */
    probeWrite() {
      sqlite.run(
        "INSERT INTO server (id, checked_at) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET checked_at = ?1",
        [Date.now()],
      );
      if (freeBytes() < ROOM_BYTES) throw new Error("the disk is full");
    },
    /**
     * Rewrites the file, so that no sealed value that was replaced or deleted stays in it.
     * @throws when there is no room
     */
    forgetReplaced: () => void sqlite.run("VACUUM"),
    /** Copies the database to be sent, one copy at a time. */
    takeCopy: createDatabaseCopies(folder, freeBytes),
    /**
     * Gives room that deleted data have left back to the disk: a part of it, or nothing if it is little.
     * @throws when the disk takes no writes
     */
    shrink() {
      const pageBytes = pragmaOf(sqlite, "page_size");
      const spare = pragmaOf(sqlite, "freelist_count") - KEPT_FREE_BYTES / pageBytes;
      if (spare <= 0) return;
      const pages = Math.min(spare, GIVEN_BACK_BYTES / pageBytes);
      sqlite.run(`PRAGMA incremental_vacuum(${pages})`);
      // Until then only the log knows that the file is shorter. This waits for nobody.
      sqlite.run("PRAGMA wal_checkpoint(PASSIVE)");
    },
    /** Closes, and writes the log into the file. */
    close() {
      // With all statements finalized SQLite checkpoints the log itself.
      sqlite.close(true);
    },
  };
}

export type Store = ReturnType<typeof createStore>;

/** The value of a pragma that is a number. */
export const pragmaOf = (sqlite: Database, pragma: string): number =>
  Number(sqlite.query(`PRAGMA ${pragma}`).values()[0]?.[0]);
