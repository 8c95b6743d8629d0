import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** What SQLite finds when it checks the database of a data folder: `ok`, or what is broken. */
export function integrityOf(data: string): string {
  const path = join(data, "marquee.db");
  if (!existsSync(path)) return "the database is gone";
  using database = new Database(path, { readonly: true });
  const [row] = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
  return row?.integrity_check ?? "no answer";
}
