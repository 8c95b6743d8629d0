import { getTableName, sql } from "drizzle-orm";
import { addressOfDatabase } from "../../config.ts";
import { describeError } from "../../log.ts";
import { DatabaseError, databaseCode } from "../errors.ts";
import { MigrationError } from "../migrations.ts";
import { sealedColumns } from "../sealed-values.ts";
import type { Results, Statement, Steps, Store, Writer } from "../store.ts";
import { createNotifiedFeed } from "./change-feed.ts";
import { isMigrated, migrate } from "./migrations.ts";
import { connectTo, createPool, disconnect, inTime, type Pool } from "./pool.ts";
import { queriesOf, queriesOn } from "./queries.ts";
import { tables } from "./schema.ts";
import { createSealedValues } from "./sealed-values.ts";

/** PostgreSQL 13, as `server_version_num` has it. */
const OLDEST_VERSION = 130_000;
/** Any number that other programs do not use for their locks in the same database. */
const EXCLUSIVE_LOCK = 4_747_002;
/** Whoever asks whether the server is ready does not wait long. */
const PROBE_LIMIT_MS = 1_500;
/** How long a command waits for another program's lock on a table. */
const PATIENT_LOCK_WAIT_MS = 10_000;
/** How often a transaction is tried that met another one. */
const MOST_ATTEMPTS = 10;

export interface OpenOptions {
  /** What to do with a database in which there is nothing of Marquee's. */
  readonly whenMissing: "create" | "refuse";
  /** Most connections at once, besides the one that listens. All are opened at the first query. */
  readonly most: number;
}

/**
 * Opens a database on a PostgreSQL server and brings its schema up to date.
 * @param url as `--database` takes it
 * @throws {DatabaseError} when it cannot be reached or used
 */
export async function openPostgresStore(url: string, options: OpenOptions): Promise<Store> {
  let pool: Pool | undefined;
  try {
    pool = createPool(url, options.most);
    await refuseOldVersion(pool);
    if (options.whenMissing === "refuse" && !(await isMigrated(pool))) {
      throw new DatabaseError(
        `There is no Marquee data in ${addressOfDatabase(url)}. Start marquee with it first, or choose another database with --database or MARQUEE_DATABASE.`,
      );
    }
    await migrate(pool);
    return createStore(url, pool);
  } catch (error) {
    await pool?.close();
    throw explainPostgresFailure(error, url);
  }
}

/** @throws {DatabaseError} */
export async function refuseOldVersion(pool: Pick<Pool, "query">): Promise<void> {
  const [row] = await pool.query(
    "SELECT current_setting('server_version_num'), current_setting('server_version')",
  );
  if (Number(row?.[0]) >= OLDEST_VERSION) return;
  throw new DatabaseError(
    `The database's server is PostgreSQL ${String(row?.[1])}. Marquee needs PostgreSQL 13 or newer: update it.`,
  );
}

function createStore(url: string, pool: Pool): Store {
  const queries = queriesOf(pool);
  const feed = createNotifiedFeed(url, pool);

  /** Runs statements in one transaction. Conflicts with others are repeated. */
  const run = async <const Statements extends readonly Statement[]>(
    build: (writer: Writer) => Statements,
    isSerializable: boolean,
  ): Promise<Results<Statements>> => {
    const statements = build(queries);
    const [first] = statements;
    if (statements.length <= 1) return (first ? [await first] : []) as Results<Statements>;
    return repeated(() =>
      pool.transaction(
        async (connection) => {
          const results: unknown[] = [];
          for (const statement of build(queriesOn(connection))) results.push(await statement);
          return results as Results<Statements>;
        },
        isSerializable ? { isSerializable } : {},
      ),
    );
  };

  return {
    onChange: feed.onChange,
    publishChanges: feed.publishChanges,
    checkForChanges: feed.checkForChanges,
    network: feed,
    tables,
    queries,
    sealed: createSealedValues(pool),
    forgetReplaced: () => rewriteSealedTables(url),
    rows: (json, fields) => {
      const entries = Object.entries(fields);
      // Some numbers have a fraction, which only the cast removes.
      const given = entries.map(
        ([name, type]) => `"${name}" ${type === "bigint" ? "numeric" : "text"}`,
      );
      const taken = entries.map(([name, type]) =>
        type === "hex" ? `decode("${name}", 'hex') AS "${name}"` : `"${name}"::${type}`,
      );
      // As text first: Bun writes what PostgreSQL expects as JSON once more as JSON.
      const table = sql`json_to_recordset(${json}::text::json)`;
      return sql`(SELECT ${sql.raw(taken.join(", "))} FROM ${table} AS given(${sql.raw(given.join(", "))}))`;
    },
    async hasUsers() {
      return (await pool.query("SELECT 1 FROM users LIMIT 1")).length > 0;
    },
    async probeWrite() {
      const [row] = await inTime(pool.query("SELECT pg_is_in_recovery()"), PROBE_LIMIT_MS);
      if (row?.[0] !== false) throw new Error("the database only reads");
      if (!feed.isListening) throw new Error("notices of changes do not arrive from the database");
    },
    async atomically(build) {
      const results = await run(build, true);
      await feed.publishChanges();
      return results;
    },
    inBackground: (build) => run(build, false),
    async exclusively(steps) {
      const result = await repeated(() =>
        pool.transaction(async (connection) => {
          await connection.unsafe(`SELECT pg_advisory_xact_lock(${EXCLUSIVE_LOCK})`);
          return runSteps(steps(queriesOn(connection)));
        }),
      );
      await feed.publishChanges();
      return result;
    },
    async reserveUserIds(count) {
      const rows = await pool.query(
        "SELECT nextval(pg_get_serial_sequence('users', 'id')) FROM generate_series(1, $1)",
        [count],
      );
      return rows.map(([id]) => Number(id));
    },
    async close() {
      await Promise.all([feed.close(), pool.close()]);
    },
  };
}

/** Only a rewritten table holds none of its former rows; others wait until it is. */
async function rewriteSealedTables(url: string): Promise<void> {
  const client = connectTo(url);
  try {
    await client.unsafe("SET statement_timeout = 0");
    await client.unsafe(`SET lock_timeout = ${PATIENT_LOCK_WAIT_MS}`);
    const names = sealedColumns.map(({ column }) => getTableName(column.table));
    for (const name of new Set(names)) await client.unsafe(`VACUUM (FULL) ${name}`);
  } finally {
    await disconnect(client);
  }
}

/** Tries again while PostgreSQL asks for it, because another transaction was in the way. */
async function repeated<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isConflict = ["40001", "40P01"].includes(databaseCode(error));
      if (!isConflict || attempt === MOST_ATTEMPTS) throw error;
      await Bun.sleep(Math.random() * 10 * attempt);
    }
  }
}

async function runSteps<Result>(steps: Steps<Result>): Promise<Result> {
  for (let next = steps.next(); ;) {
    if (next.done) return next.value;
    next = steps.next(await next.value);
  }
}

/** Explains an error of PostgreSQL or of the way to it, as a {@link DatabaseError}. */
export function explainPostgresFailure(error: unknown, url: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  if (error instanceof MigrationError) return new DatabaseError(error.message);
  const code = databaseCode(error);
  const name = addressOfDatabase(url);
  // The codes of OpenSSL, such as DEPTH_ZERO_SELF_SIGNED_CERT.
  if (/CERT|SIGNATURE/.test(code)) {
    return new DatabaseError(
      `The TLS certificate of ${name} is refused: ${describeError(error)}. Name its authority's file with sslrootcert in the address, or correct the host.`,
      { cause: error },
    );
  }
  const sentences: Record<string, string> = {
    "28P01": `The user name or the password for the database ${name} is wrong. Check both in --database, MARQUEE_DATABASE or the file of MARQUEE_DATABASE_FILE.`,
    "28000": `The database server does not let this user in to ${name}. Check the user name, and the server's pg_hba.conf: it may ask for TLS (add ?sslmode=require to the address).`,
    "3D000": `The server has no database of this name: ${name}. Create it (createdb), or correct the name.`,
    "42P07": `The database ${name} has tables of another program with names that Marquee needs. Choose an empty database.`,
    "42501": `The user of ${name} may not create tables in it. Make this user the database's owner.`,
    "53300": `The database server of ${name} has no connection left. Raise its max_connections: each Marquee keeps up to 14.`,
    "25006": `The database ${name} can only be read. Give the address of the server that takes writes.`,
    ERR_POSTGRES_TLS_NOT_AVAILABLE: `The database server of ${name} does not speak TLS. Switch it on there, or take sslmode out of the address.`,
    ERR_POSTGRES_CONNECTION_REFUSED: `The database server of ${name} cannot be reached. Check that it runs, its host and its port.`,
    ERR_POSTGRES_CONNECTION_TIMEOUT: `The database server of ${name} does not answer. Check its host, its port and the firewalls in between.`,
    ERR_POSTGRES_SILENCE: `The database server of ${name} does not answer. Check its host, its port and the firewalls in between.`,
  };
  return new DatabaseError(
    sentences[code] ??
      `The database ${name} cannot be used: ${describeError(error)}${code && ` (${code})`}.`,
    { cause: error },
  );
}
