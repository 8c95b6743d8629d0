import { expect, test } from "bun:test";
import { getTableName, is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../../src/db/schema.ts";
import { sealedColumns } from "../../src/db/sealed-values.ts";
import { openMemoryStore } from "../fixtures/data/memory-store.ts";

test("every column of the schema that is named as sealed is one that a rotation knows", () => {
  const named = Object.values(schema)
    .filter((table) => is(table, SQLiteTable))
    .map((table) => getTableConfig(table))
    .flatMap((table) =>
      table.columns
        .filter(({ name }) => name.startsWith("sealed_"))
        .map(({ name }) => ({ table: table.name, column: name })),
    );
  const columns = sealedColumns.map(({ column }) => ({
    table: getTableName(column.table),
    column: column.name,
  }));
  const inOrder = (all: typeof named) => all.map((one) => JSON.stringify(one)).toSorted();
  expect(named.length).toBeGreaterThan(2);
  expect(inOrder(named)).toEqual(inOrder(columns));
});

test("the key in force is none until one is stored, and stays beside the server's other facts", () => {
  const { sealed, probeWrite } = openMemoryStore();
  expect(sealed.keyId()).toBe(undefined);
  probeWrite();
  expect(sealed.keyId()).toBe(undefined);
  sealed.setKeyId(Buffer.of(1, 2, 3, 4));
  probeWrite();
  expect(sealed.keyId()).toEqual(new Uint8Array([1, 2, 3, 4]));
});

test("a value that has changed meanwhile is not replaced", () => {
  const { sealed, queries } = openMemoryStore();
  const store = (sealedApp: Buffer) =>
    queries
      .insert(schema.upstreams)
      .values({ source: "spotify", sealedApp })
      .onConflictDoUpdate({ target: schema.upstreams.source, set: { sealedApp } })
      .run();
  store(Buffer.from("first"));
  const [value] = sealed.all();
  store(Buffer.from("second"));
  if (value) sealed.replace(value, Buffer.from("late"));
  expect(sealed.all().map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(["second"]);
});
