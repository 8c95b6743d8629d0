import type { Database } from "bun:sqlite";
import { getTableName } from "drizzle-orm";
import { chatAccounts, connections, hooks, upstreams, widgets } from "./schema.ts";

/** Every column of sealed values, with its user column and its purpose. */
export const sealedColumns = [
  { column: widgets.sealedToken, userId: widgets.userId, purpose: "widget-token" },
  { column: widgets.sealedShowToken, userId: widgets.userId, purpose: "show-token" },
  {
    column: connections.sealedSettings,
    userId: connections.userId,
    purpose: "connection-settings",
  },
  { column: connections.sealedSecret, userId: connections.userId, purpose: "inbox-secret" },
  { column: hooks.sealedSettings, userId: hooks.userId, purpose: "hook-settings" },
  {
    column: chatAccounts.sealedSettings,
    userId: chatAccounts.userId,
    purpose: "chat-account",
  },
  { column: upstreams.sealedApp, userId: null, purpose: "upstream-app" },
] as const;

/** Length of the key's id in a sealed value; it follows the first byte. */
export const KEY_ID_BYTES = 4;

/** A sealed value and its location. */
export interface SealedValue {
  readonly purpose: (typeof sealedColumns)[number]["purpose"];
  /** The user's id; `null` when it is the server's. */
  readonly userId: number | null;
  readonly bytes: Uint8Array;
  readonly table: string;
  readonly column: string;
  /** SQLite's number of the row. */
  readonly rowId: number;
}

/** The values that the secret key encrypts, and the key in force. */
export function createSealedValues(sqlite: Database) {
  return {
    /** The id of the key in force; `undefined` if none is stored. */
    keyId: () =>
      sqlite
        .query<{ id: Uint8Array | null }, []>("SELECT secret_key_id AS id FROM server WHERE id = 1")
        .get()?.id ?? undefined,
    /** Stores the id of the key in force. */
    setKeyId: (keyId: Uint8Array) =>
      void sqlite.run(
        `INSERT INTO server (id, secret_key_id) VALUES (1, ?1)
         ON CONFLICT (id) DO UPDATE SET secret_key_id = ?1`,
        [keyId],
      ),
    all: (): readonly SealedValue[] =>
      sealedColumns.flatMap(({ column, userId, purpose }) => {
        const table = getTableName(column.table);
        return sqlite
          .query<{ rowId: number; userId: number | null; bytes: Uint8Array }, []>(
            `SELECT rowid AS rowId, ${userId?.name ?? "NULL"} AS userId, ${column.name} AS bytes
             FROM ${table} WHERE ${column.name} IS NOT NULL`,
          )
          .all()
          .map((row) => ({ ...row, purpose, table, column: column.name }));
      }),
    /** Stores other bytes in place of a value. One that is gone stays so. */
    replace: ({ table, column, rowId, bytes: before }: SealedValue, bytes: Uint8Array) =>
      void sqlite
        .query(`UPDATE ${table} SET ${column} = ? WHERE rowid = ? AND ${column} = ?`)
        .run(bytes, rowId, before),
  };
}
