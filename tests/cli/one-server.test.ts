import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  holdServerLock,
  isServerRunning,
  lookForServer,
  readRunningFacts,
  type RunningFacts,
} from "../../src/control/folder-lock.ts";
import { exitOf, inTime } from "../fixtures/clock/waiting.ts";
import { createDataFolder } from "../fixtures/data/temp-folder.ts";
import { testWith } from "../fixtures/real-parts.ts";
import {
  type MarqueeProcess,
  runMarquee,
  startMarquee,
} from "../fixtures/servers/marquee-process.ts";

const SOMEBODY = 61_234;
const testAsRoot = testWith("root", process.getuid?.() === 0);

let folder: ReturnType<typeof createDataFolder>;
let server: MarqueeProcess | undefined;

beforeEach(() => {
  folder = createDataFolder();
});
afterEach(async () => {
  await server?.kill();
  server = undefined;
  folder.remove();
});

const data = () => join(folder.path, "data");
const run = (...words: string[]) =>
  runMarquee({ folder: folder.path, arguments: [...words, "--data", data()] });
const start = async () => {
  server = await startMarquee({
    folder: folder.path,
    arguments: ["--port", "0", "--data", data()],
  });
  return server;
};

describe("a second server on a data folder", () => {
  test("never serves, whatever its port, and says who does", async () => {
    const { url, pid } = await start();
    const { code, out, error } = await run("serve", "--port", "0");
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(error).toContain(`already runs at ${url} (pid ${pid})`);
    const login = JSON.parse((await run("login", server?.ready["username"] ?? "", "--json")).out);
    expect(login.url).toStartWith(`${url}/sign-in/`);
  });

  test("opens the dashboard of the first where a person started it, and ends", async () => {
    const { url, pid } = await start();
    for (const words of [[], ["--port", "0"], ["open"]]) {
      const { code, out } = await run(...words);
      expect(code).toBe(0);
      expect(out).toContain(`already runs at ${url} (pid ${pid})`);
      expect(out).not.toContain("current folder");
      const [link = ""] = out.match(/http:\S+\/sign-in\/mql_\w{38}/) ?? [];
      expect(await (await fetch(link)).text()).toContain("<form");
    }
  });

  test("says which data these are where nobody has named the folder", async () => {
    server = await startMarquee({
      folder: folder.path,
      arguments: ["--port", "0"],
    });
    const { out } = await runMarquee({
      folder: folder.path,
      arguments: ["open"],
    });
    expect(out).toContain(`${join(folder.path, "marquee-data")}, found in the current folder`);
  });

  test("tells a program that it does not serve", async () => {
    await start();
    expect(await run("--json")).toMatchObject({ code: 1, out: "" });
    const { code, out } = await run("open", "--json");
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(out))).toEqual(["url"]);
  });
});

test("a start removes what a server has left that was killed while it copied or restored", async () => {
  mkdirSync(data());
  const left = ["marquee-copy.db", "marquee-copy.db-journal", "restored.db", "restored.db-journal"];
  for (const name of left) writeFileSync(join(data(), name), "half of one");
  await start();
  expect(left.filter((name) => existsSync(join(data(), name)))).toEqual([]);
});

describe("marquee stop", () => {
  test("ends the running server, and waits for its end", async () => {
    const { url, pid } = await start();
    const { code, out } = await run("stop", "--json");
    expect({ code, document: JSON.parse(out) }).toEqual({
      code: 0,
      document: { stopped: true, url, pid },
    });
    expect(isServerRunning(data())).toBe(false);
    expect(existsSync(join(data(), "server.json"))).toBe(false);
    expect(server?.log()).toContain("marquee stop");
    const second = await start();
    expect((await fetch(`${second.url}/livez`)).status).toBe(200);
  });

  test("needs no key, although the server's is kept elsewhere", async () => {
    const key = Buffer.alloc(32, 7).toString("base64");
    server = await startMarquee({
      folder: folder.path,
      arguments: ["--port", "0", "--data", data()],
      environment: { MARQUEE_SECRET_KEY: key },
    });
    expect(await run("stop")).toMatchObject({ code: 0, error: "" });
    expect(isServerRunning(data())).toBe(false);
  });

  test("says where no server runs", async () => {
    expect((await run("stop")).error).toContain("No Marquee runs");
    await run("user", "add", "ada");
    const { code, error } = await run("stop");
    expect(code).toBe(1);
    expect(error).toContain("No Marquee runs");
  });
});

describe("the lock of a data folder", () => {
  const facts: RunningFacts = {
    url: "http://a.test",
    listens: "127.0.0.1:1",
    pid: 7,
    version: "0.1.0",
    control: { port: 1, token: "0f" },
  };

  const script = join(import.meta.dir, "../fixtures/data/hold-server-lock.ts");
  const hold = async () => {
    const child = Bun.spawn([process.execPath, script, data()], { stdin: "pipe", stdout: "pipe" });
    const { value } = await inTime("an answer", child.stdout.getReader().read());
    return { child, answer: new TextDecoder().decode(value) };
  };

  test("is held by exactly one of many that start at once, and free however that one ends", async () => {
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      const started = await Promise.all(Array.from({ length: 6 }, hold));
      const holders = started.filter(({ answer }) => answer === "held");
      expect(holders).toHaveLength(1);
      expect(isServerRunning(data())).toBe(true);
      holders[0]?.child.kill(signal);
      await Promise.all(started.map(({ child }) => exitOf(child)));
      expect(isServerRunning(data())).toBe(false);
    }
  });

  test.each([
    ["no web page", { url: "file:///etc/hostname#" }],
    ["another program", { url: "steam://run/1?" }],
    ["a page with a user", { url: "http://ada@evil.test" }],
    ["a page with a query", { url: "http://127.0.0.1:1/?next=" }],
    ["an address with a path to listen at", { listens: "127.0.0.1:1/x" }],
    ["a user's address to listen at", { listens: "127.0.0.1@evil.test:1" }],
    ["a text for a number", { pid: "7" }],
    ["no place for commands", { control: { port: 1 } }],
  ])("tells nothing where %s was published", (_, changes) => {
    mkdirSync(data());
    writeFileSync(join(data(), "server.json"), JSON.stringify({ ...facts, ...changes }));
    expect(readRunningFacts(data())).toBeUndefined();
  });

  testAsRoot("is not believed, nor what is published beside it, when another user made it", () => {
    const lock = holdServerLock(data());
    lock?.publish(facts);
    chownSync(join(data(), "server.json"), SOMEBODY, SOMEBODY);
    expect(readRunningFacts(data())).toBeUndefined();
    lock?.release();
    chownSync(join(data(), "server.lock"), SOMEBODY, SOMEBODY);
    expect(lookForServer(data())).toBe("unknown");
    expect(() => holdServerLock(data())).toThrow("belongs to another user");
  });

  test("is missed with one warning where the folder cannot be locked", async () => {
    mkdirSync(join(data(), "server.lock"), { recursive: true });
    expect(lookForServer(data())).toBe("unknown");
    await start();
    expect(server?.log().match(/cannot be locked/g)).toHaveLength(1);
  });

  test("tells what was published, and no longer after its end", () => {
    const lock = holdServerLock(data());
    expect(holdServerLock(data())).toBeUndefined();
    expect(readRunningFacts(data())).toBeUndefined();
    lock?.publish(facts);
    expect(readRunningFacts(data())).toEqual(facts);
    lock?.release();
    expect(readRunningFacts(data())).toBeUndefined();
  });
});
