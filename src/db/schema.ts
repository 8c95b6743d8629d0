import { sql } from "drizzle-orm";
import { type Kit, sqliteKit } from "./sqlite-kit.ts";

export type Schema = ReturnType<typeof createSchema>;

/** The tables, as one of the databases spells them. */
export function createSchema({
  table,
  index,
  uniqueIndex,
  text,
  integer,
  flag,
  id,
  instant,
  bytes,
}: Kit) {
  const users = table(
    "users",
    {
      id: id("id"),
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
  const ownedBy = () => integer("user_id").references(() => users.id, { onDelete: "cascade" });

  const apiKeys = table(
    "api_keys",
    {
      id: text("id").primaryKey(),
      userId: ownedBy().notNull(),
      name: text("name").notNull(),
      /** SHA-256 of the whole key: the key itself is shown once and never stored. */
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

  /** A user's overlays, lines of text and cards: each has an address of its own. */
  const widgets = table(
    "widgets",
    {
      /** Never reused, so another id means another widget. */
      id: id("id"),
      userId: ownedBy().notNull(),
      name: text("name").notNull(),
      kind: text("kind", { enum: ["overlay", "text", "card"] }).notNull(),
      /** SHA-256 of the token, for looking it up. */
      hash: bytes("hash").notNull().unique("widgets_hash"),
      /** The token, encrypted, to show its URL again. */
      sealedToken: bytes("sealed_token").notNull(),
      /** The language of its words; if unset, the one in the address. */
      language: text("language"),
      /** JSON object of option names and texts: only what differs from the defaults. */
      options: text("options").notNull().default("{}"),
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
    },
    (columns) => [
      uniqueIndex("widgets_name")
        .on(columns.userId, columns.name)
        .where(sql`${columns.removedAt} is null`),
    ],
  );

  /** The looks that a widget had, the last one included. */
  const widgetRevisions = table(
    "widget_revisions",
    {
      id: id("id"),
      widgetId: integer("widget_id")
        .notNull()
        .references(() => widgets.id, { onDelete: "cascade" }),
      revision: integer("revision").notNull(),
      options: text("options").notNull(),
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
  const fonts = table(
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

  const connections = table(
    "connections",
    {
      /** Never reused, so another id means another connection. */
      id: id("id"),
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
    },
    (columns) => [
      uniqueIndex("connections_user").on(columns.userId, columns.source, columns.name),
      index("connections_account").on(columns.accountHash),
      index("connections_consent").on(columns.consentEndsAt),
    ],
  );

  /** A connection's last status seen by a running server; written once per change. */
  const connectionStatuses = table("connection_statuses", {
    connectionId: integer("connection_id")
      .primaryKey()
      .references(() => connections.id, { onDelete: "cascade" }),
    state: text("state", { enum: ["ok", "retrying", "limited"] }).notNull(),
    reason: text("reason"),
    since: instant("since").notNull(),
    until: instant("until"),
    /** When the connection was first heard; `null` while it never was. */
    firstReportAt: instant("first_report_at"),
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

  /** Magic links let their holder do one thing for a user, for a short time. */
  const magicLinks = table(
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
  const sessions = table(
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

  /** What a user hides. */
  const privacy = table("privacy", {
    userId: ownedBy().primaryKey(),
    /** Nothing is shown until then. */
    pausedUntil: instant("paused_until"),
    /** JSON texts; a name that contains one is not shown. */
    hiddenTitles: text("hidden_titles").notNull(),
    hiddenArtists: text("hidden_artists").notNull(),
  });

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
  });

  /** What a user keeps of the songs that were heard, and the user's last stream. */
  const histories = table("histories", {
    userId: ownedBy().primaryKey(),
    /** How long songs are kept; if unset, none are. */
    keeps: text("keeps", { enum: ["day", "month", "always"] }),
    /** Whether overlays may tell when OBS streams. */
    followsStreams: flag("follows_streams").notNull().default(false),
    streamStartedAt: instant("stream_started_at"),
    /** Unset while the stream runs. */
    streamEndedAt: instant("stream_ended_at"),
    /** When it was cleared, or switched off or on: what was heard of the present song does not count. */
    clearedAt: instant("cleared_at"),
  });

  /** Songs that were heard, of users who keep them. */
  const songs = table(
    "songs",
    {
      id: id("id"),
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
    },
    (columns) => [uniqueIndex("songs_user").on(columns.userId, columns.startedAt)],
  );

  return {
    users,
    apiKeys,
    widgets,
    widgetRevisions,
    fonts,
    connections,
    connectionStatuses,
    upstreams,
    magicLinks,
    sessions,
    privacy,
    server,
    histories,
    songs,
  };
}

/** As SQLite spells them. */
export const tables = createSchema(sqliteKit);
export const {
  users,
  apiKeys,
  widgets,
  widgetRevisions,
  fonts,
  connections,
  connectionStatuses,
  upstreams,
  magicLinks,
  sessions,
  privacy,
  server,
  histories,
  songs,
} = tables;

/** Whose data changed last, in the order of the ids; filled by triggers (change-feed.ts). */
export const changes = sqliteKit.table(
  "changes",
  {
    id: sqliteKit.id("id"),
    /** Not a foreign key: the change may be that the user was removed. */
    userId: sqliteKit.integer("user_id").notNull(),
    /** Which of the user's tables; empty in rows of an earlier version. */
    tableName: sqliteKit.text("table_name").notNull().default(""),
  },
  (columns) => [sqliteKit.uniqueIndex("changes_user").on(columns.userId, columns.tableName)],
);
