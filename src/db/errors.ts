/** The database cannot be used; the message says why and what to do. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
}

/** Writes a value that must be unique. @throws `taken` when another row already has it */
export async function writeUnique<Result>(
  taken: Error,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    throw databaseCode(error) === "SQLITE_CONSTRAINT_UNIQUE" ? taken : error;
  }
}

/** Whether the database can be used by others only at this moment. */
export const isBusy = (error: unknown): boolean => databaseCode(error).startsWith("SQLITE_BUSY");

/** What SQLite, and the system for other files in the data folder, say of a lock or of a disk. */
const PASSING = /^(?:SQLITE_(?:BUSY|FULL|IOERR|READONLY|CANTOPEN)|(?:ENOSPC|EDQUOT|EROFS|EIO)$)/;

/** Whether a write may succeed later, when the lock is gone or the disk has room. */
export const isPassing = (error: unknown): boolean => PASSING.test(databaseCode(error));

/** The error's code, such as SQLite's `SQLITE_FULL`; empty when it has none. */
export function databaseCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return "code" in error && typeof error.code === "string" ? error.code : databaseCode(error.cause);
}
