import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import journal from "../../drizzle/meta/_journal.json";
import { NOTHING_HIDDEN } from "../../src/accounts/privacy.ts";
import { type Migration, migrations } from "../../src/db/migrations.ts";
import { DatabaseError } from "../../src/db/errors.ts";
import { openStore } from "../../src/db/open.ts";
import * as schema from "../../src/db/schema.ts";
import { aKeptSong } from "../fixtures/data/kept-song.ts";
import { createTestAccounts } from "../fixtures/data/accounts.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { onlyConnection } from "../fixtures/data/connections.ts";

const GENERATED = join(import.meta.dir, "../../drizzle");

let folder: ReturnType<typeof createDataFolder>;
beforeEach(() => {
  folder = createDataFolder();
});
afterEach(() => folder.remove());

const databasePath = () => join(folder.path, "marquee.db");

/** Reads a database file as it lies there. */
function inspect<Result>(path: string, look: (sqlite: Database) => Result): Result {
  const sqlite = new Database(path, { readonly: true });
  try {
    return look(sqlite);
  } finally {
    sqlite.close();
  }
}

type Row = Record<string, unknown>;
const rowsOf = (sqlite: Database, table: string) =>
  sqlite.query<Row, []>(`SELECT * FROM "${table}" ORDER BY 1`).all();
const tablesOf = (sqlite: Database) =>
  sqlite
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1",
    )
    .all()
    .map(({ name }) => name);

const byText = (one: unknown, other: unknown) =>
  JSON.stringify(one).localeCompare(JSON.stringify(other));

/** Every row of every table, and every definition. */
const contentOf = (path: string) =>
  inspect(path, (sqlite) => ({
    definitions: rowsOf(sqlite, "sqlite_schema")
      .map((row) => row["sql"])
      .toSorted(byText),
    rows: Object.fromEntries(tablesOf(sqlite).map((table) => [table, rowsOf(sqlite, table)])),
  }));

/** A data folder of the current version with rows in every table. */
async function populate(): Promise<void> {
  const { accounts, store, add } = await createTestAccounts(folder.path);
  const { user } = await add("ada", { source: "demo", settings: null });
  await add("grace", { source: "mpd", settings: { address: "127.0.0.1:6600" } });
  await accounts.keys.add(user, "chat bot");
  accounts.rememberBaseUrl("http://127.0.0.1:4747");
  const connection = await onlyConnection(accounts.connections, user.id);
  await accounts.connections.storeStatus(connection?.id ?? 0, { state: "ok", since: 1 });
  await accounts.upstreams.rememberPause("spotify", { from: 1, until: 2 });
  await accounts.chat.link(user, {
    ...{ service: "twitch", login: "ada", channel: "ada" },
    settings: { accessToken: "a" },
  });
  accounts.magicLinks.issue(user, "connect spotify");
  accounts.sessions.open(user, "a browser");
  await accounts.privacy.change(user, { ...NOTHING_HIDDEN, hiddenTitles: ["secret"] });
  accounts.foundCovers.note("a digest", { service: "musicbrainz", cover: null });
  await accounts.history.change(user, { keeps: "month", followsStreams: true });
  await accounts.history.note(user.id, aKeptSong());
  await accounts.hooks.add(user, {
    url: "https://example.org/songs",
    events: ["song.started"],
    action: null,
  });
  await accounts.standInCovers.set(user, async () => Buffer.from("RIFF"));
  store.queries
    .insert(schema.fonts)
    .values({
      id: "font",
      userId: user.id,
      name: "Bungee",
      sha256: Buffer.alloc(32),
      bytes: Buffer.from("wOF2"),
      createdAt: 1,
    })
    .run();
  store.close();
}

const open = (steps: readonly Migration[]) => openStore(folder.path, { steps }).close();

/** What drizzle-kit generates when a column of `users` changes: the table is built anew. */
const rebuildUsers: Migration = {
  name: "9000_rebuild",
  sql: `PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE \`__new_users\` (
	\`id\` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	\`name\` text NOT NULL,
	\`role\` text DEFAULT 'member' NOT NULL,
	\`created_at\` integer NOT NULL,
	\`language\` text,
	\`welcomed_at\` integer
);
--> statement-breakpoint
INSERT INTO \`__new_users\`("id", "name", "role", "created_at", "language", "welcomed_at") SELECT "id", "name", "role", "created_at", "language", "welcomed_at" FROM \`users\`;--> statement-breakpoint
DROP TABLE \`users\`;--> statement-breakpoint
ALTER TABLE \`__new_users\` RENAME TO \`users\`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX \`users_name_unique\` ON \`users\` (\`name\`);`,
};
const addTable: Migration = {
  name: "9001_add",
  sql: "CREATE TABLE extra (id INTEGER PRIMARY KEY)",
};
const fail: Migration = {
  name: "9002_fail",
  sql: "DELETE FROM api_keys; INSERT INTO no_such_table VALUES (1)",
};
const orphan: Migration = { name: "9002_orphan", sql: "DELETE FROM users WHERE name = 'ada'" };

describe("the embedded steps", () => {
  test("are those of the generated journal, in its order", () => {
    expect(migrations.map(({ name }) => name)).toEqual(journal.entries.map(({ tag }) => tag));
  });

  test("are numbered and dated in ascending order", () => {
    expect(journal.entries.map(({ idx }) => idx)).toEqual(journal.entries.map((_, index) => index));
    const dates = journal.entries.map(({ when }) => when);
    expect([...new Set(dates)].toSorted((a, b) => a - b)).toEqual(dates);
    const names = migrations.map(({ name }) => name);
    expect(names.toSorted()).toEqual(names);
  });

  test("are all of the generated files, each under its own name", () => {
    const files = readdirSync(GENERATED).filter((file) => file.endsWith(".sql"));
    const embedded = migrations.map(({ name, sql }) => [`${name}.sql`, sql]);
    const generated = files.map((file) => [file, readFileSync(join(GENERATED, file), "utf8")]);
    expect(embedded).toEqual(generated.toSorted());
  });
});

describe("a database that was brought up to date", () => {
  const tables = Object.values(schema)
    .filter((table) => is(table, SQLiteTable))
    .map((table) => getTableConfig(table));

  test("has the tables of schema.ts", () => {
    open(migrations);
    const names = [...tables.map(({ name }) => name), "migrations"].toSorted();
    expect(inspect(databasePath(), tablesOf)).toEqual(names);
  });

  test.each(tables)("has the columns of schema.ts in $name", ({ name, columns }) => {
    open(migrations);
    const found = inspect(databasePath(), (sqlite) =>
      sqlite.query<Row, [string]>("SELECT * FROM pragma_table_info(?)").all(name),
    );
    const declared = columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().toUpperCase(),
      notnull: Number(column.notNull),
      pk: Number(column.primary),
    }));
    expect(found.map(({ name, type, notnull, pk }) => ({ name, type, notnull, pk }))).toEqual(
      declared,
    );
    const withDefault = found.filter((column) => column["dflt_value"] !== null);
    expect(withDefault.map((column) => column["name"])).toEqual(
      columns.filter((column) => column.default !== undefined).map((column) => column.name),
    );
  });

  test.each(tables)("has the indexes of schema.ts on $name", ({ name, columns, indexes }) => {
    open(migrations);
    const found = inspect(databasePath(), (sqlite) =>
      sqlite
        .query<Row, [string]>(
          `SELECT list.name AS name, list."unique" AS isUnique, info.name AS column
           FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS info
           WHERE list.origin = 'c'`,
        )
        .all(name),
    );
    const declared = [
      ...columns
        .filter((column) => column.isUnique)
        .map((column) => ({ name: column.uniqueName, isUnique: 1, column: column.name })),
      ...indexes.flatMap(({ config }) =>
        config.columns.map((column) => ({
          name: config.name,
          isUnique: Number(config.unique),
          column: "name" in column ? column.name : undefined,
        })),
      ),
    ];
    expect(found.toSorted(byText)).toEqual(declared.toSorted(byText));
  });

  test.each(tables)("has the references of schema.ts in $name", ({ name, foreignKeys }) => {
    open(migrations);
    const found = inspect(databasePath(), (sqlite) =>
      sqlite
        .query<Row, [string]>(
          'SELECT "table", "from", "to", on_delete FROM pragma_foreign_key_list(?)',
        )
        .all(name),
    );
    const declared = foreignKeys.map((key) => {
      const { columns, foreignColumns, foreignTable } = key.reference();
      return {
        table: getTableConfig(foreignTable).name,
        from: columns[0]?.name,
        to: foreignColumns[0]?.name,
        on_delete: (key.onDelete ?? "no action").toUpperCase(),
      };
    });
    expect(found.toSorted(byText)).toEqual(declared.toSorted(byText));
  });

  test("is left as it is when it is opened again", async () => {
    await populate();
    const before = contentOf(databasePath());
    open(migrations);
    expect(contentOf(databasePath())).toEqual(before);
  });
});

describe("a step that builds a table anew", () => {
  test("would lose the rows that refer to it if foreign keys stayed on", async () => {
    await populate();
    const sqlite = new Database(databasePath());
    sqlite.run("PRAGMA foreign_keys = ON");
    sqlite.transaction(() => sqlite.run(rebuildUsers.sql))();
    expect(rowsOf(sqlite, "api_keys")).toEqual([]);
    sqlite.close();
  });

  test("loses no row of any table", async () => {
    await populate();
    const { rows } = contentOf(databasePath());
    expect(Object.values(rows).every((found) => found.length > 0)).toBe(true);
    open([...migrations, rebuildUsers]);
    const { migrations: history, ...after } = contentOf(databasePath()).rows;
    const { migrations: _, ...before } = rows;
    expect(after).toEqual(before);
    expect(history?.at(-1)).toMatchObject({ name: "9000_rebuild" });
  });

  test("leaves every reference whole and foreign keys at work", async () => {
    await populate();
    const store = openStore(folder.path, { steps: [...migrations, rebuildUsers] });
    expect(store.queries.all("PRAGMA foreign_key_check")).toEqual([]);
    store.queries.delete(schema.users).run();
    expect(store.queries.select().from(schema.apiKeys).all()).toEqual([]);
    store.close();
  });
});

describe("a step that fails", () => {
  test.each([
    { step: fail, why: "does not run" },
    { step: orphan, why: "leaves rows without what they belong to" },
  ])("because it $why changes nothing, nor do the steps before it", async ({ step }) => {
    await populate();
    const before = contentOf(databasePath());
    expect(() => open([...migrations, addTable, step])).toThrow(DatabaseError);
    expect(contentOf(databasePath())).toEqual(before);
    open(migrations);
  });

  test("leaves an empty database empty", () => {
    expect(() => open([...migrations, fail])).toThrow(DatabaseError);
    expect(inspect(databasePath(), tablesOf)).toEqual([]);
  });
});

describe("a database that does not fit this program", () => {
  const expectRefused = async (steps: readonly Migration[], sentence: RegExp) => {
    await populate();
    open([...migrations, addTable]);
    const before = contentOf(databasePath());
    expect(() => open(steps)).toThrow(DatabaseError);
    expect(() => open(steps)).toThrow(sentence);
    expect(contentOf(databasePath())).toEqual(before);
  };

  test("is refused when it is newer", () => expectRefused(migrations, /newer Marquee.*9001_add/));

  test("is refused when a step it has seen reads differently", () =>
    expectRefused(
      [...migrations, { ...addTable, sql: `${addTable.sql} -- altered` }],
      /never released.*9001_add.*start again/,
    ));

  test("is refused when a step it has seen goes by another name", () =>
    expectRefused(
      [...migrations, { ...addTable, name: "9001_other" }],
      /never released.*9001_add.*start again/,
    ));

  test("is refused when a step comes before one it has seen", () =>
    expectRefused([...migrations, { name: "9000_between", sql: "" }, addTable], /never released/));
});

test("a database of a version that was never released is refused, with what to do", () => {
  const former = { name: "0000_accounts", sql: "CREATE TABLE users (id INTEGER PRIMARY KEY)" };
  open([former]);
  const before = contentOf(databasePath());
  expect(() => open(migrations)).toThrow(/never released.*0000_accounts.*move marquee\.db/);
  expect(contentOf(databasePath())).toEqual(before);
});

describe("the copy made before a change", () => {
  const copyPath = () => join(folder.path, "marquee-before-9001_add.db");

  test("holds what the database held", async () => {
    await populate();
    const before = contentOf(databasePath());
    open([...migrations, addTable]);
    expect(contentOf(copyPath())).toEqual(before);
  });

  test("is not made of a database that holds nothing", () => {
    open([...migrations, addTable]);
    expect(existsSync(copyPath())).toBe(false);
  });

  test("is not made when nothing is to be changed", async () => {
    await populate();
    open(migrations);
    expect(readdirSync(folder.path).filter((file) => file.includes("before"))).toEqual([]);
  });

  test("keeps the change from being made when it cannot be written", async () => {
    await populate();
    const before = contentOf(databasePath());
    // The copy is named after the step; a step with a slash leads to a folder that is not there.
    const unnamable = { ...addTable, name: `no-such-folder/${addTable.name}` };
    expect(() => open([...migrations, unnamable])).toThrow(DatabaseError);
    expect(contentOf(databasePath())).toEqual(before);
  });

  test("leaves an earlier copy alone and takes another name", async () => {
    await populate();
    await Bun.write(copyPath(), "something else");
    open([...migrations, addTable]);
    expect(readFileSync(copyPath(), "utf8")).toBe("something else");
    expect(existsSync(copyPath().replace(/\.db$/, "-2.db"))).toBe(true);
  });
});
