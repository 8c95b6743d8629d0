import { afterAll, beforeAll, beforeEach, afterEach, describe, expect } from "bun:test";
import { SQL } from "bun";
import type { Clock } from "../../src/clock.ts";
import { systemClock } from "../../src/clock.ts";
import type { Bus } from "../../src/cluster/bus.ts";
import { createVault } from "../../src/vault/vault.ts";
import { createMessageSeal } from "../../src/cluster/message-seal.ts";
import { createPostgresBus } from "../../src/cluster/postgres/bus.ts";
import { createPostgresLeases } from "../../src/cluster/postgres/lease-table.ts";
import { isOpenToAll } from "../../src/cluster/postgres/open-cluster.ts";
import { createPostgresCovers } from "../../src/cluster/postgres/covers.ts";
import { createPostgresReports } from "../../src/cluster/postgres/report-table.ts";
import type { Artwork } from "../../src/playback.ts";
import {
  createLeases,
  HOLD_MS,
  type Leases,
  SHARDS,
  type Standing,
} from "../../src/cluster/leases.ts";
import type { Message } from "../../src/cluster/message.ts";
import { createPostgresAdmissions } from "../../src/cluster/postgres/admissions.ts";
import { createPostgresLedgers } from "../../src/cluster/postgres/ledger.ts";
import { createLimitAnswers } from "../../src/api/limit-answers.ts";
import type { Grant } from "../../src/sources/polling/ledger.ts";
import { createRequestBudget } from "../../src/sources/polling/request-budget.ts";
import { createListener } from "../../src/db/postgres/listener.ts";
import { migrate } from "../../src/db/postgres/migrations.ts";
import { createPool, type Pool } from "../../src/db/postgres/pool.ts";
import { createLog } from "../../src/log.ts";
import {
  type Cluster,
  isPostgresThere,
  startCluster,
  testWithPostgres,
} from "../fixtures/postgres/cluster.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { TEST_KEY } from "../fixtures/servers/test-server.ts";
import { createSwallowingProxy } from "../fixtures/postgres/swallowing-proxy.ts";
import { until } from "../fixtures/clock/waiting.ts";

let server: Cluster;
let databaseUrl: string;
let cleanUps: (() => Promise<void>)[];

beforeAll(async () => {
  if (isPostgresThere) server = await startCluster();
}, 60_000);
afterAll(async () => {
  if (isPostgresThere) await server.remove();
});
beforeEach(async () => {
  cleanUps = [];
  if (!isPostgresThere) return;
  databaseUrl = await server.createDatabase();
  const pool = createPool(databaseUrl, 4);
  await migrate(pool);
  await pool.close();
}, 20_000);
afterEach(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

const clock: Clock = systemClock;
const log = createLog({ level: "error", format: "text", write: () => {}, wallMs: clock.wallMs });

const seal = createMessageSeal(createVault(TEST_KEY), clock.monotonicMs);

interface Node {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly received: [string, Message][];
  ups: number;
}

function connect(name: string, url: string = databaseUrl): Node {
  const pool = createPool(url, 4);
  const bus = createPostgresBus({
    clock,
    log,
    pool,
    listen: (options) => createListener({ url, ...options }),
    node: name,
    seal,
  });
  const node: Node = { pool, bus, received: [], ups: 0 };
  bus.onMessage((message, from) => node.received.push([from, message]));
  bus.onUp(() => {
    node.ups += 1;
  });
  cleanUps.push(async () => {
    await bus.close();
    await pool.close();
  });
  return node;
}

const isUp = (...nodes: readonly Node[]) =>
  until(() => nodes.every(({ bus }) => bus.up) || undefined);

function lease({ bus, pool }: Node, watched = {}): Leases {
  const leases = createLeases({
    clock,
    log,
    bus,
    table: createPostgresLeases(pool),
    watched: () => watched,
  });
  cleanUps.push(() => leases.release());
  return leases;
}

describe("the bus on PostgreSQL", () => {
  testWithPostgres("carries every message to all nodes, in one order", async () => {
    const [a, b, c] = [connect("a"), connect("b"), connect("c")];
    await isUp(a, b, c);
    for (let turn = 0; turn < 200; turn++) {
      a.bus.send(["ask", turn]);
      b.bus.send(["ask", 1_000 + turn]);
      if (turn % 20 === 0) await Bun.sleep(1);
    }
    await until(() => [a, b, c].every(({ received }) => received.length === 400) || undefined);
    expect(b.received).toEqual(a.received);
    expect(c.received).toEqual(a.received);
    const fromA = a.received.filter(([from]) => from === "a").map(([, [, turn]]) => turn);
    expect(fromA).toEqual(Array.from({ length: 200 }, (_, turn) => turn));
  });

  testWithPostgres("carries a message that is larger than a notice", async () => {
    const [a, b] = [connect("a"), connect("b")];
    await isUp(a, b);
    const title = 'é"🎵\u0000'.repeat(9_000);
    const playback = {
      source: "Test",
      state: "playing" as const,
      track: { id: "1", title, durationMs: null, explicit: false },
      artists: [],
      album: { name: "", artworks: [] },
      device: { name: "", type: "", volumePercent: null },
      positionMs: 0,
      observedAtMs: 0,
      rate: 1,
    };
    a.bus.send(["ask", 1]);
    a.bus.send(["show", 7, 1_000, playback, 0]);
    a.bus.send(["ask", 2]);
    await until(() => b.received.length === 3 || undefined);
    expect(b.received).toEqual([
      ["a", ["ask", 1]],
      ["a", ["show", 7, 1_000, playback, 0]],
      ["a", ["ask", 2]],
    ]);
  });

  testWithPostgres("receives again, and calls back, after its connection was ended", async () => {
    const [a, b] = [connect("a"), connect("b")];
    await isUp(a, b);
    const before = a.ups;
    await server.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%LISTEN%' AND pid <> pg_backend_pid()",
    );
    await until(() => (a.ups > before && a.bus.up && b.ups > 1 && b.bus.up) || undefined);
    b.bus.send(["ask", 5]);
    await until(() => a.received.some(([, message]) => message[0] === "ask") || undefined);
  });

  testWithPostgres("is down while the database is, and comes back by itself", async () => {
    const a = connect("a");
    await isUp(a);
    let isDown = false;
    a.bus.onDown(() => {
      isDown = true;
    });
    await server.stop();
    await until(() => isDown || undefined);
    expect(a.bus.up).toBe(false);
    await server.start();
    await isUp(a);
  });

  testWithPostgres(
    "notices a network that swallows everything, and comes back",
    async () => {
      const direct = new URL(databaseUrl);
      const proxy = createSwallowingProxy({ hostname: "127.0.0.1", port: Number(direct.port) });
      const through = new URL(databaseUrl);
      through.port = String(proxy.port);
      const a = connect("a", through.href);
      const b = connect("b");
      await isUp(a, b);
      const leases = lease(a);
      await leases.beat();
      expect(leases.standing).toBe(true);
      proxy.swallow();
      await until(() => !a.bus.up || undefined);
      // It holds nothing any more before others may take it.
      await until(() => !leases.standing || undefined);
      const before = a.ups;
      proxy.heal();
      await until(() => (a.bus.up && a.ups > before) || undefined);
      await until(() => leases.standing || undefined);
      a.received.length = 0;
      b.bus.send(["ask", 5]);
      await until(() => a.received.some(([, [kind]]) => kind === "ask") || undefined);
      await leases.release();
      await a.bus.close();
      proxy.stop();
      // The waits are real: eight seconds where nothing else runs.
    },
    60_000,
  );
});

describe("a role that may only connect to the database", () => {
  /** It has no right to any table. */
  async function connectAsStranger(): Promise<SQL> {
    const name = `stranger_${crypto.randomUUID().slice(0, 8)}`;
    await server.run(`CREATE ROLE ${name} LOGIN PASSWORD 'a-word'`);
    const url = new URL(databaseUrl);
    [url.username, url.password] = [name, "a-word"];
    const client = new SQL(url.href, { max: 1 });
    cleanUps.push(() => client.close({ timeout: 0 }));
    return client;
  }

  testWithPostgres("learns nothing from the notices, and forges and replays none", async () => {
    const [a, b] = [connect("a"), connect("b")];
    await isUp(a, b);
    const stranger = await connectAsStranger();
    const intercepted: string[] = [];
    await stranger.listen("marquee", (payload) => intercepted.push(payload));
    a.bus.send(["post", 1, "Very Private Song"]);
    await until(() => b.received.length === 1 || undefined);
    await until(() => intercepted.some((payload) => payload.startsWith("a ")) || undefined);
    expect(intercepted.join("\n")).not.toContain("Private");
    const forged = [
      'a 999999 .[["holds",[[0,999999]]]]',
      'b 999999 .[["ask",1]]',
      "nonsense",
      ...intercepted.filter((payload) => payload.length < 4_000),
    ];
    const other = await connectAsStranger();
    for (const payload of forged) await other.unsafe("SELECT pg_notify('marquee', $1)", [payload]);
    a.bus.send(["ask", 7]);
    await until(() => b.received.length >= 2 || undefined);
    expect(b.received).toEqual([
      ["a", ["post", 1, "Very Private Song"]],
      ["a", ["ask", 7]],
    ]);
    expect(await isOpenToAll(a.pool)).toBe(true);
    await server.run(
      `REVOKE CONNECT ON DATABASE ${new URL(databaseUrl).pathname.slice(1)} FROM PUBLIC`,
    );
    expect(await isOpenToAll(a.pool)).toBe(false);
  });
});

describe("the table of reports in PostgreSQL", () => {
  const report = (title: string) => ({
    receivedAtMs: 0,
    playback: aPlayback({ track: { ...aPlayback().track, title } }),
    lifetime: { kind: "untilItsEnd" } as const,
  });
  const fresh = (connectionId: number, title: string) => ({
    connectionId,
    report: report(title),
    ageMs: 0,
    lastsMs: 60_000,
  });

  testWithPostgres(
    "gives rising versions, and has the last report of each connection",
    async () => {
      const [a, b] = [connect("a"), connect("b")].map(({ pool }) => createPostgresReports(pool));
      if (!a || !b) return;
      const first = await a.store("a", [fresh(1, "one"), fresh(2, "other")]);
      const second = await b.store("b", [fresh(1, "two")]);
      expect(second.get(1) ?? 0).toBeGreaterThan(first.get(1) ?? Infinity);
      const found = new Map((await a.load()).map((row) => [row.connectionId, row]));
      expect(found.get(1)).toMatchObject({
        node: "b",
        version: second.get(1),
        report: report("two"),
      });
      expect(found.get(2)).toMatchObject({ node: "a", version: first.get(2) });
      await b.store("b", [{ connectionId: 1, report: null, ageMs: 0, lastsMs: 60_000 }]);
      expect((await a.load()).find(({ connectionId }) => connectionId === 1)?.report).toBeNull();
    },
  );

  testWithPostgres("keeps what is newer from one that waited", async () => {
    const table = createPostgresReports(connect("a").pool);
    await table.store("a", [fresh(1, "new")]);
    const late = { ...fresh(1, "old"), ageMs: 5_000 };
    expect(await table.store("b", [late])).toEqual(new Map());
    expect((await table.store("a", [late])).size).toBe(1);
  });

  testWithPostgres("forgets what has ended, and keeps what lasts while connected", async () => {
    const table = createPostgresReports(connect("a").pool);
    await table.store("a", [
      { ...fresh(1, "ended"), ageMs: 61_000 },
      { ...fresh(2, "stream"), ageMs: 61_000, lastsMs: Infinity },
    ]);
    const [left, ...more] = await table.load();
    expect(more).toEqual([]);
    expect(left?.connectionId).toBe(2);
    expect(left?.ageMs).toBeWithin(61_000, 70_000);
  });

  testWithPostgres("takes the reports of two nodes in any order at the same time", async () => {
    const tables = ["a", "b"].map((name) => ({
      name,
      table: createPostgresReports(connect(name).pool),
    }));
    const stored = await Promise.all(
      Array.from({ length: 40 }, (_, turn) =>
        tables.map(({ name, table }) =>
          table.store(
            name,
            Array.from({ length: 20 }, (_, index) =>
              fresh((index * 7 + turn) % 20, `${name} ${turn}`),
            ),
          ),
        ),
      ).flat(),
    );
    const newest = Math.max(...stored.map((versions) => versions.get(3) ?? 0));
    const rows = (await tables[0]?.table.load()) ?? [];
    expect(rows).toHaveLength(20);
    expect(rows.find(({ connectionId }) => connectionId === 3)?.version).toBe(newest);
  });
});

describe("covers in PostgreSQL", () => {
  const picture = (key: string, bytes = 1_000): Artwork => ({
    key,
    load: async () => new Uint8Array(bytes).fill(7),
  });
  const picturesOn = ({ pool, bus }: Node) =>
    createPostgresCovers({
      clock,
      pool,
      bus,
      log,
      loadFrom: () => Promise.reject(new Error("no network")),
    });
  const count = async ({ pool }: Node) =>
    Number((await pool.query("SELECT count(*) FROM covers"))[0]?.[0]);

  testWithPostgres("are kept for all nodes, the newest eight of a user", async () => {
    const [a, b] = [connect("a"), connect("b")];
    const [here, there] = [picturesOn(a), picturesOn(b)];
    for (let song = 0; song < 30; song++) {
      here.keep(1, [{ id: `ada ${song}`, artwork: picture(`ada ${song}`) }]);
      await until(async () => (await there.find(`ada ${song}`)) ?? undefined);
    }
    here.keep(2, [{ id: "bob", artwork: picture("bob") }]);
    const bobs = await until(async () => (await there.find("bob")) ?? undefined);
    expect((await bobs.load()).length).toBe(1_000);
    expect(await count(a)).toBe(9);
    expect(await there.find("ada 0")).toBeUndefined();
  });

  testWithPostgres(
    "that come faster than they can be kept are left out, but the last",
    async () => {
      const a = connect("a");
      const pictures = picturesOn(a);
      let loaded = 0;
      for (let song = 0; song < 200; song++) {
        const artwork: Artwork = {
          key: `ada ${song}`,
          async load() {
            loaded += 1;
            return new Uint8Array(10);
          },
        };
        pictures.keep(1, [{ id: `ada ${song}`, artwork }]);
      }
      await until(async () => (await pictures.find("ada 199")) ?? undefined);
      expect(loaded).toBe(2);
    },
  );

  testWithPostgres("whose bytes another node has are asked for", async () => {
    const [a, b] = [connect("a"), connect("b")];
    await isUp(a, b);
    const pictures = picturesOn(a);
    pictures.keep(7, [
      { id: "id of one", artwork: pictures.received("id of one", { key: "one" }) },
    ]);
    await until(() => b.received.length === 1 || undefined);
    expect(b.received).toEqual([["a", ["wanted", 7, "one"]]]);
    expect(await count(a)).toBe(0);
  });
});

describe("the leases in PostgreSQL", () => {
  testWithPostgres("have the program's hold time and number of shards", async () => {
    const { pool } = connect("a");
    const [shards = []] = await pool.query("SELECT count(*), max(shard) FROM shards");
    expect(shards.map(Number)).toEqual([SHARDS, SHARDS - 1]);
    const rules = await pool.query(`SELECT proname,
        extract(epoch FROM substring(prosrc FROM 'hold CONSTANT interval := ''([^'']+)''')::interval),
        coalesce(substring(prosrc FROM '([0-9]+)[.]0 / count'), '${SHARDS}')
      FROM pg_proc WHERE prosrc LIKE '%hold CONSTANT%' ORDER BY proname`);
    expect(rules.map(([name, seconds, count]) => [name, Number(seconds), Number(count)])).toEqual([
      ["beat", HOLD_MS / 1000, SHARDS],
      ["wait_for_former_nodes", HOLD_MS / 1000, SHARDS],
    ]);
  });

  testWithPostgres("are shared evenly, and each shard has one holder", async () => {
    const nodes = [connect("a"), connect("b"), connect("c")];
    await isUp(...nodes);
    const leases = nodes.map((node) => lease(node));
    for (let turn = 0; turn < 60; turn++) await Promise.all(leases.map((one) => one.beat()));
    const held = leases.map((one) => one.held());
    expect(held.reduce((sum, count) => sum + count, 0)).toBe(256);
    expect(Math.max(...held)).toBe(86);
    for (let shard = 0; shard < 256; shard++) {
      expect(leases.filter((one) => one.termOf(shard) !== undefined)).toHaveLength(1);
    }
  });

  testWithPostgres("are published on the bus when they were taken", async () => {
    const [a, b] = [connect("a"), connect("b")];
    await isUp(a, b);
    const leases = lease(a);
    await leases.beat();
    const holds = await until(() => b.received.find(([, [kind]]) => kind === "holds"));
    expect(holds[0]).toBe("a");
    expect(holds[1][1]).toHaveLength(256);
    await leases.release();
    await until(() => b.received.find(([, [kind]]) => kind === "resigned"));
    const next = lease(b);
    await next.beat();
    expect(next.held()).toBe(256);
    expect(next.termOf(0)).toBe(2);
  });

  testWithPostgres("of a node that is silent are taken by others after eight seconds", async () => {
    const [a, b] = [connect("a"), connect("b")];
    await isUp(a, b);
    const table = createPostgresLeases(a.pool);
    await table.beat({ node: "a", give: [], watched: {} });
    const others = lease(b);
    await others.beat();
    expect(others.held()).toBe(0);
    await server.run(
      "UPDATE shards SET until = clock_timestamp() - interval '1 second'",
      databaseUrl.split("/").at(-1),
    );
    await server.run(
      "UPDATE nodes SET beat_at = clock_timestamp() - interval '9 seconds' WHERE name = 'a'",
      databaseUrl.split("/").at(-1),
    );
    await others.beat();
    expect(others.held()).toBe(256);
    const late = await table.beat({ node: "a", give: [], watched: {} });
    expect(late.held.size).toBe(0);
    expect(late.terms).toEqual(Array.from({ length: 256 }, () => 2));
  });

  testWithPostgres("come back to the nodes that had them, once the database is back", async () => {
    const beatAs = (name: string) => {
      const table = createPostgresLeases(connect(name).pool);
      return (give: readonly number[] = []) => table.beat({ node: name, give, watched: {} });
    };
    const [a, b] = [beatAs("a"), beatAs("b")];
    const { held: all } = await a();
    await b();
    await a([...all.keys()].slice(128));
    const shardsOf = ({ held }: Standing) => [...held.keys()].sort((one, other) => one - other);
    const [ofA, ofB] = [shardsOf(await a()), shardsOf(await b())];
    expect([ofA.length, ofB.length]).toEqual([128, 128]);
    const database = databaseUrl.split("/").at(-1);
    await server.run("UPDATE nodes SET beat_at = beat_at - interval '20 seconds'", database);
    await server.run("UPDATE shards SET until = until - interval '20 seconds'", database);
    expect(shardsOf(await a())).toEqual(ofA);
    expect(shardsOf(await b())).toEqual(ofB);
  });

  testWithPostgres(
    "are all taken at once by a node that comes after all others ended",
    async () => {
      const table = createPostgresLeases(connect("a").pool);
      await table.beat({ node: "gone", give: [], watched: {} });
      const database = databaseUrl.split("/").at(-1);
      await server.run("UPDATE nodes SET beat_at = beat_at - interval '20 seconds'", database);
      await server.run("UPDATE shards SET until = until - interval '20 seconds'", database);
      expect((await table.beat({ node: "a", give: [], watched: {} })).held.size).toBe(256);
    },
  );

  testWithPostgres("that have ended come back with a new term, even to the same node", async () => {
    const table = createPostgresLeases(connect("a").pool);
    const beat = () => table.beat({ node: "a", give: [], watched: {} });
    expect(new Set((await beat()).held.values())).toEqual(new Set([1]));
    await server.run(
      "UPDATE shards SET until = clock_timestamp() - interval '1 second'",
      databaseUrl.split("/").at(-1),
    );
    const again = await beat();
    expect(again.held.size).toBe(256);
    expect(new Set(again.held.values())).toEqual(new Set([2]));
  });

  testWithPostgres("are given only by who has them, and taken up to a share", async () => {
    const table = createPostgresLeases(connect("a").pool);
    const beat = (node: string, give: readonly number[] = []) =>
      table.beat({ node, give, watched: {} });
    const all = [...(await beat("a")).held.keys()];
    expect((await beat("b", all)).held.size).toBe(0);
    expect((await beat("a")).held.size).toBe(256);
    expect((await beat("a", all.slice(0, 200))).held.size).toBe(128);
    expect((await beat("b")).held.size).toBe(128);
  });

  testWithPostgres("say how many users of an upstream the others watch", async () => {
    const [a, b] = [connect("a"), connect("b")];
    await isUp(a, b);
    const leases = lease(a, { Spotify: 3 });
    await leases.beat();
    const others = lease(b, { Spotify: 4 });
    await others.beat();
    expect(others.watchedElsewhere("Spotify")).toBe(3);
    expect(others.watchedElsewhere("Last.fm")).toBe(0);
  });
});

describe("the budget of all nodes", () => {
  const BUDGET = 20;
  const WINDOW_MS = 1_000;
  const budgetOn = ({ pool, bus }: Node, elsewhere = 0) => {
    const ledgers = createPostgresLedgers({ clock, pool, bus, watchedElsewhere: () => elsewhere });
    const budget = createRequestBudget({
      clock,
      upstream: "Spotify",
      budget: BUDGET,
      windowMs: WINDOW_MS,
      memory: {
        recall: async () => undefined,
        remember: async () => {},
        ledgerOf: ledgers.ledgerOf,
      },
    });
    return { budget, ledgers };
  };

  testWithPostgres("is never exceeded in any window, and is used", async () => {
    const nodes = [connect("a"), connect("b"), connect("c")];
    await isUp(...nodes);
    const enteredAtMs: number[] = [];
    const never = new AbortController().signal;
    await Promise.all(
      nodes.flatMap((node) => {
        const { budget } = budgetOn(node);
        return Array.from({ length: 20 }, async () => {
          await budget.enter("trackEnd", never);
          enteredAtMs.push(clock.monotonicMs());
        });
      }),
    );
    expect(enteredAtMs).toHaveLength(60);
    for (const fromMs of enteredAtMs) {
      const inWindow = enteredAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + WINDOW_MS);
      expect(inWindow.length).toBeLessThanOrEqual(BUDGET);
    }
    const tookMs = Math.max(...enteredAtMs) - Math.min(...enteredAtMs);
    expect(tookMs).toBeLessThan(10_000);
  });

  testWithPostgres("is counted by one node at a time", async () => {
    const [a, b] = [connect("a"), connect("b")];
    const ledgers = createPostgresLedgers({ clock, ...b, watchedElsewhere: () => 0 });
    const ledger = ledgers.ledgerOf({ upstream: "Spotify", limits: [2], windowMs: 60_000 });
    let second: Promise<Grant> | undefined;
    await a.pool.transaction(async (connection) => {
      await connection.unsafe("SELECT take_calls('Spotify', 60000, '{2}', '{2}')");
      let isAnswered = false;
      second = Promise.resolve(ledger.take([2])).finally(() => (isAnswered = true));
      const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
      await until(async () => isAnswered || (await b.pool.query(waiting)).length > 0 || undefined);
    });
    expect((await second)?.granted).toEqual([0]);
  });

  testWithPostgres("is one for each upstream, and what is used up takes nothing back", async () => {
    const ledgers = createPostgresLedgers({ clock, ...connect("a"), watchedElsewhere: () => 0 });
    const limits = { limits: [3, 1], windowMs: 60_000 };
    const ledger = ledgers.ledgerOf({ upstream: "Spotify", ...limits });
    expect((await ledger.take([3, 0])).granted).toEqual([3, 0]);
    expect((await ledger.take([2, 1])).granted).toEqual([0, 0]);
    const another = ledgers.ledgerOf({ upstream: "Last.fm", ...limits });
    expect((await another.take([0, 2])).granted).toEqual([0, 1]);
  });

  testWithPostgres("has no room while what was granted is counted again", async () => {
    const wide = { upstream: "covers musicbrainz", limits: [1, 100], windowMs: 60_000 };
    const [here, there] = [connect("a"), connect("b")].map((node) =>
      createPostgresLedgers({ clock, ...node, watchedElsewhere: () => 0 }).ledgerOf(wide),
    );
    expect((await here?.take([1, 0]))?.granted).toEqual([1, 0]);
    expect((await there?.take([1, 0]))?.granted).toEqual([0, 0]);
    expect((await here?.take([0, 1]))?.granted).toEqual([0, 1]);
    expect((await there?.take([1, 0]))?.granted).toEqual([0, 0]);
  });

  testWithPostgres("is closed on all nodes when the upstream asks one for a pause", async () => {
    const [a, b] = [connect("a"), connect("b")];
    await isUp(a, b);
    const [first, second] = [budgetOn(a), budgetOn(b)];
    await first.budget.close("30", "too many calls");
    await until(() =>
      second.budget.refuseWhileClosed().then(
        () => undefined,
        () => true,
      ),
    );
  });

  testWithPostgres("is shared by the users of all nodes", async () => {
    const a = connect("a");
    const { budget, ledgers } = budgetOn(a, 15);
    budget.join({ watched: true });
    expect(budget.leastIntervalMs()).toBe((16 * 2_000) / (BUDGET * 0.8));
    expect(ledgers.watched()).toEqual({ Spotify: 1 });
  });
});

describe("the limit of the API on all nodes", () => {
  testWithPostgres("admits exactly one of fifty calls at once", async () => {
    const limits = [connect("a"), connect("b"), connect("c")].map(({ pool }) =>
      createLimitAnswers(5, "/api/v1/now-playing", createPostgresAdmissions(pool)),
    );
    const caller = { userId: 1, name: "key" };
    const call = async (index: number) => limits[index % 3]?.refusalOf(caller, clock.monotonicMs());
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => call(index)));
    expect(answers.filter((refusal) => refusal === undefined)).toHaveLength(1);
    for (const refusal of answers) {
      if (refusal) expect(Number(refusal.headers.get("retry-after"))).toBeWithin(1, 6);
    }
  });

  testWithPostgres("admits calls of other keys and to other endpoints", async () => {
    const admissions = createPostgresAdmissions(connect("a").pool);
    const names = ["user 1", "user 2", "now-playing 1"];
    expect(await Promise.all(names.map((name) => admissions.admit(name, 5_000)))).toEqual([
      0, 0, 0,
    ]);
    expect(await admissions.admit("user 1", 5_000)).toBeWithin(4_000, 5_001);
    expect(await admissions.admit("user 1", 1)).toBe(0);
  });

  testWithPostgres("lets a call pass while the database does not answer", async () => {
    const refusing = { query: () => Promise.reject(new Error("the database is down")) };
    const limit = createLimitAnswers(5, "/", createPostgresAdmissions(refusing));
    const caller = { userId: 1, name: "key" };
    expect(await limit.refusalOf(caller, 1_000)).toBeUndefined();
    expect((await limit.refusalOf(caller, 2_000))?.status).toBe(429);
  });
});
