import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "bun:test";
import { getTableColumns, getTableName, sql } from "drizzle-orm";
import { createAccounts } from "../../../src/accounts/accounts.ts";
import { rotateSecretKey } from "../../../src/vault/secret-key-rotation.ts";
import { createVault } from "../../../src/vault/vault.ts";
import { DatabaseError, isNotUnique, isPassing, isSealRefusal } from "../../../src/db/errors.ts";
import {
  explainPostgresFailure,
  openPostgresStore,
  refuseOldVersion,
} from "../../../src/db/postgres/open.ts";
import { migrations } from "../../../src/db/postgres/migrations.ts";
import { MOVED_TABLES } from "../../../src/db/postgres/move-in.ts";
import { createPool, type Pool } from "../../../src/db/postgres/pool.ts";
import { tables as postgresTables } from "../../../src/db/postgres/schema.ts";
import { tables } from "../../../src/db/schema.ts";
import { step, type Store } from "../../../src/db/store.ts";
import { describeError } from "../../../src/log.ts";
import { inTime, until } from "../../fixtures/clock/waiting.ts";
import {
  type Cluster,
  isPostgresThere,
  PASSWORD,
  startCluster,
  testWithPostgres as test,
} from "../../fixtures/postgres/cluster.ts";
import { createSwallowingProxy } from "../../fixtures/postgres/swallowing-proxy.ts";

const OWNER = { name: "ada", role: "owner", createdAt: 1_795_262_400_000 } as const;

/** What nodes say to each other, which a file has no use for. */
const CLUSTER_TABLES = ["nodes", "shards", "calls", "admissions", "covers", "pushed"];

let cluster: Cluster;
let url: string;
let store: Store;

beforeAll(async () => {
  if (isPostgresThere) cluster = await startCluster();
});
afterAll(() => cluster?.remove());

beforeEach(async () => {
  if (!isPostgresThere) return;
  url = await cluster.createDatabase();
  store = await open();
});
afterEach(() => store?.close());

const open = (at = url, whenMissing: "create" | "refuse" = "create") =>
  openPostgresStore(at, { whenMissing, most: 2 });

const users = () => store.tables.users;
const addUser = (name: string, role: "owner" | "member" = "member") =>
  store.atomically((writer) => [
    writer
      .insert(users())
      .values({ ...OWNER, name, role })
      .returning({ id: users().id }),
  ]);
const names = async () =>
  (await store.queries.select({ name: users().name }).from(users())).map(({ name }) => name);

describe("the tables of both databases", () => {
  test("have the same columns, as these and their migrations say", async () => {
    const columnsOf = (schema: typeof tables) =>
      Object.fromEntries(
        Object.values(schema).map((table) => [
          getTableName(table),
          Object.values(getTableColumns(table)).map(
            ({ name, notNull, hasDefault, primary, dataType }) => {
              const isBytes = ["buffer", "custom"].includes(dataType);
              const kind = isBytes ? "bytes" : dataType;
              // SQLite's ids are filled in, PostgreSQL's have a default that does it.
              return { name, notNull, hasDefault: hasDefault || primary, primary, kind };
            },
          ),
        ]),
      );
    expect(columnsOf(postgresTables)).toEqual(columnsOf(tables));
    const rows = (await cluster.run(
      "SELECT table_name, column_name, is_nullable FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'migrations'",
      new URL(url).pathname.slice(1),
    )) as { table_name: string; column_name: string; is_nullable: string }[];
    const stored = rows
      .filter((row) => !CLUSTER_TABLES.includes(row.table_name))
      .map((row) => `${row.table_name}.${row.column_name} ${row.is_nullable}`);
    const wanted = Object.values(postgresTables).flatMap((table) =>
      Object.values(getTableColumns(table)).map(
        ({ name, notNull }) => `${getTableName(table)}.${name} ${notNull ? "NO" : "YES"}`,
      ),
    );
    expect(stored.toSorted()).toEqual(wanted.toSorted());
  });

  test("are all copied when a data folder moves in", () => {
    const moved: readonly string[] = MOVED_TABLES;
    expect(moved.toSorted()).toEqual(Object.keys(tables).toSorted());
  });

  test("give back numbers beyond 32 bits, bytes and nothing as they were stored", async () => {
    const bytes = Buffer.from([0, 255, 1]);
    await store.atomically((writer) => [
      writer.insert(users()).values({ ...OWNER, id: 5_000_000_000 }),
      writer
        .insert(store.tables.upstreams)
        .values({ source: "a", pausedUntil: 8_640_000_000_000_000 }),
      writer
        .insert(store.tables.magicLinks)
        .values({ hash: bytes, userId: 5_000_000_000, purpose: "a", expiresAt: 1 }),
    ]);
    const [user] = await store.queries.select().from(users());
    expect(user).toEqual({ ...OWNER, id: 5_000_000_000, language: null, welcomedAt: null });
    const [upstream] = await store.queries.select().from(store.tables.upstreams);
    expect(upstream?.pausedUntil).toBe(8_640_000_000_000_000);
    const [link] = await store.queries.select().from(store.tables.magicLinks);
    expect(Buffer.from(link?.hash ?? [])).toEqual(bytes);
    expect(await store.queries.$count(users())).toBe(1);
  });

  test("take times with fractions of a millisecond, as SQLite does, and keep whole ones", async () => {
    const { rows, queries } = store;
    await store.atomically((writer) => [
      writer.insert(users()).values({ ...OWNER, createdAt: 1_795_346_491_698.98 }),
    ]);
    const [user] = await queries.select().from(users());
    expect(user?.createdAt).toBe(1_795_346_491_699);
    const given = rows('[{"id":"ada","at":1795346491698.98}]', { id: "text", at: "bigint" });
    const [read] = await queries.select({ at: sql`given.at` }).from(sql`${given} AS given`);
    expect(read).toEqual({ at: "1795346491699" });
  });

  test("take a text with a zero character, which PostgreSQL does not have", async () => {
    await addUser("a\0b");
    expect(await names()).toEqual(["a\uFFFDb"]);
  });
});

describe("several statements", () => {
  test("are stored whole or not at all, and answer what each returned", async () => {
    const twoOwners = store.atomically((writer) => [
      writer.insert(users()).values(OWNER),
      writer.insert(users()).values({ ...OWNER, name: "grace" }),
    ]);
    expect(isNotUnique(await twoOwners.catch((error: unknown) => error))).toBe(true);
    expect(await names()).toEqual([]);
    const [added, [found]] = await store.atomically((writer) => [
      writer.insert(users()).values(OWNER).returning({ name: users().name }),
      writer.select({ name: users().name }).from(users()),
    ]);
    expect([added, found]).toEqual([[{ name: "ada" }], { name: "ada" }]);
  });

  test("of many programs at once count as if one came after the other", async () => {
    await addUser("ada", "owner");
    const { apiKeys } = store.tables;
    const vault = createVault(Buffer.alloc(32, 7).toString("base64"));
    const other = await open();
    try {
      const all = await Promise.all(
        [store, other].map((one) => createAccounts({ store: one, vault, wallMs: () => 1 })),
      );
      const ada = await all[0]?.users.named("ada");
      if (!ada) throw new Error("ada is gone");
      const adding = Array.from({ length: 56 }, (_, at) =>
        all[at % 2]?.keys.add(ada, `key ${at}`).then(
          () => "added",
          () => "refused",
        ),
      );
      const done = await Promise.all(adding);
      expect(done.filter((what) => what === "added").length).toBe(
        await store.queries.$count(apiKeys),
      );
      expect(await store.queries.$count(apiKeys)).toBeLessThanOrEqual(50);
    } finally {
      await other.close();
    }
  });

  test("that depend on each other see what was stored before them, one program after the other", async () => {
    const other = await open();
    const count = (one: Store) =>
      one.exclusively(function* (writer) {
        const all = yield* step(writer.select().from(users()));
        yield* step(
          writer.insert(users()).values({ ...OWNER, role: "member", name: `${all.length}` }),
        );
      });
    await Promise.all([count(store), count(other), count(store), count(other)]);
    await other.close();
    expect((await names()).toSorted()).toEqual(["0", "1", "2", "3"]);
  });

  test("leave nothing behind when a step fails", async () => {
    const failing = store.exclusively(function* (writer) {
      yield* step(writer.insert(users()).values(OWNER));
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await names()).toEqual([]);
  });
});

describe("what is sealed", () => {
  const [old, next] = [Buffer.of(1, 1, 1, 1), Buffer.of(2, 2, 2, 2)];
  const sealedUnder = (keyId: Buffer) => Buffer.concat([Buffer.of(1), keyId, Buffer.alloc(28)]);
  const storeApp = (keyId: Buffer, at = store) => {
    const sealedApp = sealedUnder(keyId);
    const row = { source: "spotify", sealedApp };
    const { upstreams } = at.tables;
    return at.atomically((writer) => [
      writer
        .insert(upstreams)
        .values(row)
        .onConflictDoUpdate({ target: upstreams.source, set: row }),
    ]);
  };

  test("under a key that is not in force is refused", async () => {
    expect(await store.sealed.changeKey(undefined, old)).toBe(true);
    expect(await store.sealed.changeKey(undefined, next)).toBe(false);
    await storeApp(old);
    expect(isSealRefusal(await storeApp(next).catch((error: unknown) => error))).toBe(true);
  });

  test("is exchanged whole while others write, and nothing stays under the old key", async () => {
    await store.sealed.changeKey(undefined, old);
    await storeApp(old);
    const other = await open();
    const writing = Promise.allSettled(Array.from({ length: 30 }, () => storeApp(old, other)));
    const exchanged = await store.sealed.exchange((values) => ({
      nextKeyId: next,
      replacements: values.map((value) => ({ value, bytes: sealedUnder(next) })),
      beforeCommit() {},
    }));
    await writing;
    await other.close();
    expect(exchanged).toBe(1);
    const values = await store.sealed.all();
    expect(values.map(({ bytes }) => Buffer.from(bytes).subarray(1, 5))).toEqual([next]);
  });
});

describe("opening", () => {
  test("by six programs at once on an empty database migrates it once", async () => {
    for (let round = 0; round < 4; round++) {
      const empty = await cluster.createDatabase();
      const stores = await Promise.all(Array.from({ length: 6 }, () => open(empty)));
      await Promise.all(stores.map((one) => one.close()));
      const name = new URL(empty).pathname.slice(1);
      expect(await cluster.run("SELECT name FROM migrations", name)).toEqual([
        ...migrations.map(({ name: step }) => ({ name: step })),
      ]);
    }
  });

  test("takes the database that the address names, whatever the environment says", async () => {
    process.env["PGDATABASE"] = "postgres";
    const pool = createPool(url, 1);
    const [row] = await pool.query("SELECT current_database()");
    await pool.close();
    delete process.env["PGDATABASE"];
    expect(row?.[0]).toBe(new URL(url).pathname.slice(1));
  });

  test("refuses a server that is older than PostgreSQL 13", async () => {
    const answering = (...row: string[]) => ({ query: async () => [row] });
    await expect(refuseOldVersion(answering("120022", "12.22"))).rejects.toThrow(
      /PostgreSQL 12\.22\. Marquee needs PostgreSQL 13/,
    );
    await refuseOldVersion(answering("130000", "13.0"));
  });

  test("refuses a database of a newer version", async () => {
    const name = new URL(url).pathname.slice(1);
    await cluster.run("INSERT INTO migrations VALUES ('9999_later', 'x', 1)", name);
    await expect(open()).rejects.toThrow(/newer Marquee/);
  });

  const wrong: { what: string; at: () => string; says: RegExp }[] = [
    {
      what: "a wrong password",
      at: () => url.replace(PASSWORD, "wrong"),
      says: /password .* is wrong/,
    },
    {
      what: "a missing database",
      at: () => cluster.urlOf("nowhere"),
      says: /no database of this name/,
    },
    {
      what: "a server that is not there",
      at: () => "postgres://marquee:secret-word@127.0.0.1:1/marquee",
      says: /cannot be reached/,
    },
    {
      what: "parameters that mean nothing",
      at: () => `${url}?sslmode=nonsense`,
      says: /cannot be used: .*sslmode/i,
    },
    {
      what: "a server without TLS",
      at: () => `${url}?sslmode=require`,
      says: /does not speak TLS/,
    },
  ];
  test.each(wrong)("explains $what, without the password", async ({ at, says }) => {
    const refusal = await open(at()).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DatabaseError);
    expect(String(refusal)).toMatch(says);
    expect(Bun.inspect(refusal)).not.toContain(PASSWORD);
    expect(Bun.inspect(refusal)).not.toContain("secret-word");
  });

  test("by a command refuses a database in which there is nothing", async () => {
    await expect(open(await cluster.createDatabase(), "refuse")).rejects.toThrow(
      /There is no Marquee data/,
    );
  });
});

describe("an error", () => {
  test("never shows the values that were to be stored", async () => {
    await addUser("secret-value");
    const error = await addUser("secret-value").catch((refusal: unknown) => refusal);
    expect(describeError(error)).not.toContain("secret-value");
    expect(explainPostgresFailure(error, url).message).not.toContain("secret-value");
  });
});

describe("a database that goes away", () => {
  // A test that failed may have left it stopped.
  afterEach(() => cluster?.start());

  test("is used again by itself, and tells what was missed", async () => {
    const received: (number | undefined)[] = [];
    const reached: boolean[] = [];
    store.network?.onReach((isReached) => reached.push(isReached));
    store.onChange(({ userId }) => void received.push(userId));
    await store.checkForChanges();
    received.length = 0;
    await cluster.stop();
    const failure = await until(() =>
      names().then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    expect(isPassing(failure)).toBe(true);
    await until(() => reached.includes(false) || undefined);
    await expect((async () => store.probeWrite())()).rejects.toThrow();
    await cluster.start();
    await until(() => received.includes(undefined) || undefined);
    expect(reached).toEqual([true, false, true]);
    await until(() => names().catch(() => undefined));
    await store.probeWrite();
    received.length = 0;
    const [[added]] = await addUser("grace");
    expect(received).toEqual([added?.id]);
  }, 30_000);

  test("is followed again within a second when only its listener was ended", async () => {
    const received: (number | undefined)[] = [];
    store.onChange(({ userId }) => void received.push(userId));
    await store.checkForChanges();
    received.length = 0;
    await cluster.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE 'listen%'",
    );
    await until(() => received.includes(undefined) || undefined);
    const other = await open();
    await other.atomically((writer) => [
      writer.insert(users()).values(OWNER).returning({ id: users().id }),
    ]);
    await other.close();
    await until(() => received.some((userId) => userId !== undefined) || undefined);
  });
});

describe("a network that swallows packets", () => {
  let proxy: ReturnType<typeof createSwallowingProxy>;
  let pool: Pool;
  beforeEach(async () => {
    if (!isPostgresThere) return;
    proxy = createSwallowingProxy({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
    const through = new URL(url);
    through.port = String(proxy.port);
    pool = createPool(through.href, 2);
    await pool.query("SELECT 1");
  });
  afterEach(async () => {
    await pool?.close();
    proxy?.stop();
  });

  test("keeps no query waiting for ever, and is forgotten when it is whole again", async () => {
    proxy.swallow();
    const failure = await pool.query("SELECT 1").catch((error: unknown) => error);
    expect(isPassing(failure)).toBe(true);
    proxy.heal();
    expect(await until(() => pool.query("SELECT 1").catch(() => undefined))).toEqual([[1]]);
  }, 30_000);

  test("does not keep a program from ending", async () => {
    proxy.swallow();
    const lost = pool.query("SELECT 1").catch((error: unknown) => error);
    await inTime("the end", pool.close());
    expect(isPassing(await lost)).toBe(true);
  });
});

describe("a connection", () => {
  test("has the server end what takes too long, and transactions of a program that was stopped", async () => {
    const pool = createPool(url, 1);
    const limits = await pool.query(
      "SELECT current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout')",
    );
    await pool.close();
    expect(limits).toEqual([["5s", "5s"]]);
  });
});

describe("a server that speaks TLS", () => {
  let secured: Cluster;
  beforeAll(async () => {
    if (isPostgresThere) secured = await startCluster({ hasTls: true });
  });
  afterAll(() => secured?.remove());

  /** Opens a store, and says whether its connections are encrypted. */
  const openAt = async (parameters: string) => {
    const address = `${await secured.createDatabase()}?${parameters}`;
    await (await open(address)).close();
    const pool = createPool(address, 1);
    const [row] = await pool.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
    await pool.close();
    return row?.[0];
  };

  test("is spoken to as the address says", async () => {
    expect(await openAt("sslmode=disable")).toBe(false);
    expect(await openAt("sslmode=require")).toBe(true);
    expect(await openAt(`sslmode=verify-full&sslrootcert=${secured.certificate}`)).toBe(true);
  });

  test("with a certificate that nobody known has signed is refused where that is asked for", async () => {
    await expect(openAt("sslmode=verify-full")).rejects.toThrow(/certificate of .* is refused/);
  });
});

describe("a replaced secret key", () => {
  test("leaves nothing that it sealed in the tables", async () => {
    const [oldKey, newKey] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"));
    if (!oldKey || !newKey) throw new Error("there are no keys");
    const vault = createVault(oldKey);
    const accounts = await createAccounts({ store, vault, wallMs: () => 1 });
    await store.sealed.changeKey(undefined, vault.keyId);
    const [ada] = await accounts.add(["ada"], { source: "mpd", settings: { address: "host" } });
    const sealed = (await store.sealed.all()).map(({ bytes }) => Buffer.from(bytes));
    const isStored = async () => {
      await cluster.run("CHECKPOINT");
      const files = ["widgets", "connections", "upstreams"].map(async (table) => {
        const read = `SELECT pg_read_binary_file(pg_relation_filepath('${table}')) AS bytes`;
        const [row] = await cluster.run(read, new URL(url).pathname.slice(1));
        return Buffer.from((row as { bytes: Uint8Array }).bytes);
      });
      const all = Buffer.concat(await Promise.all(files));
      return sealed.map((bytes) => all.includes(bytes));
    };
    expect(await isStored()).toEqual([true, true]);
    const nothing = () => {};
    await rotateSecretKey({ store, oldKey, newKey, stage: nothing, finish: nothing });
    expect(await isStored()).toEqual([false, false]);
    const { widgets } = await createAccounts({
      store,
      vault: createVault(newKey),
      wallMs: () => 1,
    });
    expect(ada && (await widgets.tokenOf(ada.user))).toBe(ada?.widgetToken);
  });
});
