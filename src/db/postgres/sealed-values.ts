import type { SQL } from "bun";
import { getTableName } from "drizzle-orm";
import {
  KEY_ID_BYTES,
  type SealedValue,
  sealedColumns,
  type SealedValues,
} from "../sealed-values.ts";
import { SEAL_REFUSAL } from "../errors.ts";
import { type Pool, sendTo } from "./pool.ts";

const KEY_IN_FORCE = "SELECT secret_key_id FROM server WHERE id = 1";

export function createSealedValues(pool: Pool): SealedValues {
  const keyId = async () => toBytes((await pool.query(KEY_IN_FORCE))[0]?.[0]);
  return {
    keyId,
    async isInForce(id) {
      const inForce = await keyId();
      return inForce !== undefined && Buffer.from(inForce).equals(id);
    },
    async changeKey(previous, next) {
      const changed = await pool.query(
        `INSERT INTO server (id, secret_key_id) VALUES (1, $2)
         ON CONFLICT (id) DO UPDATE SET secret_key_id = $2
         WHERE server.secret_key_id IS NOT DISTINCT FROM $1 RETURNING id`,
        [previous ?? null, next],
      );
      return changed.length > 0;
    },
    all: () => pool.transaction(readAll),
    exchange: (plan) =>
      pool.transaction(
        async (connection) => {
          // The guards of all writers hold this row's key: this waits for them, and they for this.
          const [row] = await connection.unsafe(`${KEY_IN_FORCE} FOR UPDATE`).values();
          const exchange = plan(await readAll(connection), toBytes(row?.[0]));
          if (!exchange) return undefined;
          await sendTo(connection, "UPDATE server SET secret_key_id = $1 WHERE id = 1", [
            exchange.nextKeyId,
          ]);
          for (const { value, bytes } of exchange.replacements) {
            const { table, column, rowId } = value;
            await sendTo(
              connection,
              `UPDATE ${table} SET ${column} = $1 WHERE ${keyOf(table)} = $2`,
              [bytes, rowId],
            );
          }
          exchange.beforeCommit();
          return exchange.replacements.length;
        },
        { isLong: true },
      ),
  };
}

async function readAll(connection: SQL): Promise<readonly SealedValue[]> {
  const values: SealedValue[] = [];
  for (const { column, userId, purpose } of sealedColumns) {
    const table = getTableName(column.table);
    const rows = await connection.unsafe(
      `SELECT ${keyOf(table)} AS id, ${userId?.name ?? "NULL"} AS owner, ${column.name} AS bytes
       FROM ${table} WHERE ${column.name} IS NOT NULL`,
    );
    for (const { id, owner, bytes } of rows) {
      values.push({
        ...{ purpose, table, column: column.name, bytes },
        userId: owner === null ? null : Number(owner),
        rowId: table === "upstreams" ? id : Number(id),
      });
    }
  }
  return values;
}

/** The column that names a row. */
const keyOf = (table: string): string => (table === "upstreams" ? "source" : "id");

const toBytes = (value: unknown): Uint8Array | undefined =>
  value instanceof Uint8Array ? value : undefined;

/**
 * Statements that create triggers which refuse what is sealed under a key that is not in force:
 * nobody could read such bytes after a restart. To hold the key's row keeps an exchange waiting
 * until what was sealed under the old key is stored.
 */
export const sealGuards: readonly string[] = sealedColumns.map(({ column }) => {
  const table = getTableName(column.table);
  const name = `seal_guard_${table}_${column.name}`;
  return `
    CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $guard$
    DECLARE in_force bytea;
    BEGIN
      IF NEW.${column.name} IS NULL THEN RETURN NEW; END IF;
      SELECT secret_key_id INTO in_force FROM server WHERE id = 1 FOR KEY SHARE;
      IF in_force <> substr(NEW.${column.name}, 2, ${KEY_ID_BYTES}) THEN
        RAISE EXCEPTION 'sealed under a key that is not in force' USING ERRCODE = '${SEAL_REFUSAL}';
      END IF;
      RETURN NEW;
    END $guard$;
    DROP TRIGGER IF EXISTS ${name} ON ${table};
    CREATE TRIGGER ${name} BEFORE INSERT OR UPDATE OF ${column.name} ON ${table}
      FOR EACH ROW EXECUTE FUNCTION ${name}();`;
});
