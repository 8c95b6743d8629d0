import { blob, customType, integer } from "drizzle-orm/sqlite-core";
import { jsonIn } from "../decode-text.ts";

/** Columns as the tables use them. */

/** A row's id, which the database chooses and never reuses. */
export const rowId = (name: string) =>
  integer(name, { mode: "number" }).primaryKey({ autoIncrement: true });

/** Unix time in milliseconds. */
export const instant = (name: string) => integer(name, { mode: "number" });

/** Yes or no. */
export const flag = (name: string) => integer(name, { mode: "boolean" });

/** Bytes, read back as a Uint8Array. */
export const bytes = (name: string) => blob(name, { mode: "buffer" });

/** A value as JSON; `undefined` for another text: a damaged row concerns only the user it belongs to. */
export const json = customType<{ data: unknown; driverData: string }>({
  dataType: () => "text",
  toDriver: (value) => JSON.stringify(value),
  fromDriver: jsonIn,
});
