import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LONGEST_CSS } from "../../src/looks/look.ts";
import { MOST_WIDGETS } from "../../src/looks/new-widget.ts";
import { UNDO_MS } from "../../src/looks/removed-widgets.ts";
import { DatabaseError } from "../../src/db/errors.ts";
import { copyDatabase } from "../../src/db/copy.ts";
import { explainDatabaseFailure, journalModeOf, openStore } from "../../src/db/open.ts";
import { ROOM_BYTES } from "../../src/db/store.ts";
import type { Store } from "../../src/db/store.ts";
import { createTestAccounts } from "../fixtures/data/accounts.ts";
import { holdLock } from "../fixtures/data/locked-database.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { exitOf } from "../fixtures/clock/waiting.ts";

let folder: ReturnType<typeof createDataFolder>;
beforeEach(() => {
  folder = createDataFolder();
});
afterEach(() => folder.remove());

const path = (...names: string[]) => join(folder.path, ...names);
const permissionsOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

/** Opens a store for the length of a call. */
async function withStore<Result>(use: (store: Store) => Result, at = folder.path) {
  const store = openStore(at);
  try {
    return await use(store);
  } finally {
    store.close();
  }
}

/** What opening a folder throws. */
function refusalOf(at: string): Error {
  try {
    openStore(at).close();
  } catch (error) {
    return error as Error;
  }
  throw new Error("the database was opened");
}

describe("an open database", () => {
  test.each([
    ["journal_mode", "wal"],
    ["busy_timeout", 250],
    ["synchronous", 2],
    ["foreign_keys", 1],
    ["auto_vacuum", 2],
  ])("has its %s set to %p", (name, value) =>
    withStore(({ queries }) => {
      expect(queries.get<[unknown]>(`PRAGMA ${name}`)[0]).toBe(value);
    }),
  );

  test("refuses a row without the user it belongs to", () =>
    withStore(({ queries }) => {
      const insert = () =>
        queries.run(
          "INSERT INTO connections (user_id, source, sealed_settings, created_at) VALUES (9, 'demo', x'', 0)",
        );
      expect(insert).toThrow();
    }));

  test("is made with its folder, both for this user alone", () =>
    withStore(
      () => {
        expect(permissionsOf(path("a", "b"))).toBe("700");
        expect(permissionsOf(path("a", "b", "marquee.db"))).toBe("600");
      },
      path("a", "b"),
    ));

  test("is taken from others who could read it", async () => {
    await withStore(() => Bun.spawnSync(["chmod", "644", path("marquee.db")]));
    await withStore(() => expect(permissionsOf(path("marquee.db"))).toBe("600"));
  });

  test("keeps what was written when it is closed and opened again", async () => {
    await withStore(({ queries }) => queries.run("INSERT INTO server (base_url) VALUES ('x')"));
    await withStore(({ queries }) =>
      expect(queries.get<string[]>("SELECT base_url FROM server")).toEqual(["x"]),
    );
  });

  test("has everything in its one file once it is closed", async () => {
    await withStore(({ queries }) => queries.run("INSERT INTO server (base_url) VALUES ('x')"));
    const log = path("marquee.db-wal");
    expect(readdirSync(folder.path).includes("marquee.db-wal") ? statSync(log).size : 0).toBe(0);
    // Two bytes of the header ask for a log; without them the file has to do alone.
    const alone = Database.deserialize(readFileSync(path("marquee.db")).fill(1, 18, 20));
    expect(alone.query("SELECT base_url FROM server").get()).toEqual({ base_url: "x" });
    alone.close();
  });

  describe("the room that deleted rows leave", () => {
    const MEGABYTE = 1024 * 1024;
    const sizeOf = (name: string) => statSync(path(name)).size;
    const fill = ({ queries }: Store) => {
      for (let megabytes = 0; megabytes < 10; megabytes++) {
        queries.run(
          `INSERT INTO upstreams (source, sealed_app) VALUES ('${megabytes}', randomblob(${MEGABYTE}))`,
        );
      }
    };
    const empty = ({ queries }: Store) => queries.run("DELETE FROM upstreams");
    const shrinkTimes = ({ shrink }: Store, times: number) => {
      for (let time = 0; time < times; time++) shrink();
    };

    test("is given back to the disk, a megabyte at a time, but for one megabyte", async () => {
      await withStore((store) => {
        fill(store);
        empty(store);
        shrinkTimes(store, 3);
      });
      expect(sizeOf("marquee.db")).toBeWithin(6 * MEGABYTE, 8.5 * MEGABYTE);
      await withStore((store) => shrinkTimes(store, 20));
      expect(sizeOf("marquee.db")).toBeWithin(MEGABYTE, 1.5 * MEGABYTE);
    });

    test("is given back by the write-ahead log too, while the database is open", () =>
      withStore((store) => {
        fill(store);
        empty(store);
        shrinkTimes(store, 20);
        fill(store);
        expect(sizeOf("marquee.db-wal")).toBeLessThan(6 * MEGABYTE);
      }));

    test("is used again: 200 widgets that are added and removed in turn take 3 MB", async () => {
      const { accounts, add, clock, store } = await createTestAccounts(folder.path);
      const { user } = await add("ada");
      const look = { options: {}, css: "x".repeat(LONGEST_CSS), size: null };
      for (let round = 1; round <= 200; round++) {
        const { id } = await accounts.widgets.add(user, { name: "Again", kind: "overlay", look });
        await accounts.widgets.remove(user, id);
        if (round % (MOST_WIDGETS - 1) === 0) await clock.advance(UNDO_MS + 1);
      }
      store.close();
      expect(sizeOf("marquee.db")).toBeLessThan(3 * MEGABYTE);
    });
  });

  test("is closed at once while another process reads, and while one writes", async () => {
    for (const statement of ["SELECT count(*) FROM users", "DELETE FROM server"]) {
      const store = openStore(folder.path);
      store.queries.run("INSERT INTO server (base_url) VALUES ('x')");
      const holder = await holdLock(path("marquee.db"), ["BEGIN", statement]);
      store.close();
      await holder.release();
    }
  });

  describe("of a SQLite before 3.51.3, which can lose what two connections write to one log,", () => {
    test.each([
      ["3.7.0", "TRUNCATE"],
      ["3.43.2", "TRUNCATE"],
      ["3.51.2", "TRUNCATE"],
      ["3.51.3", "WAL"],
      ["3.54.1", "WAL"],
    ] as const)("version %s keeps its journal as %s", (version, mode) => {
      expect(journalModeOf(version)).toBe(mode);
    });

    test("uses the older journal, keeps what is written, and goes back to a log later", async () => {
      const store = openStore(folder.path, { sqliteVersion: "3.43.2" });
      expect(store.queries.get<[string]>("PRAGMA journal_mode")).toEqual(["truncate"]);
      store.queries.run("INSERT INTO server (base_url) VALUES ('x')");
      copyDatabase(path("marquee.db"), path("backup.db"));
      store.close();
      await withStore(({ queries }) => {
        expect(queries.get<[string]>("PRAGMA journal_mode")).toEqual(["wal"]);
        expect(queries.get<string[]>("SELECT base_url FROM server")).toEqual(["x"]);
      });
    });
  });

  test("has users once one was added", async () => {
    const { store, add } = await createTestAccounts(folder.path);
    expect(store.hasUsers()).toBe(false);
    await add("ada");
    expect(store.hasUsers()).toBe(true);
    store.close();
  });
});

test("a probe writes, and leaves what is known of the server", () =>
  withStore((store) => {
    store.queries.run("INSERT INTO server (id, base_url) VALUES (1, 'x')");
    store.probeWrite();
    store.probeWrite();
    const rows = store.queries.all("SELECT id, base_url FROM server WHERE checked_at > 0");
    expect(rows).toEqual([{ id: 1, base_url: "x" }]);
  }));

test("a probe waits for another program no longer than a moment", () =>
  withStore(async (store) => {
    const holder = await holdLock(path("marquee.db"), ["BEGIN IMMEDIATE"]);
    expect(store.probeWrite).toThrow("locked");
    await holder.release();
    store.probeWrite();
  }));

test("a probe fails where nothing can be written", () =>
  withStore((store) => {
    store.queries.run("PRAGMA query_only = ON");
    expect(store.probeWrite).toThrow();
  }));

test("a probe fails where only small writes find room, until there is more", () => {
  let free = ROOM_BYTES - 1;
  const store = openStore(folder.path, { freeBytesIn: () => free });
  expect(store.probeWrite).toThrow("full");
  store.queries.run("UPDATE server SET base_url = 'small'");
  free = ROOM_BYTES;
  store.probeWrite();
  store.close();
});

test("a file that its owner must not write is made writable for that owner alone", () => {
  openStore(folder.path).close();
  chmodSync(path("marquee.db"), 0o444);
  const store = openStore(folder.path);
  store.probeWrite();
  store.close();
  expect(statSync(path("marquee.db")).mode & 0o777).toBe(0o600);
});

describe("a folder or file that cannot be used", () => {
  test("is explained when the disk is read-only", () => {
    const error = Object.assign(new Error("EROFS"), { code: "EROFS" });
    expect(explainDatabaseFailure(error, path("marquee.db")).message).toContain("read-only");
  });

  test("is a DatabaseError that names the folder when a file is in the way", () => {
    writeFileSync(path("file"), "");
    const refusal = refusalOf(path("file", "data"));
    expect(refusal).toBeInstanceOf(DatabaseError);
    expect(refusal.message).toContain(path("file", "data"));
    expect(refusal.message).toContain("--data");
  });

  test("is a DatabaseError when the database is a folder", () => {
    mkdirSync(path("marquee.db"));
    const refusal = refusalOf(folder.path);
    expect(refusal).toBeInstanceOf(DatabaseError);
    expect(refusal.message).toContain(path("marquee.db"));
  });

  test("is a DatabaseError that leaves a file of something else as it is", () => {
    writeFileSync(path("marquee.db"), "these are my notes, and no database at all. ".repeat(200));
    const before = readFileSync(path("marquee.db"));
    const refusal = refusalOf(folder.path);
    expect(refusal).toBeInstanceOf(DatabaseError);
    expect(refusal.message).toMatch(/is not a database.*Restore a backup/);
    expect(readFileSync(path("marquee.db"))).toEqual(before);
    expect(readdirSync(folder.path)).toEqual(["marquee.db"]);
  });

  test.each([
    { damage: "its header is gone", from: 0, to: 100 },
    { damage: "its schema is gone", from: 100, to: 4096 },
    { damage: "everything after its first page is gone", from: 4096, to: Infinity },
  ])("is a DatabaseError that leaves it as it is when $damage", async ({ from, to }) => {
    const { store, add } = await createTestAccounts(folder.path);
    await add("ada");
    store.close();
    const damaged = readFileSync(path("marquee.db"));
    damaged.fill(0xa5, from, Math.min(to, damaged.length));
    const elsewhere = path("damaged");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "marquee.db"), damaged);
    const refusal = refusalOf(elsewhere);
    expect(refusal).toBeInstanceOf(DatabaseError);
    expect(refusal.message).toMatch(/damaged.*Restore a backup/);
    expect(readFileSync(join(elsewhere, "marquee.db"))).toEqual(damaged);
  });
});

/** A program that looks at a file's permissions all the time, and says which it has seen. */
async function lookAtModeOf(file: string) {
  const script = `
    import { existsSync, statSync } from "node:fs";
    const modes = new Set();
    const look = () => {
      const seen = statSync(process.argv[2], { throwIfNoEntry: false });
      if (seen) modes.add((seen.mode & 0o777).toString(8));
    };
    console.log("looking");
    while (!existsSync(process.argv[3])) look();
    look();
    console.log(JSON.stringify([...modes]));
  `;
  writeFileSync(path("look.ts"), script);
  const looker = Bun.spawn([process.execPath, path("look.ts"), file, path("stop")], {
    stdout: "pipe",
  });
  const lines = looker.stdout.pipeThrough(new TextDecoderStream()).getReader();
  await lines.read();
  return {
    async modes(): Promise<unknown> {
      writeFileSync(path("stop"), "");
      const { value } = await lines.read();
      await exitOf(looker);
      return JSON.parse(value ?? "");
    },
  };
}

describe("a copy of the database", () => {
  const rowsOf = (at: string) => {
    const sqlite = new Database(at, { readonly: true });
    const tables = ["users", "api_keys", "widgets", "connections", "server", "migrations"];
    const rows = tables.map((table) => sqlite.query(`SELECT * FROM ${table} ORDER BY 1`).all());
    sqlite.close();
    return rows;
  };

  /** Rows in every table, with some of them still in the log. */
  async function populated(): Promise<Store> {
    const { accounts, store, add } = await createTestAccounts(folder.path);
    await add("ada", { source: "demo", settings: null });
    await add("grace", { source: "demo", settings: null });
    accounts.rememberBaseUrl("http://127.0.0.1:4747");
    store.close();
    return openStore(folder.path);
  }

  test("has the same rows", async () => {
    const store = await populated();
    copyDatabase(path("marquee.db"), path("backup.db"));
    const rows = rowsOf(path("backup.db"));
    expect(rows.every((found) => found.length > 0)).toBe(true);
    expect(rows).toEqual(rowsOf(path("marquee.db")));
    store.close();
  });

  test("can be read by its owner alone, from its first byte on", async () => {
    const store = await populated();
    store.queries.run(
      "INSERT INTO upstreams (source, sealed_app) VALUES ('large', randomblob(30000000))",
    );
    const umask = process.umask(0o022);
    const looker = await lookAtModeOf(path("backup.db"));
    copyDatabase(path("marquee.db"), path("backup.db"));
    process.umask(umask);
    expect(await looker.modes()).toEqual(["600"]);
    store.close();
  });

  test("leaves nothing where it could not be finished", async () => {
    const store = await populated();
    store.queries.run(
      "INSERT INTO upstreams (source, sealed_app) VALUES ('large', zeroblob(100000))",
    );
    store.close();
    const damaged = readFileSync(path("marquee.db"));
    // In the middle of that row, which takes the last pages.
    const at = Math.floor(damaged.length / 4096 - 12) * 4096;
    writeFileSync(path("marquee.db"), damaged.fill(0xa5, at, at + 4096));
    expect(() => copyDatabase(path("marquee.db"), path("backup.db"))).toThrow(DatabaseError);
    expect(readdirSync(folder.path)).not.toContain("backup.db");
  });

  test.each([
    ["a file", "notes", "the only copy"],
    ["an empty file", "empty.db", ""],
    ["an older copy", "older.db", undefined],
    ["the database itself", "marquee.db", undefined],
  ])("is not written over %s", async (_, name, text) => {
    const store = await populated();
    if (text !== undefined) writeFileSync(path(name), text);
    else if (name !== "marquee.db") copyDatabase(path("marquee.db"), path(name));
    const before = readFileSync(path(name));
    const copy = () => copyDatabase(path("marquee.db"), path(name));
    expect(copy).toThrow(DatabaseError);
    expect(copy).toThrow(/already exists/);
    expect(readFileSync(path(name))).toEqual(before);
    store.close();
  });

  test("into a folder that is not there is a DatabaseError that says so", async () => {
    const store = await populated();
    expect(() => copyDatabase(path("marquee.db"), path("missing", "backup.db"))).toThrow(
      DatabaseError,
    );
    expect(() => copyDatabase(path("marquee.db"), path("missing", "backup.db"))).toThrow(
      /its folder exists/,
    );
    store.close();
  });
});
