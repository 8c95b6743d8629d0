import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bytes, flag, instant, rowId } from "../columns.ts";
import { ownedBy } from "./accounts.ts";

/** Where the music of users comes from, its last status, and the songs they keep. */

export const connections = sqliteTable(
  "connections",
  {
    /** Never reused, so another id means another connection. */
    id: rowId("id"),
    userId: ownedBy().notNull(),
    source: text("source").notNull(),
    /** The source's own settings as JSON, encrypted. */
    sealedSettings: bytes("sealed_settings").notNull(),
    createdAt: instant("created_at").notNull(),
    /** When the upstream refused our credentials; the user has to connect again. */
    refusedAt: instant("refused_at"),
    /** A fingerprint of the account's id: finds its connections without decrypting any. */
    accountHash: bytes("account_hash"),
    /** When the upstream's consent ends, where it ends by itself. */
    consentEndsAt: instant("consent_ends_at"),
    /** Tells a user's connections to the same source apart. */
    name: text("name").notNull().default(""),
    /** The user's order: the lowest comes first. Need not be without gaps. */
    position: integer("position").notNull().default(0),
    /** The first id of a connection whose settings were replaced since; people know it by that. */
    firstId: integer("first_id"),
    /** SHA-256 of the secret with which other programs push to this connection. */
    secretHash: bytes("secret_hash").unique("connections_secret"),
    /** That secret, encrypted, to show it again. */
    sealedSecret: bytes("sealed_secret"),
    /** Whether its titles are cleaned, if it has its own choice. */
    cleansTitles: flag("cleans_titles"),
    /** Whether covers that are found elsewhere replace its own, where the user lets them be looked for. */
    replacesCovers: flag("replaces_covers").notNull().default(false),
  },
  (columns) => [
    uniqueIndex("connections_user").on(columns.userId, columns.source, columns.name),
    index("connections_account").on(columns.accountHash),
    index("connections_consent").on(columns.consentEndsAt),
  ],
);

/** A connection's last status seen by a running server; written once per change. */
export const connectionStatuses = sqliteTable("connection_statuses", {
  connectionId: integer("connection_id")
    .primaryKey()
    .references(() => connections.id, { onDelete: "cascade" }),
  state: text("state", { enum: ["ok", "retrying", "limited"] }).notNull(),
  reason: text("reason"),
  since: instant("since").notNull(),
  until: instant("until"),
  /** When the connection first reported; `null` while it never was. */
  firstReportAt: instant("first_report_at"),
});

/** What a user keeps of the songs that were played, and the user's last stream. */
export const histories = sqliteTable("histories", {
  userId: ownedBy().primaryKey(),
  /** How long songs are kept; if unset, none are. */
  keeps: text("keeps", { enum: ["day", "month", "always"] }),
  /** Whether overlays may report when OBS streams. */
  followsStreams: flag("follows_streams").notNull().default(false),
  streamStartedAt: instant("stream_started_at"),
  /** Unset while the stream runs. */
  streamEndedAt: instant("stream_ended_at"),
  /** When it was cleared, or switched off or on: what was played of the present song does not count. */
  clearedAt: instant("cleared_at"),
  /** Songs with ids up to this one were cleared, and are deleted in parts. */
  clearedUpTo: integer("cleared_up_to").notNull().default(0),
});

/** Songs that were played, of users who keep them. */
export const songs = sqliteTable(
  "songs",
  {
    id: rowId("id"),
    userId: ownedBy().notNull(),
    startedAt: instant("started_at").notNull(),
    /** Milliseconds, without pauses. */
    playedMs: integer("played_ms").notNull(),
    source: text("source").notNull(),
    trackId: text("track_id").notNull(),
    title: text("title").notNull(),
    /** Milliseconds; unset for a stream without an end. */
    durationMs: integer("duration_ms"),
    explicit: flag("explicit").notNull(),
    /** JSON texts, in the upstream's order. */
    artists: text("artists").notNull(),
    albumName: text("album_name").notNull(),
    /** Path of the cover on this server, without the name of a rendition. */
    coverPath: text("cover_path"),
    /** The cover's public URL, where it has one. */
    coverUrl: text("cover_url"),
    /** What the source gave, where other names were shown. */
    givenTitle: text("given_title"),
    givenArtists: text("given_artists"),
  },
  (columns) => [uniqueIndex("songs_user").on(columns.userId, columns.startedAt)],
);
