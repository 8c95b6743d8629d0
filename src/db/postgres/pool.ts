import { SQL } from "bun";

/** Connections to a PostgreSQL server. No query waits longer than its time limit. */
export interface Pool {
  /** Rows as arrays of values; 64-bit integers are text. */
  query(text: string, values?: readonly unknown[]): Promise<unknown[][]>;
  /** Rows as objects. */
  rows(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Runs `work` in one transaction, on a connection of its own. */
  transaction<Result>(
    work: (connection: SQL) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  close(): Promise<void>;
}

export interface TransactionOptions {
  /** Conflicts with other such transactions fail with the SQLSTATE 40001 and can be repeated. */
  readonly isSerializable?: true;
  /** For work that may take as long as it needs, such as moving in. */
  readonly isLong?: true;
}

const CONNECT_WITHIN_S = 4;
/** The server ends a statement then. */
const STATEMENT_LIMIT_MS = 5_000;
/** The server ends a transaction whose program does nothing: a stopped one may not hold locks. */
const IDLE_TRANSACTION_LIMIT_MS = 5_000;
/** Then not even the server's refusal arrives any more: the network swallows packets. */
const SILENCE_LIMIT_MS = 7_000;

/** The network has swallowed a query. Whether it was carried out is unknown. */
export class SilenceError extends Error {
  override readonly name = "SilenceError";
  readonly code = "ERR_POSTGRES_SILENCE";
  constructor() {
    super("the database did not answer in time");
  }
}

export interface ConnectOptions {
  /** Most connections at once. */
  readonly most?: number;
  /** Is called whenever one of the connections ends. */
  onClose?(): void;
}

/** A client of Bun's, which connects when it is used. */
export function connectTo(url: string, { most = 1, onClose }: ConnectOptions = {}): SQL {
  return new SQL(url, {
    max: most,
    connectionTimeout: CONNECT_WITHIN_S,
    connection: {
      application_name: "marquee",
      statement_timeout: STATEMENT_LIMIT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_LIMIT_MS,
      // How long the server keeps what a program does not acknowledge any more.
      tcp_user_timeout: 10_000,
    },
    ...(onClose && { onclose: onClose }),
  });
}

/** Ends a client's connections at once: Bun's patient way can wait for ever (oven-sh/bun#42804). */
export async function disconnect(client: SQL): Promise<void> {
  await client.close({ timeout: 0 }).catch(() => {});
}

/** The result of `work`. @throws {SilenceError} if it takes longer than the limit */
export async function inTime<Result>(
  work: Promise<Result>,
  limitMs = SILENCE_LIMIT_MS,
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new SilenceError()), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** @param most connections at once; all are opened at the first query */
export function createPool(url: string, most: number): Pool {
  const connect = () => connectTo(url, { most });
  let client = connect();

  const attempt = async <Result>(work: (client: SQL) => Promise<Result>): Promise<Result> => {
    const used = client;
    try {
      return await inTime(work(used));
    } catch (error) {
      if (error instanceof SilenceError && used === client) {
        // Queries that others have sent on these connections are lost too.
        client = connect();
        void disconnect(used);
      }
      throw error;
    }
  };

  return {
    query: (text, values = []) => attempt(async (client) => sendTo(client, text, values).values()),
    rows: (text, values = []) => attempt(async (client) => sendTo(client, text, values)),
    transaction(work, { isSerializable, isLong } = {}) {
      const isolation = isSerializable ? "isolation level serializable" : "read write";
      const run = async (client: SQL) =>
        client.begin(isolation, async (connection) => {
          if (isLong) {
            await connection.unsafe("SET LOCAL statement_timeout = 0");
            await connection.unsafe("SET LOCAL idle_in_transaction_session_timeout = 0");
          }
          return work(connection);
        });
      return isLong ? run(client) : attempt(run);
    },
    close: () => disconnect(client),
  };
}

/** A statement that starts when it is awaited. */
export const sendTo = (client: SQL, text: string, values: readonly unknown[]) =>
  client.unsafe(text, values.map(toParameter));

/** Bun sends a number beyond 32 bits as a floating point number, which no index finds. */
function toParameter(value: unknown): unknown {
  const isLarge = typeof value === "number" && Number.isInteger(value) && (value | 0) !== value;
  return isLarge ? BigInt(value) : value;
}
