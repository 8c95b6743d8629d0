import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { Changed, Changes } from "./changes.ts";
import type { TakeCopy } from "./database-copy.ts";
import type * as schema from "./schema.ts";
import type { SealedValues } from "./sealed-values.ts";

/** Builds statements; `get`, `all` and `run` carry one out at once. */
export type Queries = BunSQLiteDatabase<typeof schema>;

/** The open database. One process has it open for writing, and it answers at once. */
export interface Store extends Pick<Changes, "onChange" | "followMissed"> {
  readonly queries: Queries;
  readonly sealed: SealedValues;
  /** Runs work that reads, decides and writes: all of it, or nothing if it throws. Nobody is told. */
  transaction<Result>(work: (tx: Queries) => Result): Result;
  /**
   * The same for a write that others follow. It is done when this returns; the promise resolves when
   * all who follow `changed` have done so.
   */
  write<Result>(
    changed: Changed | readonly Changed[],
    work: (tx: Queries) => Result,
  ): Promise<Result>;
  /** Whether users exist, whose data need the secret key. */
  hasUsers(): boolean;
  /** @throws when the database takes no writes at this moment */
  probeWrite(): void;
  /**
   * Rewrites the file, so that no sealed value that was replaced or deleted stays in it.
   * @throws when there is no room
   */
  forgetReplaced(): void;
  /** Copies the database to be sent, one copy at a time. */
  readonly takeCopy: TakeCopy;
  /**
   * Gives room that deleted data have left back to the disk: a part of it, or nothing if it is little.
   * @throws when the disk takes no writes
   */
  shrink(): void;
  /** Closes, and writes the log into the file. */
  close(): void;
}
