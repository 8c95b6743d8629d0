import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { freePort, inTime, until } from "../fixtures/clock/waiting.ts";
import { openOverlay } from "../fixtures/http/overlay-socket.ts";
import {
  type Cluster,
  isPostgresThere,
  PASSWORD,
  startCluster,
  testWithPostgres as test,
} from "../fixtures/postgres/cluster.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";
import { type MarqueeProcess, startMarquee } from "../fixtures/servers/marquee-process.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");
const BASE_URL = "http://music.example";

const { marquee, documentsOf, environment, path } = useCommandLine();
let cluster: Cluster;
let url: string;

beforeAll(async () => {
  if (isPostgresThere) cluster = await startCluster();
});
afterAll(() => cluster?.remove());
beforeEach(async () => {
  if (!isPostgresThere) return;
  url = await cluster.createDatabase();
  writeFileSync(path("database"), `${url}\n`, { mode: 0o600 });
  writeFileSync(path("key"), `${KEY}\n`, { mode: 0o600 });
});

/** From now on this test's commands use the database. */
const useDatabase = () =>
  Object.assign(environment, {
    MARQUEE_DATABASE_FILE: path("database"),
    MARQUEE_SECRET_KEY_FILE: path("key"),
  });

describe("a command with --database", () => {
  test("needs the secret key, and says how to give it", async () => {
    const ran = await marquee("user", "list", "--database", url);
    expect(ran.code).toBe(1);
    expect(ran.errors).toContain("MARQUEE_SECRET_KEY_FILE");
    expect(ran.errors).not.toContain(PASSWORD);
  });

  test("that starts a server needs the public address too", async () => {
    useDatabase();
    const ran = await marquee("serve");
    expect(ran.code).toBe(1);
    expect(ran.errors).toContain("--base-url");
  });

  test("does not show the database's password with the settings in force", async () => {
    useDatabase();
    const ran = await marquee("config");
    expect(ran.out).toMatch(/database +\(secret\) +MARQUEE_DATABASE_FILE/);
    expect(ran.out).not.toContain(PASSWORD);
  });

  test("refuses an address of another kind, and does not show it", async () => {
    for (const wrong of [
      "mysql://me:hidden-word@127.0.0.1/music",
      "postgres://127.0.0.1",
      "hidden-word",
    ]) {
      const ran = await marquee("user", "list", "--database", wrong);
      expect(ran.code).toBe(2);
      expect(ran.errors).toContain("such as postgres://");
      expect(ran.errors).not.toContain("hidden-word");
    }
  });

  test("makes no tables in a mistyped database", async () => {
    useDatabase();
    const ran = await marquee("user", "list");
    expect(ran.code).toBe(1);
    expect(ran.errors).toContain("There is no Marquee data");
    const tables = await cluster.run(
      "SELECT 1 FROM pg_tables WHERE schemaname = 'public'",
      new URL(url).pathname.slice(1),
    );
    expect(tables).toEqual([]);
  });

  test("says how the database is backed up", async () => {
    useDatabase();
    await documentsOf("user", "add", "ada");
    const ran = await marquee("backup", path("copy.db"));
    expect(ran.code).toBe(1);
    expect(ran.errors).toContain("pg_dump");
  });

  test("replaces the secret key", async () => {
    useDatabase();
    const [added] = await documentsOf("user", "add", "ada", "--source", "demo");
    const next = path("next");
    writeFileSync(next, Buffer.alloc(32, 8).toString("base64"), { mode: 0o600 });
    environment["MARQUEE_SECRET_KEY_FILE"] = next;
    const [rotated] = await documentsOf("secret", "rotate", "--old-key-file", path("key"));
    expect(rotated).toEqual({ rotated: true, resealed: 2, restart_needed: true });
    const [shown] = await documentsOf("widget", "url", "ada");
    expect(shown?.["widget_token"]).toBe(added?.["widget_token"]);
    environment["MARQUEE_SECRET_KEY_FILE"] = path("key");
    const ran = await marquee("widget", "url", "ada");
    expect(ran.code).toBe(1);
    expect(ran.errors).toContain("encrypted under another key");
  });
});

describe("marquee migrate", () => {
  test("keeps keys, widget addresses, connections and ids, and says what it did", async () => {
    const [ada] = await documentsOf("user", "add", "ada", "--source", "demo");
    await documentsOf("user", "add", "gone");
    await documentsOf("user", "remove", "gone");
    await documentsOf("connect", "ada", "mpd", "--password", "correct-horse");
    await documentsOf("connect", "ada", "json", "--name", "Kitchen");
    await documentsOf("widget", "add", "ada", "--name", "Second");
    await documentsOf("widget", "set", "ada", "1", "theme=vinyl");
    const before = {
      connections: await documentsOf("connection", "list", "ada", "--show-secrets"),
      widgets: await documentsOf("widget", "list", "ada"),
      keys: await documentsOf("key", "list", "ada"),
    };
    const [moved] = await documentsOf("migrate", "--to", url);
    expect(moved).toEqual({
      database: `127.0.0.1:${new URL(url).port}${new URL(url).pathname}`,
      ...{ users: 1, keys: 1, widgets: 2, connections: 2, sessions: 0 },
    });
    Object.assign(environment, {
      MARQUEE_DATABASE: url,
      MARQUEE_SECRET_KEY_FILE: path("data", "secret.key"),
    });
    expect({
      connections: await documentsOf("connection", "list", "ada", "--show-secrets"),
      widgets: await documentsOf("widget", "list", "ada"),
      keys: await documentsOf("key", "list", "ada"),
    }).toEqual(before);
    const [shown] = await documentsOf("widget", "url", "ada");
    expect(shown?.["widget_token"]).toBe(ada?.["widget_token"]);
    await documentsOf("user", "add", "grace");
    const ids = await cluster.run(
      "SELECT id FROM users ORDER BY id",
      new URL(url).pathname.slice(1),
    );
    expect(ids).toEqual([{ id: "1" }, { id: "3" }]);
  });

  test("refuses a database with data, and changes nothing in it", async () => {
    await documentsOf("user", "add", "ada");
    useDatabase();
    await documentsOf("user", "add", "grace");
    for (const variable of Object.keys(environment)) delete environment[variable];
    const ran = await marquee("migrate", "--to", url);
    expect(ran.code).toBe(1);
    expect(ran.errors).toContain("Choose an empty database");
    useDatabase();
    const users = await documentsOf("user", "list");
    expect(users.map(({ username }) => username)).toEqual(["grace"]);
  });

  test("leaves nothing behind when it fails half-way", async () => {
    await documentsOf("user", "add", "ada", "grace");
    const name = new URL(url).pathname.slice(1);
    useDatabase();
    await documentsOf("user", "add", "first");
    await documentsOf("user", "remove", "first");
    for (const variable of Object.keys(environment)) delete environment[variable];
    await cluster.run("TRUNCATE users, server CASCADE", name);
    await cluster.run("ALTER TABLE widgets ADD CHECK (user_id < 2)", name);
    const ran = await marquee("migrate", "--to", url);
    expect(ran.code).toBe(1);
    expect(ran.errors).not.toContain("params");
    expect(await cluster.run("SELECT 1 FROM users", name)).toEqual([]);
  });

  test("does not show a wrong address, which may hold a password", async () => {
    const ran = await marquee("migrate", "--to", "mysql://me:hidden-word@127.0.0.1/music");
    expect(ran.code).toBe(2);
    expect(ran.errors).not.toContain("hidden-word");
  });
});

describe("a server with --database", () => {
  let server: MarqueeProcess | undefined;
  afterEach(async () => {
    await server?.kill();
    server = undefined;
    // A test that failed may have left it stopped.
    await cluster?.start();
  });

  let port: number;
  const start = () => {
    port = freePort();
    return startMarquee({
      folder: path(),
      arguments: ["--port", String(port), "--base-url", BASE_URL],
      environment: {
        MARQUEE_RATE_LIMIT_SECONDS: "0",
        MARQUEE_DATABASE_FILE: path("database"),
        MARQUEE_SECRET_KEY_FILE: path("key"),
      },
      fromSource: true,
    });
  };
  /** Asks the server itself, as a proxy would. */
  const ask = (address: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${address}`, { redirect: "manual", ...init });
  const statusOf = async (address: string, key = "") =>
    (await ask(address, { headers: { "x-api-key": key } })).status;
  const untilStatus = (address: string, status: number, key?: string) =>
    until(async () => ((await statusOf(address, key)) === status ? true : undefined));
  const pathOf = (address: unknown) => new URL(String(address)).pathname;

  test("has API, overlay and dashboard from its first start on, and follows commands", async () => {
    useDatabase();
    server = await start();
    const { api_key: key = "", widget_url: widget, login_url: login } = server.ready;
    const playing = await ask("/api/v1/now-playing", { headers: { "x-api-key": key } });
    expect((await playing.json()).data.track.id).toStartWith("demo:");
    const overlay = await openOverlay(`http://127.0.0.1:${port}${pathOf(widget)}/live`);
    expect((await overlay.next()).type).toBeString();

    const entered = await ask(pathOf(login), { method: "POST", headers: { origin: BASE_URL } });
    const [cookie = ""] = (entered.headers.get("set-cookie") ?? "").split(";");
    for (const name of ["", "/music", "/widget", "/keys", "/privacy", "/account"]) {
      expect((await ask(`/en/dashboard${name}`, { headers: { cookie } })).status).toBe(200);
    }
    const page = await (await ask("/en/dashboard/server", { headers: { cookie } })).text();
    expect(page).toContain("pg_dump");
    expect(page).not.toContain(PASSWORD);
    const backup = await ask("/en/dashboard/server/backup", { headers: { cookie } });
    expect([backup.status, await backup.text()]).toEqual([
      404,
      "The database is not a file: use pg_dump\n",
    ]);

    const [owner] = await documentsOf("user", "list");
    const name = String(owner?.["username"]);
    const [{ id = "" } = {}] = await documentsOf("key", "list", name);
    await documentsOf("key", "revoke", name, String(id));
    await untilStatus("/api/v1/user", 401, key);
    const [again] = await documentsOf("widget", "rotate", name);
    expect(await inTime("the end of the old address", overlay.closed)).toBeNumber();
    expect(await statusOf(pathOf(widget))).toBe(404);
    expect(await statusOf(pathOf(again?.["widget_url"]))).toBe(200);
    expect(await server.stop()).toBe(0);
    expect(server.log()).not.toContain(PASSWORD);
  }, 30_000);

  test("says that it is not ready without the database, and goes on when that is back", async () => {
    useDatabase();
    server = await start();
    const { api_key: key = "", username: name = "" } = server.ready;
    const [grace] = await documentsOf("user", "add", "grace", "--source", "demo");
    await untilStatus("/readyz", 200);
    expect(await statusOf("/api/v1/now-playing", key)).toBe(200);
    // A server that cannot tell whether its last change was followed forgets what it knows.
    await until(async () => {
      const [demo] = await documentsOf("connection", "list", name);
      return demo?.["health"] !== "untried" || undefined;
    });
    await cluster.stop();
    await untilStatus("/readyz", 503);
    expect(await statusOf("/livez")).toBe(200);
    // What is known goes on, what must be looked up cannot be answered.
    expect(await statusOf("/api/v1/now-playing", key)).toBe(200);
    expect(await statusOf("/api/v1/now-playing", String(grace?.["api_key"]))).toBe(503);
    await cluster.start();
    await untilStatus("/readyz", 200);
    await untilStatus("/api/v1/now-playing", 200, String(grace?.["api_key"]));
    const keys = await documentsOf("key", "list", name);
    for (const { id } of keys) await documentsOf("key", "revoke", name, String(id));
    await untilStatus("/api/v1/now-playing", 401, key);
    expect(await server.stop()).toBe(0);
    expect(server.log()).toContain("the database can be reached again");
    expect(server.log()).not.toContain(PASSWORD);
  }, 60_000);

  test("that starts at the same moment as another has the same owner", async () => {
    useDatabase();
    const first = start();
    const second = start();
    const servers = await Promise.all([first, second]);
    [server] = servers;
    await servers[1]?.kill();
    expect(new Set(servers.map(({ ready }) => ready["username"])).size).toBe(1);
    expect(await documentsOf("user", "list")).toHaveLength(1);
    expect(servers.filter(({ ready }) => ready["api_key"])).toHaveLength(1);
  }, 30_000);
});
