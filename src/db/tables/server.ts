import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, instant } from "../columns.ts";

/** What this server stores about itself and about upstreams, for all users. */

/** One row of facts about this server, which its commands read. */
export const server = sqliteTable("server", {
  id: integer("id")
    .primaryKey()
    .default(sql`1`),
  /** The base URL of the running server, or of the last one that ran. */
  baseUrl: text("base_url"),
  /** Rewritten to prove that the database takes writes. */
  checkedAt: instant("checked_at"),
  /** The id of the secret key in force, which sealed everything stored. */
  secretKeyId: bytes("secret_key_id"),
});

/** What this server stores about an upstream, for all users. */
export const upstreams = sqliteTable("upstreams", {
  source: text("source").primaryKey(),
  /** The app that the operator has registered, as JSON, encrypted. */
  sealedApp: bytes("sealed_app"),
  /** The last pause that the upstream asked for. */
  pausedFrom: instant("paused_from"),
  pausedUntil: instant("paused_until"),
});

/** Covers that were looked for elsewhere. */
export const foundCovers = sqliteTable(
  "found_covers",
  {
    /** A digest of the song's names. */
    song: text("song").primaryKey(),
    /** The service that has it; empty when none has. */
    service: text("service").notNull(),
    /** The picture's address; unset when none was found. */
    cover: text("cover"),
    searchedAt: instant("searched_at").notNull(),
  },
  (columns) => [index("found_covers_searched").on(columns.searchedAt)],
);
