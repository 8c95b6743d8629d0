import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bytes, instant, json, rowId } from "../columns.ts";
import { ownedBy } from "./accounts.ts";

/** The accounts at chat services that answer questions in users' chats. */

export const chatAccounts = sqliteTable(
  "chat_accounts",
  {
    /** Never reused, so another id means another link. */
    id: rowId("id"),
    userId: ownedBy().notNull(),
    service: text("service", { enum: ["twitch"] }).notNull(),
    /** The account's name at the service. */
    login: text("login").notNull(),
    /** The name of the channel in whose chat it answers. */
    channel: text("channel").notNull(),
    /** Tokens and ids as JSON, encrypted. */
    sealedSettings: bytes("sealed_settings").notNull(),
    /** `refused`: the user has to link again. `stopped`: the service does not let it answer there. */
    state: text("state", { enum: ["linked", "refused", "stopped"] }).notNull(),
    linkedAt: instant("linked_at").notNull(),
    /** Since when chat is being read; unset while it is not. */
    readingSince: instant("reading_since"),
    answeredAt: instant("answered_at"),
    /** The service's words for the last answer that it did not let through, or for the state. */
    refusal: text("refusal"),
    refusedAt: instant("refused_at"),
    /** How it answers, as the chat's own code reads it. */
    options: json("options").notNull(),
  },
  (columns) => [
    uniqueIndex("chat_accounts_user").on(columns.userId, columns.service, columns.login),
  ],
);
