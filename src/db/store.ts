import type { Placeholder, SQL } from "drizzle-orm";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { Awaitable } from "./awaitable.ts";
import type { TakeCopy } from "./database-copy.ts";
import type { ChangeFeed } from "./change-feed.ts";
import type { Schema } from "./schema.ts";
import type { SealedValues } from "./sealed-values.ts";

/** Builds queries, which run when they are awaited. */
export type Queries = Pick<
  BunSQLiteDatabase<Schema>,
  "select" | "selectDistinct" | "insert" | "update" | "delete" | "$count"
>;

/** Builds statements. */
export type Writer = Pick<Queries, "select" | "insert" | "update" | "delete">;

/** A statement that is built but not run. */
export interface Statement extends PromiseLike<unknown> {
  all(): unknown;
}

/** The result of each statement. */
export type Results<Statements extends readonly Statement[]> = {
  -readonly [Index in keyof Statements]: Awaited<Statements[Index]>;
};

/** Runs statements, all or none, with no others in between. */
export type Atomically = <const Statements extends readonly Statement[]>(
  build: (writer: Writer) => Statements,
) => Promise<Results<Statements>>;

/** Statements that run one after the other; each may depend on what the earlier ones returned. */
export type Steps<Result> = Generator<Statement, Result, unknown>;

/** One of several steps: `const rows = yield* step(writer.select()…)`. */
export function* step<Run extends Statement>(statement: Run): Steps<Awaited<Run>> {
  return (yield statement) as Awaited<Run>;
}

/** How a field of JSON is read; `hex` are bytes that are written as hexadecimal digits. */
export type FieldType = "text" | "bigint" | "hex";

/** An open database: typed queries, and what else a database can do. */
export interface Store extends ChangeFeed {
  readonly tables: Schema;
  readonly queries: Queries;
  readonly sealed: SealedValues;
  /** Whether users exist, whose data need the secret key. */
  hasUsers(): Awaitable<boolean>;
  /** @throws when the database takes no writes at this moment */
  probeWrite(): Awaitable<void>;
  /** For writes that others may need to know: the change feed reports them once stored. */
  readonly atomically: Atomically;
  /** Writes that nobody waits for: another process's lock makes them fail at once. */
  readonly inBackground: Atomically;
  /**
   * Runs steps, all or none, while no others of this kind run. The change feed reports them.
   * They may run again if the database asks for it.
   */
  exclusively<Result>(steps: (writer: Writer) => Steps<Result>): Promise<Result>;
  /** The objects of a JSON array as rows to select from; name them with `AS`. */
  rows(json: string | Placeholder, fields: Readonly<Record<string, FieldType>>): SQL;
  /**
   * Rewrites what holds sealed values, so that none that was replaced or deleted stays in it.
   * @throws when others are in the way, or there is no room
   */
  forgetReplaced(): Awaitable<void>;
  /** Reserves ids that no other new user gets. */
  reserveUserIds(count: number): Promise<readonly number[]>;
  /** What only a database in a file can do. */
  readonly file?: DatabaseFile;
  /** What only a database that is reached over a network can do. */
  readonly network?: DatabaseNetwork;
  /** Closes. Checkpoints a file's write-ahead log if no other process is using it. */
  close(): Awaitable<void>;
}

/** A database in a file of the data folder. */
export interface DatabaseFile {
  /** The id of the secret key in force; `undefined` if none is stored. */
  secretKeyId(): Uint8Array | undefined;
  /** Lets `work` read the database as it is now, whatever others write meanwhile. */
  atOneMoment<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The last id that each table has given away, by the table's name. */
  lastIds(): ReadonlyMap<string, number>;
  /** Runs `work` while no other process can write. `work` must not wait for anything. */
  exclusively<Result>(work: () => Result): Result;
  /** From now on statements wait at most so long for another process's lock. */
  waitForLocks(atMostMs: number): void;
  /** Writes a consistent copy to a file that does not exist yet. */
  copyTo(path: string): void;
  /** Copies the database to be sent, one copy at a time. */
  readonly takeCopy: TakeCopy;
  /**
   * Rewrites a file of an earlier version, unless it is large, so that it can shrink.
   * @throws when another process is writing
   */
  makeShrinkable(): void;
  /**
   * Gives room that deleted data have left back to the disk: a part of it, or nothing if it is
   * little. @throws when another process is writing
   */
  shrink(): void;
}

/** A database that is reached over a network. */
export interface DatabaseNetwork {
  /** Calls back when changes can no longer be received, and when they can be again. */
  onReach(listener: (isReached: boolean) => void): void;
}
