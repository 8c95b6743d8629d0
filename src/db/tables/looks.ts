import { sql } from "drizzle-orm";
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bytes, flag, instant, json, rowId } from "../columns.ts";
import { ownedBy } from "./accounts.ts";

/** Widgets as they are stored, their earlier looks, and the users' fonts and stand-in covers. */

/** A user's overlays, lines of text and cards: each has an address of its own. */
export const widgets = sqliteTable(
  "widgets",
  {
    /** Never reused, so another id means another widget. */
    id: rowId("id"),
    userId: ownedBy().notNull(),
    name: text("name").notNull(),
    kind: text("kind", { enum: ["overlay", "text", "card"] }).notNull(),
    /** SHA-256 of the token, for looking it up. */
    hash: bytes("hash").notNull().unique("widgets_hash"),
    /** The token, encrypted, to show its URL again. */
    sealedToken: bytes("sealed_token").notNull(),
    /** The language of its words; if unset, the one in the address. */
    language: text("language"),
    /** Option names and texts: only what differs from the defaults. */
    options: json("options").notNull().default({}),
    css: text("css").notNull().default(""),
    /** Size of the browser source in pixels; if unset, what fits the options. */
    width: integer("width"),
    height: integer("height"),
    /** Grows by one whenever a look is saved. */
    revision: integer("revision").notNull().default(1),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    /** When it was removed; for a moment that can be undone. */
    removedAt: instant("removed_at"),
    /** SHA-256 of what shows and hides it on demand, and that, encrypted; unset until asked for. */
    showHash: bytes("show_hash").unique("widgets_show"),
    sealedShowToken: bytes("sealed_show_token"),
  },
  (columns) => [
    uniqueIndex("widgets_name")
      .on(columns.userId, columns.name)
      .where(sql`${columns.removedAt} is null`),
  ],
);

/** The looks that a widget had, the last one included. */
export const widgetRevisions = sqliteTable(
  "widget_revisions",
  {
    id: rowId("id"),
    widgetId: integer("widget_id")
      .notNull()
      .references(() => widgets.id, { onDelete: "cascade" }),
    revision: integer("revision").notNull(),
    options: json("options").notNull(),
    css: text("css").notNull(),
    width: integer("width"),
    height: integer("height"),
    savedAt: instant("saved_at").notNull(),
    /** Saved while the user was still editing: the next such look takes its place. */
    isPassing: flag("is_passing").notNull().default(false),
  },
  (columns) => [uniqueIndex("widget_revisions_widget").on(columns.widgetId, columns.revision)],
);

/** Fonts that a user's widgets may use, as WOFF2. */
export const fonts = sqliteTable(
  "fonts",
  {
    /** Unguessable: it is in the font's public address. */
    id: text("id").primaryKey(),
    userId: ownedBy().notNull(),
    /** The family's name in options and CSS. */
    name: text("name").notNull(),
    sha256: bytes("sha256").notNull(),
    bytes: bytes("bytes").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (columns) => [uniqueIndex("fonts_name").on(columns.userId, columns.name)],
);

/** What a user's overlays show where a track has no cover, as it was drawn: WebP. */
export const standInCovers = sqliteTable("stand_in_covers", {
  userId: ownedBy().primaryKey(),
  /** Unguessable: it is in the picture's public address. */
  id: text("id").notNull().unique("stand_in_covers_id"),
  bytes: bytes("bytes").notNull(),
  createdAt: instant("created_at").notNull(),
});
