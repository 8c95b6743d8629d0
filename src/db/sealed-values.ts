import type { Database } from "bun:sqlite";
import { getTableName } from "drizzle-orm";
import type { Awaitable } from "./awaitable.ts";
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
  /** SQLite's number of the row, or PostgreSQL's place of it. */
  readonly rowId: number | string;
}

/** The values that the secret key encrypts, and the key in force. */
export interface SealedValues {
  /** The id of the key in force; `undefined` if none is stored. */
  keyId(): Awaitable<Uint8Array | undefined>;
  isInForce(keyId: Uint8Array): Awaitable<boolean>;
  /**
   * Puts another key in force: the database then refuses what is sealed under any other key.
   * Returns false, and changes nothing, if the key in force is not `previous`.
   */
  changeKey(previous: Uint8Array | undefined, next: Uint8Array): Awaitable<boolean>;
  all(): Awaitable<readonly SealedValue[]>;
  /**
   * Replaces sealed values and the key in force, all or none, while nobody else can store any.
   * `plan` gets all values and the key in force. It must not wait for anything; if it returns
   * `undefined` or throws, nothing is changed. Returns how many were replaced.
   */
  exchange(plan: ExchangePlan): Awaitable<number | undefined>;
}

export type ExchangePlan = (
  values: readonly SealedValue[],
  inForce: Uint8Array | undefined,
) => Exchange | undefined;

export interface Exchange {
  readonly nextKeyId: Uint8Array;
  readonly replacements: readonly { readonly value: SealedValue; readonly bytes: Uint8Array }[];
  /** Called when all is replaced, before it counts. */
  beforeCommit(): void;
}

/** Those of a file, which answers at once. */
export interface SqliteSealedValues extends SealedValues {
  keyId(): Uint8Array | undefined;
  isInForce(keyId: Uint8Array): boolean;
  changeKey(previous: Uint8Array | undefined, next: Uint8Array): boolean;
  all(): readonly SealedValue[];
}

export function createSealedValues(sqlite: Database): SqliteSealedValues {
  const keyId = () =>
    sqlite
      .query<{ id: Uint8Array | null }, []>("SELECT secret_key_id AS id FROM server WHERE id = 1")
      .get()?.id ?? undefined;
  const isInForce = (id: Uint8Array): boolean => {
    const inForce = keyId();
    return inForce !== undefined && Buffer.from(inForce).equals(id);
  };
  const changeKey = (previous: Uint8Array | undefined, next: Uint8Array): boolean => {
    const { changes } = sqlite.run(
      `INSERT INTO server (id, secret_key_id) VALUES (1, ?2)
       ON CONFLICT (id) DO UPDATE SET secret_key_id = ?2 WHERE secret_key_id IS ?1`,
      [previous ?? null, next],
    );
    return changes > 0;
  };
  const all = (): readonly SealedValue[] =>
    sealedColumns.flatMap(({ column, userId, purpose }) => {
      const table = getTableName(column.table);
      return sqlite
        .query<{ rowId: number; userId: number | null; bytes: Uint8Array }, []>(
          `SELECT rowid AS rowId, ${userId?.name ?? "NULL"} AS userId, ${column.name} AS bytes
           FROM ${table} WHERE ${column.name} IS NOT NULL`,
        )
        .all()
        .map((row) => ({ ...row, purpose, table, column: column.name }));
    });
  return {
    keyId,
    isInForce,
    changeKey,
    all,
    exchange: (plan) =>
      sqlite
        .transaction(() => {
          const inForce = keyId();
          const exchange = plan(all(), inForce);
          if (!exchange) return undefined;
          changeKey(inForce, exchange.nextKeyId);
          for (const { value, bytes } of exchange.replacements) {
            const { table, column, rowId } = value;
            sqlite.query(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(bytes, rowId);
          }
          exchange.beforeCommit();
          return exchange.replacements.length;
        })
        .immediate(),
  };
}

/**
 * Creates triggers that refuse what is sealed under a key that is not in force, whichever process
 * or version writes it: nobody could read such bytes after a restart.
 * Columns that this schema does not have yet are left out.
 */
export function guardSealedColumns(sqlite: Database): void {
  if (!hasColumn(sqlite, "server", "secret_key_id")) return;
  for (const { column } of sealedColumns) {
    const table = getTableName(column.table);
    if (!hasColumn(sqlite, table, column.name)) continue;
    for (const event of ["INSERT", `UPDATE OF ${column.name}`]) {
      const [verb = ""] = event.toLowerCase().split(" ");
      sqlite.run(
        `CREATE TRIGGER seal_guard_${table}_${column.name}_${verb} BEFORE ${event} ON ${table}
         WHEN EXISTS (
           SELECT 1 FROM server WHERE secret_key_id <> substr(NEW.${column.name}, 2, ${KEY_ID_BYTES})
         )
         BEGIN SELECT RAISE(ABORT, 'sealed under a key that is not in force'); END`,
      );
    }
  }
}

function hasColumn(sqlite: Database, table: string, column: string): boolean {
  return (
    sqlite.query("SELECT 1 FROM pragma_table_info(?) WHERE name = ?").get(table, column) !== null
  );
}

export const hasTable = (sqlite: Database, table: string): boolean =>
  sqlite.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== null;
