import type { SQL } from "bun";
import { drizzle } from "drizzle-orm/bun-sql";
import type { Queries } from "../store.ts";
import { type Pool, sendTo } from "./pool.ts";

/** What Drizzle uses of a client. */
interface Client {
  unsafe(
    text: string,
    values: readonly unknown[],
  ): PromiseLike<unknown> & {
    values(): Promise<unknown>;
  };
}

/** Queries on any of a pool's connections. */
export const queriesOf = (pool: Pick<Pool, "query" | "rows">): Queries =>
  build({
    unsafe: (text, values) => ({
      values: () => pool.query(text, values),
      // A query starts when it is awaited.
      then: (done, failed) => pool.rows(text, values).then(done, failed),
    }),
  });

/** Queries on one connection, such as that of a transaction. */
export const queriesOn = (connection: SQL): Queries =>
  build({ unsafe: (text, values) => sendTo(connection, text, values) });

/** Drizzle's own types name PostgreSQL's tables, while the code is written with those of SQLite. */
const build = (client: Client): Queries =>
  drizzle({ client: client as unknown as SQL }) as unknown as Queries;
