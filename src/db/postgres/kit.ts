import {
  bigint,
  boolean,
  customType,
  index,
  pgTable,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { Kit } from "../sqlite-kit.ts";

/** Bun gives 64-bit integers as text; Drizzle makes numbers of them. */
const integer = (name: string) => bigint(name, { mode: "number" });

const kit = {
  table: pgTable,
  index,
  uniqueIndex,
  text,
  integer,
  flag: (name: string) => boolean(name),
  id: (name: string) => integer(name).primaryKey().generatedByDefaultAsIdentity(),
  instant: integer,
  bytes: customType<{ data: Uint8Array }>({ dataType: () => "bytea" }),
};

/**
 * How PostgreSQL spells the tables. Queries are built in the same way for both databases, so the
 * tables' types are those of SQLite.
 */
export const postgresKit = kit as unknown as Kit;
