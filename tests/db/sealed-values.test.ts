import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { getTableName, is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { migrations } from "../../src/db/migrations.ts";
import { isSealRefusal } from "../../src/db/errors.ts";
import { openStore, type SqliteStore } from "../../src/db/open.ts";
import * as schema from "../../src/db/schema.ts";
import { sealedColumns } from "../../src/db/sealed-values.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";

const IN_FORCE = Buffer.of(1, 2, 3, 4);
const under = (keyId: Buffer, text = "sealed") =>
  Buffer.concat([Buffer.of(1), keyId, Buffer.from(text)]);
const OTHER = under(Buffer.of(1, 2, 3, 5));

let folder: ReturnType<typeof createTempFolder>;
let store: SqliteStore;
/** A program that knows nothing of keys, on the same database. */
let sqlite: Database;

const openBoth = () => {
  store = openStore(folder.path);
  sqlite = new Database(join(folder.path, "marquee.db"));
  sqlite.run("PRAGMA foreign_keys = OFF");
};
const closeBoth = () => {
  sqlite.close();
  store.close();
};
beforeEach(() => {
  folder = createTempFolder();
  openBoth();
});
afterEach(() => {
  closeBoth();
  folder.remove();
});

/** Adds a row with something sealed in it, every other column being filled somehow. */
function insertRow(table: string, column: string, bytes: Buffer): void {
  const columns = sqlite
    .query<{ name: string; type: string }, [string]>("SELECT name, type FROM pragma_table_info(?)")
    .all(table);
  const values = columns.map(({ name, type }) =>
    name === column ? bytes : /blob/i.test(type) ? under(IN_FORCE) : 1,
  );
  const names = columns.map(({ name }) => name);
  sqlite.run(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => "?")})`, values);
}

const definitionOf = (table: string) =>
  sqlite.query<{ sql: string }, [string]>("SELECT sql FROM sqlite_schema WHERE name = ?").get(table)
    ?.sql ?? "";

const refusal = (write: () => void): unknown => {
  try {
    write();
  } catch (error) {
    return error;
  }
  return undefined;
};

const columns = sealedColumns.map(({ column }) => ({
  table: getTableName(column.table),
  column: column.name,
}));

test("every column of the schema that is named as sealed is one that a rotation knows", () => {
  const named = Object.values(schema)
    .filter((table) => is(table, SQLiteTable))
    .map((table) => getTableConfig(table))
    .flatMap((table) =>
      table.columns
        .filter(({ name }) => name.startsWith("sealed_"))
        .map(({ name }) => ({ table: table.name, column: name })),
    );
  const inOrder = (all: typeof named) => all.map((one) => JSON.stringify(one)).toSorted();
  expect(named.length).toBeGreaterThan(2);
  expect(inOrder(named)).toEqual(inOrder(columns));
});

describe.each(columns)("$column of $table", ({ table, column }) => {
  test("takes what is under the key in force, and refuses a row or a change under another one", () => {
    expect(store.sealed.changeKey(undefined, IN_FORCE)).toBe(true);
    expect(isSealRefusal(refusal(() => insertRow(table, column, OTHER)))).toBe(true);
    insertRow(table, column, under(IN_FORCE));
    const change = (bytes: Buffer) => sqlite.run(`UPDATE ${table} SET ${column} = ?`, [bytes]);
    expect(isSealRefusal(refusal(() => change(OTHER)))).toBe(true);
    const kept = store.sealed.all().filter((value) => value.column === column);
    expect(kept.map(({ bytes }) => Buffer.from(bytes))).toEqual([under(IN_FORCE)]);
    expect(refusal(() => change(under(IN_FORCE, "changed")))).toBe(undefined);
  });

  test("takes anything while no key is known to be in force", () => {
    expect(refusal(() => insertRow(table, column, OTHER))).toBe(undefined);
  });

  test("is guarded still after an update that builds the tables anew", () => {
    const rebuild = ["server", table].map(
      (name) => `${definitionOf(name).replace(name, `new_${name}`)};
        INSERT INTO new_${name} SELECT * FROM ${name};
        DROP TABLE ${name};
        ALTER TABLE new_${name} RENAME TO ${name};`,
    );
    closeBoth();
    openStore(folder.path, [
      ...migrations,
      { name: "9000_rebuild", sql: rebuild.join("\n") },
    ]).close();
    sqlite = new Database(join(folder.path, "marquee.db"));
    sqlite.run("INSERT INTO server (id, secret_key_id) VALUES (1, ?)", [IN_FORCE]);
    expect(isSealRefusal(refusal(() => insertRow(table, column, OTHER)))).toBe(true);
  });
});

describe("the key in force", () => {
  test("is none until one is recorded, and is remembered with the other facts of the server", () => {
    expect(store.sealed.keyId()).toBe(undefined);
    store.probeWrite();
    expect(store.sealed.keyId()).toBe(undefined);
    expect(store.sealed.changeKey(undefined, IN_FORCE)).toBe(true);
    store.probeWrite();
    expect(store.sealed.keyId()).toEqual(new Uint8Array(IN_FORCE));
  });

  test("is replaced only by who knows which one it is", () => {
    store.sealed.changeKey(undefined, IN_FORCE);
    expect(store.sealed.changeKey(undefined, Buffer.of(9, 9, 9, 9))).toBe(false);
    expect(store.sealed.changeKey(Buffer.of(9, 9, 9, 9), Buffer.of(8, 8, 8, 8))).toBe(false);
    expect(store.sealed.keyId()).toEqual(new Uint8Array(IN_FORCE));
  });
});
