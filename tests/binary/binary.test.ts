import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type MarqueeProcess,
  runMarquee,
  startMarquee,
  type StartOptions,
} from "../fixtures/servers/marquee-process.ts";
import { executableFor } from "../fixtures/servers/executable.ts";
import {
  SHIPPED_FONT_FILES,
  SHIPPED_FONTS_LICENCE,
} from "../../src/overlay/fonts/shipped-font-files.ts";
import { playlist } from "../../src/sources/kinds/demo/playlist.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { signIn } from "../fixtures/http/signed-in.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { exitOf, until } from "../fixtures/clock/waiting.ts";

let folder: ReturnType<typeof createTempFolder>;
let servers: MarqueeProcess[];

const { path: executable } = executableFor();
beforeEach(() => {
  folder = createTempFolder();
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  folder.remove();
});

async function start(options: Omit<StartOptions, "folder"> = {}): Promise<MarqueeProcess> {
  const server = await startMarquee({ folder: folder.path, ...options });
  servers.push(server);
  return server;
}

const run = (...given: string[]) => runMarquee({ folder: folder.path, arguments: given });

const askAs = (server: MarqueeProcess, key: string | undefined, path = "/api/v1/now-playing") =>
  fetch(server.url + path, { headers: { "X-Api-Key": key ?? "" } });

/** Begins a request that never ends, which keeps the server from stopping at once. */
async function beginRequest(server: MarqueeProcess) {
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(server.url).port),
    socket: { open: (opened) => void opened.write("GET /livez HTTP/1.1\r\n"), data() {} },
  });
  // The system has connected it. The server takes connections in turn, so it has this one before another.
  await (await fetch(`${server.url}/livez`, { keepalive: false })).text();
  return socket;
}

const dataFile = (name: string) => join(folder.path, "marquee-data", name);

describe("a first start in an empty folder", () => {
  test("makes everything work at once", async () => {
    const server = await start();
    expect(Object.keys(server.ready)).toEqual([
      "event",
      "url",
      "username",
      "api_key",
      "widget_token",
      "widget_url",
      "login_url",
    ]);
    const playing = await (await askAs(server, server.ready["api_key"])).json();
    expect(playing.data.track.id).toStartWith("demo:");
    const cover = await fetch(playing.data.album.images[0].url);
    expect(cover.headers.get("content-type")).toBe("image/jpeg");

    const page = await (await fetch(server.ready["widget_url"] ?? "")).text();
    // Another track may have begun since the API was asked.
    expect(playlist.some(({ title }) => page.includes(Bun.escapeHTML(title)))).toBe(true);
    for (const [, path] of page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
      expect((await fetch(server.url + path)).status).toBe(200);
    }
  });

  test("has the fonts that come with Marquee, and their licence", async () => {
    const server = await start();
    for (const [id, path] of SHIPPED_FONT_FILES) {
      const font = await fetch(`${server.url}/fonts/${id}.woff2`);
      expect(await font.bytes()).toEqual(await Bun.file(path).bytes());
    }
    const licence = await fetch(`${server.url}/fonts/OFL.txt`);
    expect(await licence.text()).toBe(await Bun.file(SHIPPED_FONTS_LICENCE).text());
  });

  test("tells a link that signs a browser in, once, to pages that are all there", async () => {
    const server = await start();
    const loginUrl = server.ready["login_url"] ?? "";
    expect(loginUrl).toStartWith(`${server.url}/sign-in/mql_`);
    expect((await fetch(loginUrl)).status).toBe(200);
    const enter = () =>
      fetch(loginUrl, {
        method: "POST",
        headers: { origin: server.url },
        redirect: "manual",
      });
    const entered = await enter();
    expect(entered.status).toBe(303);
    const [cookie = ""] = (entered.headers.get("set-cookie") ?? "").split(";");
    expect((await enter()).status).toBe(404);
    for (const name of ["", "/music", "/widget", "/keys", "/privacy", "/account", "/server"]) {
      const address = `${server.url}/en/dashboard${name}`;
      const answer = await fetch(address, { headers: { cookie } });
      expect(answer.status).toBe(200);
      for (const [, path] of (await answer.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
        expect((await fetch(server.url + path)).status).toBe(200);
      }
    }
    const backup = await fetch(`${server.url}/en/dashboard/server/backup`, { headers: { cookie } });
    expect(await backup.text()).toStartWith("SQLite format 3");
  });

  test("prints a curl line that works as pasted, and the widget's address", async () => {
    const child = Bun.spawn([executable, "--port", "0"], {
      cwd: folder.path,
      // A container's first start prints less, wherever this test runs.
      env: { ...process.env, container: "", KUBERNETES_SERVICE_HOST: "" },
      stdout: "pipe",
      stderr: "ignore",
    });
    let text = "";
    for await (const bytes of child.stdout) {
      text += new TextDecoder().decode(bytes);
      if (/\/widget\/mqw_\w{38}\n/.test(text)) break;
    }
    const curl = /curl .*/.exec(text)?.[0] ?? "";
    const { stdout } = Bun.spawnSync(["sh", "-c", curl.replace("curl", "curl -s")]);
    expect(JSON.parse(stdout.toString())).toMatchObject({ success: true });
    const address = /http\S+\/en\/widget\/\S+/.exec(text)?.[0] ?? "";
    expect((await fetch(address)).status).toBe(200);
    child.kill();
    await exitOf(child);
  });

  test("keeps the database and the key to its user", async () => {
    await start();
    expect(statSync(dataFile("marquee.db")).mode & 0o777).toBe(0o600);
    expect(statSync(dataFile("secret.key")).mode & 0o777).toBe(0o600);
    expect(statSync(dataFile("")).mode & 0o777).toBe(0o700);
  });

  test("does not listen to a hostile .env and bunfig.toml beside it", async () => {
    const trace = join(folder.path, "trace");
    writeFileSync(join(folder.path, ".env"), "MARQUEE_MUSIC_PREFIX=evil\nMARQUEE_OWNER=evil\n");
    writeFileSync(
      join(folder.path, "evil.ts"),
      `await Bun.write(${JSON.stringify(trace)}, "ran");`,
    );
    writeFileSync(join(folder.path, "bunfig.toml"), 'preload = ["./evil.ts"]\n');
    const server = await start();
    expect(server.ready["username"]).not.toBe("evil");
    const user = await (await askAs(server, server.ready["api_key"], "/api/v1/user")).json();
    expect(user.data).toHaveProperty("music_connected");
    expect(existsSync(trace)).toBe(false);
  });
});

describe("a later start", () => {
  test("tells where it is and nothing secret", async () => {
    const first = await start();
    await first.stop();
    const second = await start();
    expect(Object.keys(second.ready)).toEqual(["event", "url", "username"]);
    expect((await askAs(second, first.ready["api_key"])).status).toBe(200);
  });
});

describe("commands beside a running server have taken effect when they end:", () => {
  test("a user added, a key revoked", async () => {
    const server = await start({ arguments: ["--port", "0", "--rate-limit-seconds", "0"] });
    const added = JSON.parse((await run("user", "add", "bob", "--source", "demo", "--json")).out);
    expect(added.widget_url).toStartWith(server.url);
    expect((await askAs(server, added.api_key)).status).toBe(200);
    const { id } = JSON.parse((await run("key", "list", "bob", "--json")).out);
    expect((await run("key", "revoke", "bob", id)).code).toBe(0);
    expect((await askAs(server, added.api_key)).status).toBe(401);
  });

  test("a backup, which opens as a database with the same users", async () => {
    const server = await start();
    const file = join(folder.path, "copy.db");
    const backup = await run("backup", file);
    expect(backup.out).toContain("secret.key");
    using copy = new Database(file, { readonly: true });
    expect(copy.query("SELECT name FROM users").values()).toEqual([
      [server.ready["username"] ?? ""],
    ]);
  });
});

describe("stopping", () => {
  test("ends with 0, overlays told to come back, the log folded in", async () => {
    const server = await start();
    const address = `${(server.ready["widget_url"] ?? "").replace("http", "ws")}/live`;
    const opening = Array.from({ length: 50 }, async () => {
      const socket = new WebSocket(address);
      await new Promise<void>((resolve) => {
        socket.onmessage = () => resolve();
      });
      return socket;
    });
    const sockets = await Promise.all(opening);
    const closed = sockets.map(
      (socket) =>
        new Promise<number>((resolve) => {
          socket.onclose = ({ code }) => resolve(code);
        }),
    );
    expect(await server.stop()).toBe(0);
    expect(new Set(await Promise.all(closed))).toEqual(new Set([1012]));
    expect(existsSync(dataFile("marquee.db-wal"))).toBe(false);
  });

  test("goes on to its end when it is asked for again meanwhile", async () => {
    const server = await start();
    const request = await beginRequest(server);
    const stopped = server.stop();
    await until(() => server.log().includes("stopping") || undefined);
    process.kill(server.pid, "SIGTERM");
    expect(await stopped).toBe(0);
    expect(existsSync(dataFile("marquee.db-wal"))).toBe(false);
    request.end();
  });

  test("ends for good while it begins anew with a restored backup", async () => {
    const server = await start();
    const copy = join(folder.path, "copy.db");
    expect((await run("backup", copy)).code).toBe(0);
    const get = (path: string, init?: RequestInit) =>
      fetch(server.url + path, { ...init, redirect: "manual" });
    const link = new URL(server.ready["login_url"] ?? "").pathname.split("/").at(-1) ?? "";
    const magicLinks = { issue: () => link };
    const user = { id: 1, name: server.ready["username"] ?? "" };
    const browser = await signIn({ get, accounts: { magicLinks } }, { user }, server.url);
    const request = await beginRequest(server);
    const body = new FormData();
    body.set("token", browser.formToken);
    body.set("do", "restore");
    body.set("at", "0");
    body.set("backup", Bun.file(copy));
    body.set("key", Bun.file(dataFile("secret.key")));
    const headers = { origin: server.url };
    const sent = await browser.get("/en/dashboard/restore", { method: "POST", headers, body });
    expect(sent.status).toBe(200);
    await until(() => server.log().includes("stopping") || undefined);
    const stopped = server.stop();
    request.end();
    expect(await stopped).toBe(0);
    expect(server.log()).toContain("a backup was restored");
    expect(existsSync(dataFile("restored.db"))).toBe(false);
  });

  test("by being killed, again and again while users are added, loses no user that was told", async () => {
    expect((await run("user", "add", "first")).code).toBe(0);
    const told: string[] = [];
    let rounds = 0;
    // A little later each time, until some were quick enough to tell of both.
    for (; told.length < 6; rounds++) {
      const name = `user-${rounds}`;
      const adding = Bun.spawn([executable, "user", "add", name, `${name}-b`, "--json"], {
        cwd: folder.path,
        stdout: "pipe",
        stderr: "ignore",
      });
      setTimeout(() => adding.kill("SIGKILL"), 15 + rounds * 5);
      const lines = (await new Response(adding.stdout).text()).trim().split("\n").filter(Boolean);
      told.push(...lines.map((line) => JSON.parse(line).username));
      await exitOf(adding);
    }
    const listed = await run("user", "list", "--json");
    const names = listed.out
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line).username);
    expect(names).toEqual(expect.arrayContaining(told));
    // All or none: wherever one of a pair is, the other is.
    for (let round = 0; round < rounds; round++) {
      expect(names.includes(`user-${round}`)).toBe(names.includes(`user-${round}-b`));
    }
    using database = new Database(dataFile("marquee.db"));
    expect(database.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
  });
});

describe("what cannot work is said in a sentence:", () => {
  test("every wrong setting at once", async () => {
    const finished = await runMarquee({
      folder: folder.path,
      arguments: ["--port", "99999", "--base-url", "ftp://x"],
      environment: { MARQUEE_LOG_LEVEL: "loud" },
    });
    expect(finished.code).toBe(2);
    expect(finished.error).toContain("--port");
    expect(finished.error).toContain("--base-url");
    expect(finished.error).toContain("MARQUEE_LOG_LEVEL");
    expect(existsSync(dataFile(""))).toBe(false);
  });

  test("a taken port", async () => {
    const server = await start();
    const { port } = new URL(server.url);
    const { code, out, error } = await run("--port", port, "--data", "./other-data");
    expect([code, out]).toEqual([1, ""]);
    expect(error).toMatch(/^(\S+Z \w+ .*\n)*marquee: .*\.\n$/s);
    expect(error).not.toMatch(/\bat .*:\d+:\d+/);
    expect(error).toContain(`Port ${port}`);
  });
});

testWith("root", process.getuid?.() === 0)(
  "root works as the user whom the folder belongs to, even where only root may enter",
  async () => {
    const owner = 61_234;
    const data = join(folder.path, "data");
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, owner, owner);
    const server = await start({ arguments: ["--port", "0", "--data", data] });
    expect((await askAs(server, server.ready["api_key"])).status).toBe(200);
    expect((await run("user", "add", "ada", "--data", data)).code).toBe(0);
    expect(await server.stop()).toBe(0);
    expect(statSync(folder.path).mode & 0o077).toBe(0);
    const owners = readdirSync(data).map((name) => statSync(join(data, name)).uid);
    expect(new Set(owners)).toEqual(new Set([owner]));
  },
);

test("no failure quotes anything of a request, nor where the program comes from", async () => {
  const server = await start({ arguments: ["--port", "0", "--log-level", "debug"] });
  const planted = "planted-0123456789";
  const json = { "content-type": "application/json" };
  const asked: readonly [path: string, init?: RequestInit][] = [
    ["/api/v1/user"],
    [`/api/v1/user?api_key=${planted}&api_key=${planted}`],
    [`/api/v1/${planted}`],
    ["/api/v1/user", { method: planted.slice(0, 7).toUpperCase() }],
    ["/api/v1/user", { method: "POST", headers: json, body: `{${planted}` }],
    [`/${planted}%zz`, { method: "POST", headers: json, body: `{${planted}` }],
    [`/en/dashboard?x=${planted}`, { headers: { cookie: `session=${planted}` } }],
    ["/en/dashboard", { method: "POST", headers: json, body: `{${planted}` }],
    ["/en/dashboard/live", { headers: { upgrade: planted } }],
    [`/en/widget/${planted}/live`],
    [`/xx/text/${planted}`],
    [`/in/${planted}/json`, { method: "POST", headers: json, body: `{${planted}` }],
    [`/show/${planted}%`],
    [`/en/sign-in/${planted}`, { method: "POST", body: planted }],
    [`/callback/${planted}?state=${planted}&code=${planted}`],
  ];
  for (const [path, init] of asked) {
    const answer = await fetch(server.url + path, init);
    expect(`${path} ${answer.status >= 400 && answer.status < 500}`).toBe(`${path} true`);
    const told = JSON.stringify([...answer.headers]) + (await answer.text());
    expect(told).not.toContain(planted);
    expect(told).not.toMatch(/\bat [\w.<>]+ \(|\/\$bunfs|node_modules|\.tsx?:\d/);
  }
  await server.stop();
  expect(server.log()).not.toContain(" error ");
});

test("it tells its version and helps", async () => {
  expect((await run("--version")).out).toMatch(
    /^marquee \d+\.\d+\.\d+ \(([0-9a-f]{7}(-dirty)?|from source), Bun \d+\.\d+\.\d+\)\n$/,
  );
  const help = await run("--help");
  expect(help.code).toBe(0);
  expect(help.out).toContain("Examples:");
  expect((await run("frobnicate")).code).toBe(2);
});

test("a key that could not be shown is no success", async () => {
  const { exitCode, stderr } = Bun.spawnSync(
    ["sh", "-c", `"${executable}" user add ada > /dev/full`],
    { cwd: folder.path },
  );
  expect(exitCode).toBe(1);
  expect(stderr.toString()).toContain("could not be written");
});
