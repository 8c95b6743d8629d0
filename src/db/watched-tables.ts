import type { Table } from "drizzle-orm";
import * as schema from "./schema.ts";

export interface Watched {
  readonly table: Table;
  /** Column of the user's id; without it a change concerns all users. */
  readonly user?: string;
  /** Key uses, token renewals and pauses are left out: they change nothing for users. */
  readonly on: readonly ("INSERT" | "DELETE" | `UPDATE${string}`)[];
}

const watched = [
  { table: schema.users, user: "id", on: ["INSERT", "UPDATE", "DELETE"] },
  { table: schema.apiKeys, user: "user_id", on: ["INSERT", "UPDATE OF revoked_at", "DELETE"] },
  {
    table: schema.widgets,
    user: "user_id",
    on: [
      "INSERT",
      "UPDATE OF hash, name, language, options, css, width, height, removed_at",
      "DELETE",
    ],
  },
  { table: schema.fonts, user: "user_id", on: ["INSERT", "UPDATE OF name", "DELETE"] },
  {
    table: schema.connections,
    user: "user_id",
    on: [
      "INSERT",
      "UPDATE OF source, refused_at, name, position, secret_hash, cleans_titles, replaces_covers",
      "DELETE",
    ],
  },
  { table: schema.privacy, user: "user_id", on: ["INSERT", "UPDATE", "DELETE"] },
  {
    table: schema.histories,
    user: "user_id",
    on: ["INSERT", "UPDATE OF keeps, follows_streams, cleared_at", "DELETE"],
  },
  { table: schema.hooks, user: "user_id", on: ["INSERT", "UPDATE OF off", "DELETE"] },
  {
    table: schema.chatAccounts,
    user: "user_id",
    on: ["INSERT", "UPDATE OF channel, state, options", "DELETE"],
  },
  { table: schema.sessions, user: "user_id", on: ["DELETE"] },
  { table: schema.upstreams, on: ["INSERT", "UPDATE OF sealed_app", "DELETE"] },
  { table: schema.server, on: ["UPDATE OF secret_key_id, stop_asked_at"] },
] as const satisfies readonly Watched[];

/** The tables whose changes concern others than the writer. */
export type WatchedTable = (typeof watched)[number]["table"]["_"]["name"];

/** The same, with what decides whether a write is such a change. */
export const watchedTables: readonly Watched[] = watched;
