/** Commands and a real server on one data folder. */
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  spyOn,
  test,
} from "bun:test";
import { chmodSync, chownSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolveConfig } from "../../src/config.ts";
import { systemClock } from "../../src/clock.ts";
import { openServedFolder } from "../../src/control/data-folder.ts";
import { run } from "../../src/cli/run.ts";
import { askServer } from "../../src/control/client.ts";
import {
  holdServerLock,
  readRunningFacts,
  type RunningFacts,
} from "../../src/control/folder-lock.ts";
import { MOST_COMMANDS } from "../../src/control/server.ts";
import { VERSION } from "../../src/version.ts";
import { newSecretKey } from "../../src/vault/secret-key-files.ts";
import { freePort, inTime, until } from "../fixtures/clock/waiting.ts";
import { writersOf } from "../fixtures/data/opened-files.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { testWith } from "../fixtures/real-parts.ts";
import {
  type MarqueeProcess,
  runMarquee,
  startMarquee,
} from "../fixtures/servers/marquee-process.ts";
import { startTwitch } from "../fixtures/twitch/twitch.ts";

const testOnLinux = testWith("Linux", process.platform === "linux");
const testAsRoot = testWith("root", process.getuid?.() === 0);

let folder: ReturnType<typeof createDataFolder>;
let ends: (() => unknown)[];
beforeEach(() => {
  folder = createDataFolder();
  ends = [];
});
afterEach(async () => {
  for (const end of ends.toReversed()) await end();
  folder.remove();
});

interface Said {
  readonly code: number;
  readonly out: string[];
  readonly errors: string[];
}

/** Carries a command out in this process. */
async function marquee(
  data: string,
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<Said> {
  const [out, errors]: [string[], string[]] = [[], []];
  const code = await run(words, {
    environment: { MARQUEE_DATA: data, ...environment },
    out: (line) => void out.push(line),
    error: (line) => void errors.push(line),
  });
  return { code, out, errors };
}

const start = (
  data: string,
  given: readonly string[] = [],
  environment: Record<string, string> = {},
) =>
  startMarquee({
    folder: join(data, ".."),
    arguments: ["--port", "0", "--data", data, ...given],
    environment,
  });

/** A server of one test. */
async function startHere(given: readonly string[] = [], environment: Record<string, string> = {}) {
  const data = join(folder.path, "data");
  const server = await start(data, given, environment);
  ends.push(() => server.kill());
  return { data, server };
}

/** A listener that notes what it is sent, and answers everything with this status. */
function listenAt(port: number, status = 200): { readonly port: number; readonly sent: string[] } {
  const sent: string[] = [];
  const listener = Bun.serve({
    hostname: "127.0.0.1",
    port,
    async fetch(request) {
      sent.push(`${request.url} ${await request.text()}`);
      return new Response("", { status });
    },
  });
  ends.push(() => listener.stop(true));
  return { port: listener.port ?? 0, sent };
}

describe("with a server that runs,", () => {
  let shared: ReturnType<typeof createDataFolder>;
  let data: string;
  let server: MarqueeProcess;
  let lastFm: ReturnType<typeof Bun.serve>;
  const asked: string[] = [];

  beforeAll(async () => {
    shared = createDataFolder();
    data = join(shared.path, "data");
    lastFm = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(request) {
        asked.push(request.url);
        return Response.json({ recenttracks: { track: [] } });
      },
    });
    server = await start(data, ["--owner", "ada", "--log-level", "debug"], {
      MARQUEE_PLAYER_HOSTS: "127.0.0.1",
      MARQUEE_LASTFM_API_KEY: "key-of-the-server",
      MARQUEE_LASTFM_API_URL: `http://127.0.0.1:${lastFm.port}`,
      MARQUEE_BASE_URL: "http://music.test",
    });
  });
  afterAll(async () => {
    await server.kill();
    await lastFm.stop(true);
    shared.remove();
  });

  test("a command asks it although the environment names a proxy, which gets nothing", async () => {
    const proxy = listenAt(0);
    const url = `http://127.0.0.1:${proxy.port}`;
    const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"];
    const ran = await runMarquee({
      folder: shared.path,
      arguments: ["connect", "ada", "vlc", "--url", "http://127.0.0.1:9", "--password", "sesame"],
      environment: {
        ...Object.fromEntries(names.map((name) => [name, url])),
        NODE_USE_ENV_PROXY: "1",
        MARQUEE_DATA: data,
      },
    });
    expect(ran).toMatchObject({ code: 0, out: "VLC was added.\n" });
    expect(proxy.sent).toEqual([]);
  });

  test("settings that were given with a command have no effect, and it says so", async () => {
    const given = ["--base-url", "http://other.test", "--secret-key", newSecretKey()];
    const { code, out, errors } = await marquee(data, ["login", "ada", ...given]);
    expect(code).toBe(0);
    expect(out.join()).toContain("http://music.test/");
    expect(errors).toEqual([
      "Note: --base-url, --secret-key had no effect: the running server does this with its own settings.",
    ]);
    expect((await marquee(data, ["login", "ada", "--data", data])).errors).toEqual([]);
  });

  test("doctor finds no problem in a setting that had no effect", async () => {
    const { out, errors } = await marquee(data, [
      "doctor",
      "--json",
      "--base-url",
      "http://other.test",
    ]);
    expect(JSON.parse(out.join())).toMatchObject({ problem: null });
    expect(errors.join()).toContain("--base-url had no effect");
  });

  test("hook test is judged by the server's --player-hosts, and not by the caller's", async () => {
    const program = listenAt(0);
    const address = `http://127.0.0.1:${program.port}/DoAction`;
    const added = await marquee(data, ["hook", "add", "ada", address, "--json"]);
    expect(added.errors).toEqual([]);
    const { id } = JSON.parse(added.out.join());
    const tested = await marquee(data, ["hook", "test", "ada", String(id)]);
    expect(tested).toEqual({ code: 0, out: ["The address answered 200."], errors: [] });
    expect(program.sent).toHaveLength(1);

    const other = await marquee(data, ["hook", "add", "ada", "http://192.168.7.7/x"], {
      MARQUEE_PLAYER_HOSTS: "192.168.7.7",
    });
    expect(other.errors.join()).toContain("only if it was started with --player-hosts 192.168.7.7");
  });

  test("connect tries the source with the server's key and address, and not the caller's", async () => {
    const { code, errors } = await marquee(data, ["connect", "ada", "lastfm", "--user", "ada"], {
      MARQUEE_LASTFM_API_KEY: "key-of-the-caller",
      MARQUEE_LASTFM_API_URL: "http://127.0.0.1:9",
    });
    expect({ code, errors }).toEqual({ code: 0, errors: [] });
    expect(asked[0]).toContain("api_key=key-of-the-server");
    const [list] = (await marquee(data, ["user", "list", "--json"])).out;
    const { connections } = JSON.parse(list ?? "");
    const connected = connections.find(({ source }: { source: string }) => source === "lastfm");
    expect(connected.health.state).toBe("ok");
  });

  test.each(["nothing like that", "constructor", "__proto__", ""])(
    "a command that this version does not have, such as %j, is refused with what to do",
    async (command) => {
      const server = readRunningFacts(data);
      if (!server) throw new Error("it does not run");
      const errors: string[] = [];
      const lines = {
        out: (line: string) => void errors.push(line),
        error: (line: string) => void errors.push(line),
      };
      const code = await askServer(
        server,
        { command, texts: {}, asJson: true },
        lines,
        systemClock,
      );
      expect({ code, errors }).toEqual({
        code: 2,
        errors: [
          `marquee: The running server is Marquee ${VERSION} and does not know ${JSON.stringify(command)}. Use the same version for both.`,
        ],
      });
    },
  );

  test("no command, log or document shows the token", async () => {
    const token = readRunningFacts(data)?.control.token ?? "";
    expect(token).toMatch(/^[\da-f]{64}$/);
    const said = [];
    for (const line of [
      "user list",
      "key list nobody",
      "secret rotate --json",
      "doctor",
      "doctor --json",
      "config --json",
      "open --json",
      "serve --port 0",
      "hook test ada 99",
    ]) {
      said.push(await marquee(data, line.split(" ")));
    }
    const all = [JSON.stringify(said), server.log(), JSON.stringify(server.ready)].join("\n");
    expect(all).not.toContain(token);
    const listens = readRunningFacts(data)?.listens ?? "";
    const pages = ["/", "/livez", "/readyz", "/en/docs"].map(async (path) =>
      (await fetch(`http://${listens}${path}`)).text(),
    );
    expect((await Promise.all(pages)).join("\n")).not.toContain(token);
  });
});

describe("a command of which nobody waits for the end", () => {
  test("gives its place back: a chat link that is broken off", async () => {
    const twitch = startTwitch({ clock: systemClock });
    ends.push(() => twitch.stop());
    const { data } = await startHere([
      ...["--owner", "ada", "--twitch-id-url", twitch.idUrl, "--twitch-api-url", twitch.apiUrl],
      ...["--twitch-client-id", twitch.clientId],
    ]);
    const words = [...["--data", data], "chat", "link", "ada"];
    const main = join(import.meta.dir, "../../src/main.ts");
    const child = Bun.spawn([process.execPath, main, ...words], {
      cwd: join(import.meta.dir, "../.."),
      stdout: "pipe",
      stderr: "ignore",
    });
    const { value } = await inTime("the code", child.stdout.getReader().read());
    expect(new TextDecoder().decode(value)).toContain("Now agree on Twitch");
    child.kill("SIGINT");
    await child.exited;

    const place = readRunningFacts(data);
    if (!place) throw new Error("it does not run");
    const link = { command: "chat link", texts: { user: "ada" }, asJson: true };
    const begun = Array.from({ length: MOST_COMMANDS }, () => {
      const { promise, resolve } = Promise.withResolvers<string>();
      const lines = { out: resolve, error: resolve };
      askServer(place, link, lines, systemClock).catch((error) => resolve(String(error)));
      return inTime("a code", promise);
    });
    for (const line of await Promise.all(begun)) expect(line).toStartWith('{"code":');
    const oneMore = askServer(place, link, { out() {}, error() {} }, systemClock);
    await expect(oneMore).rejects.toThrow("busy");
  });
});

describe("where a server was,", () => {
  test("a command works by itself, and whoever took the place of a killed one gets nothing", async () => {
    const { data, server } = await startHere(["--owner", "ada"]);
    const port = readRunningFacts(data)?.control.port ?? 0;
    await server.kill();
    const other = listenAt(port);
    const { code, out } = await marquee(data, ["user", "list"]);
    expect({ code, isListed: out.join().includes("ada") }).toEqual({ code: 0, isListed: true });
    expect(other.sent).toEqual([]);
    expect(readRunningFacts(data)).toBeUndefined();
  });

  const facts = (control: RunningFacts["control"]): RunningFacts => ({
    url: "http://music.test",
    listens: "127.0.0.1:9",
    pid: 7,
    version: "0.0.1",
    control,
  });

  /** A folder with data that another process holds, which has written that it takes commands there. */
  async function held(port: number) {
    const data = join(folder.path, "data");
    await marquee(data, ["user", "add", "ada"]);
    const lock = holdServerLock(data);
    lock?.publish(facts({ port, token: "0f" }));
    return { data, release: () => lock?.release() };
  }

  test("a command waits for the end of a server that takes no commands any more, and works by itself", async () => {
    const { data, release } = await held(freePort());
    const sleep = spyOn(Bun, "sleep").mockImplementation(async () => release());
    ends.push(() => sleep.mockRestore());
    expect(await marquee(data, ["user", "list"])).toMatchObject({ code: 0, errors: [] });
    expect(sleep).toHaveBeenCalledTimes(1);
  });

  test("a command looks again where its token is another's by now", async () => {
    const port = freePort();
    const { data, release } = await held(port);
    const listener = Bun.serve({
      hostname: "127.0.0.1",
      port,
      fetch() {
        release();
        return new Response("", { status: 401 });
      },
    });
    ends.push(() => listener.stop(true));
    expect(await marquee(data, ["user", "list"])).toMatchObject({ code: 0, errors: [] });
  });

  test("stop is done where the server ends before it has answered", async () => {
    const port = freePort();
    const { data, release } = await held(port);
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port,
      socket: {
        data(socket) {
          socket.terminate();
          release();
        },
      },
    });
    ends.push(() => listener.stop(true));
    const { code, out } = await marquee(data, ["stop"]);
    expect({ code, out }).toEqual({ code: 0, out: ["Marquee at http://music.test has stopped."] });
  });

  test("one that starts waits for a command that is not done yet", async () => {
    const data = join(folder.path, "data");
    const lock = holdServerLock(data);
    const sleep = spyOn(Bun, "sleep").mockImplementation(async () => lock?.release());
    ends.push(() => sleep.mockRestore());
    const opened = await openServedFolder(resolveConfig({ data }, {}).config);
    expect(sleep).toHaveBeenCalledTimes(1);
    expect(opened.lock.isHeld).toBe(true);
    opened.store.close();
    opened.lock.release();
  });
});

describe("in a folder that cannot be locked,", () => {
  let data: string;
  let server: MarqueeProcess;
  beforeEach(async () => {
    mkdirSync(join(folder.path, "data", "server.lock"), { recursive: true });
    ({ data, server } = await startHere(["--owner", "ada"]));
  });

  testOnLinux("a server that runs is asked, even one that hangs", async () => {
    const added = await marquee(data, ["key", "add", "ada", "--json"]);
    const headers = { "X-Api-Key": JSON.parse(added.out.join()).api_key };
    expect((await fetch(`${server.url}/api/v1/user`, { headers })).status).toBe(200);

    process.kill(server.pid, "SIGSTOP");
    const waiting = marquee(data, ["key", "add", "ada", "--name", "waiting"]);
    const place = join(data, "marquee.db");
    await Promise.race([waiting, until(() => (isConnectedTo(data) ? true : undefined))]);
    expect(writersOf(place)).toEqual([server.pid]);
    process.kill(server.pid, "SIGCONT");
    expect((await waiting).code).toBe(0);
  });

  test("a server that runs is stopped, and one that was killed is not taken for another process", async () => {
    const facts = readRunningFacts(data);
    const stopped = [`Marquee at ${server.url} has stopped.`];
    expect(await marquee(data, ["stop"])).toEqual({ code: 0, out: stopped, errors: [] });
    await until(() => (server.isRunning() ? undefined : true));
    writeFileSync(join(data, "server.json"), JSON.stringify({ ...facts, pid: process.pid }));
    const { code, errors } = await marquee(data, ["stop"]);
    expect(code).toBe(1);
    expect(errors.join()).toContain("No Marquee runs");
  });

  test("a command works by itself where the server was killed, whoever has its number by now", async () => {
    await server.kill();
    expect(await marquee(data, ["user", "list"])).toMatchObject({ code: 0, errors: [] });
    const facts = readRunningFacts(data);
    writeFileSync(join(data, "server.json"), JSON.stringify({ ...facts, pid: process.pid }));
    expect(await marquee(data, ["user", "list"])).toMatchObject({ code: 0, errors: [] });
  });
});

/** Whether a connection to the server's listener for commands is open. */
function isConnectedTo(data: string): boolean {
  const port = (readRunningFacts(data)?.control.port ?? 0)
    .toString(16)
    .toUpperCase()
    .padStart(4, "0");
  const connected = new RegExp(`^ *\\d+: \\S+ \\w+:${port} 01 `, "m");
  return connected.test(readFileSync("/proc/net/tcp", "utf8"));
}

describe("what a server has written is believed", () => {
  const [USER, OTHER] = [61_234, 61_236];

  testAsRoot.each([
    ["root", 0, 0, true],
    ["root, of another user's", 0, OTHER, false],
    ["a user", USER, USER, true],
    ["a user, of root's", USER, 0, true],
    ["a user, of another user's", USER, OTHER, false],
  ] as const)("by %s, or not", (_, reader, writer, isBelieved) => {
    const file = join(folder.path, "server.json");
    const control = { port: 1, token: "0f" };
    const written = { url: "http://a.test", listens: "127.0.0.1:1", pid: 7, version: "1", control };
    writeFileSync(file, JSON.stringify(written));
    chmodSync(folder.path, 0o777);
    chmodSync(file, 0o644);
    chownSync(file, writer, writer);
    process.seteuid?.(reader);
    try {
      expect(readRunningFacts(folder.path) !== undefined).toBe(isBelieved);
    } finally {
      process.seteuid?.(0);
    }
  });
});

test("doctor says at once that a server hangs", async () => {
  const { data, server } = await startHere(["--owner", "ada"]);
  process.kill(server.pid, "SIGSTOP");
  const { code, out } = await marquee(data, ["doctor", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(out.join())).toMatchObject({
    server: { running: true, pid: server.pid, answers: false },
    problem: "The running server does not answer. End its process if it hangs.",
  });
});

describe("a full disk", () => {
  testAsRoot("is named by a command, which works when there is room again", async () => {
    const disk = join(folder.path, "data");
    Bun.spawnSync(["mkdir", "-m", "700", disk]);
    const options = ["-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", disk];
    if (!Bun.spawnSync(["mount", ...options]).success) throw new Error("nothing can be mounted");
    ends.push(() => Bun.spawnSync(["umount", "-l", disk]));
    const { data } = await startHere(["--owner", "ada"]);
    const { bavail, bsize } = statfsSync(data);
    writeFileSync(join(data, "filler"), new Uint8Array((bavail - 1) * bsize));
    const names = Array.from({ length: 100 }, (_, at) => `full-${at}`);
    const full = await marquee(data, ["user", "add", ...names]);
    expect(full).toEqual({
      code: 1,
      out: [],
      errors: [`marquee: The disk that holds ${data}/marquee.db is full. Make room and try again.`],
    });
    Bun.spawnSync(["rm", join(data, "filler")]);
    const { code, out } = await marquee(data, ["user", "add", ...names, "--json"]);
    expect({ code, added: out.length }).toEqual({ code: 0, added: 100 });
  });
});
