import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bytes, flag, instant, json, rowId } from "../columns.ts";

/** Users, and what they sign in and are asked for with. */

export const users = sqliteTable(
  "users",
  {
    id: rowId("id"),
    name: text("name").notNull().unique(),
    role: text("role", { enum: ["owner", "member"] }).notNull(),
    createdAt: instant("created_at").notNull(),
    /** The language of the user's pages; if unset, the browser's choice. */
    language: text("language"),
    /** When the user finished the first steps. */
    welcomedAt: instant("welcomed_at"),
  },
  (columns) => [
    // Two concurrent first starts, or removals, must not make a second owner.
    uniqueIndex("users_owner")
      .on(columns.role)
      .where(sql`${columns.role} = 'owner'`),
  ],
);

/** Rows of a user go with the user. */
export const ownedBy = () => integer("user_id").references(() => users.id, { onDelete: "cascade" });

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text("id").primaryKey(),
    userId: ownedBy().notNull(),
    name: text("name").notNull(),
    /**
     * SHA-256 of the whole key, which is shown once and never stored. Once a key has ended, its id, which is
     * no key's hash: so it works never again, whatever the clock says.
     */
    hash: bytes("hash").notNull(),
    createdAt: instant("created_at").notNull(),
    lastUsedAt: instant("last_used_at"),
    /** The key works until then; in the future during a grace period. */
    revokedAt: instant("revoked_at"),
  },
  (columns) => [
    uniqueIndex("api_keys_hash").on(columns.hash),
    index("api_keys_user").on(columns.userId),
  ],
);

/** Magic links let their holder do one thing for a user, for a short time. */
export const magicLinks = sqliteTable(
  "magic_links",
  {
    /** SHA-256 of the link's secret. */
    hash: bytes("hash").primaryKey(),
    userId: ownedBy().notNull(),
    /** What it allows, such as `connect spotify`. */
    purpose: text("purpose").notNull(),
    expiresAt: instant("expires_at").notNull(),
    usedAt: instant("used_at"),
  },
  (columns) => [index("magic_links_user").on(columns.userId)],
);

/** Browsers that are signed in. */
export const sessions = sqliteTable(
  "sessions",
  {
    /** A public id, for lists and forms. */
    id: text("id").primaryKey(),
    /** SHA-256 of the session cookie. */
    hash: bytes("hash").notNull().unique("sessions_hash"),
    userId: ownedBy().notNull(),
    /** The browser's User-Agent. */
    userAgent: text("user_agent").notNull(),
    createdAt: instant("created_at").notNull(),
    lastSeenAt: instant("last_seen_at").notNull(),
  },
  (columns) => [index("sessions_user").on(columns.userId)],
);

/** What a user hides, and how the rest is named. */
export const privacy = sqliteTable("privacy", {
  userId: ownedBy().primaryKey(),
  /** Nothing is shown until then. */
  pausedUntil: instant("paused_until"),
  /** A name that contains one of these texts is not shown. */
  hiddenTitles: json("hidden_titles").notNull(),
  hiddenArtists: json("hidden_artists").notNull(),
  /** Whether titles are shown without what describes their upload. */
  cleansTitles: flag("cleans_titles").notNull().default(false),
  /** Phrases that titles are shown without, and where they stand. */
  phrases: json("phrases").notNull().default([]),
  /** Whether covers are looked for elsewhere that the player lacks. */
  searchesCovers: flag("searches_covers").notNull().default(false),
});
