import { sql } from "drizzle-orm";
import type { Kit } from "../sqlite-kit.ts";

/** What this server stores about itself and about upstreams, for all users. */
export function serverTables({ table, index, text, integer, instant, bytes }: Kit) {
  /** One row of facts about this server, which its commands read. */
  const server = table("server", {
    id: integer("id")
      .primaryKey()
      .default(sql`1`),
    /** The base URL of the running server, or of the last one that ran. */
    baseUrl: text("base_url"),
    /** Rewritten to prove that the database takes writes. */
    checkedAt: instant("checked_at"),
    /** The id of the secret key in force, which sealed everything stored. */
    secretKeyId: bytes("secret_key_id"),
    /** When `marquee stop` asked the running server to stop. */
    stopAskedAt: instant("stop_asked_at"),
  });

  /** What this server stores about an upstream, for all users. */
  const upstreams = table("upstreams", {
    source: text("source").primaryKey(),
    /** The app that the operator has registered, as JSON, encrypted. */
    sealedApp: bytes("sealed_app"),
    /** The last pause that the upstream asked for. */
    pausedFrom: instant("paused_from"),
    pausedUntil: instant("paused_until"),
  });

  /** Covers that were looked for elsewhere. */
  const foundCovers = table(
    "found_covers",
    {
      /** A digest of the song's names. */
      song: text("song").primaryKey(),
      service: text("service").notNull(),
      /** Unset when none was found. */
      cover: text("cover"),
      searchedAt: instant("searched_at").notNull(),
    },
    (columns) => [index("found_covers_searched").on(columns.searchedAt)],
  );

  return { server, upstreams, foundCovers };
}
