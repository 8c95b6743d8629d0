/** The database cannot be used; the message says why and what to do. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
}

/** The SQLSTATE with which PostgreSQL's triggers refuse what is sealed under another key. */
export const SEAL_REFUSAL = "MQ001";

/** Whether the database refused what was sealed under a key that is not in force. */
export const isSealRefusal = (error: unknown): boolean =>
  ["SQLITE_CONSTRAINT_TRIGGER", SEAL_REFUSAL].includes(databaseCode(error));

/** Whether another row already has a value that must be unique. */
export const isNotUnique = (error: unknown): boolean =>
  ["SQLITE_CONSTRAINT_UNIQUE", "23505"].includes(databaseCode(error));

/** Whether the row that a new one belongs to does not exist, or no longer. */
export const isOrphan = (error: unknown): boolean =>
  ["SQLITE_CONSTRAINT_FOREIGNKEY", "23503"].includes(databaseCode(error));

/**
 * PostgreSQL's codes for what passes: failures of connections, resources, shutdowns and time
 * limits, conflicts of transactions, a lock, a server that only reads.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const PASSING_IN_POSTGRES = /^(?:ERR_POSTGRES_|08|53|57|40001|40P01|55P03|25006)/;

/** Whether the database can be used by others only, or by nobody, at this moment. */
export const isBusy = (error: unknown): boolean => {
  const code = databaseCode(error);
  return code.startsWith("SQLITE_BUSY") || PASSING_IN_POSTGRES.test(code);
};

/** Whether the statement may succeed later, when the lock is gone or the disk has room. */
export function isPassing(error: unknown): boolean {
  const code = databaseCode(error);
  return (
    PASSING_IN_POSTGRES.test(code) ||
    ["BUSY", "FULL", "IOERR", "READONLY", "CANTOPEN"].some((kind) =>
      code.startsWith(`SQLITE_${kind}`),
    )
  );
}

/** The code of an error as Bun's client for PostgreSQL gives it to what the server has refused. */
const REFUSED_BY_POSTGRES = "ERR_POSTGRES_SERVER_ERROR";

/**
 * The error's code, such as SQLite's `SQLITE_FULL`, PostgreSQL's `23505` or Bun's
 * `ERR_POSTGRES_CONNECTION_CLOSED`; empty when it has none.
 */
export function databaseCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if (!("code" in error) || typeof error.code !== "string") return databaseCode(error.cause);
  const isRefused = error.code === REFUSED_BY_POSTGRES && "errno" in error;
  return isRefused ? String(error.errno) : error.code;
}
