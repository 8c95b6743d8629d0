import { blob, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** What the databases spell differently. The tables' types are SQLite's, whichever it is. */
export type Kit = typeof sqliteKit;

export const sqliteKit = {
  table: sqliteTable,
  index,
  uniqueIndex,
  text,
  integer: (name: string) => integer(name, { mode: "number" }),
  flag: (name: string) => integer(name, { mode: "boolean" }),
  /** A row's id, which the database chooses and never reuses. */
  id: (name: string) => integer(name, { mode: "number" }).primaryKey({ autoIncrement: true }),
  /** Unix time in milliseconds. */
  instant: (name: string) => integer(name, { mode: "number" }),
  /** Bytes, read back as a Uint8Array. */
  bytes: (name: string) => blob(name, { mode: "buffer" }),
};
