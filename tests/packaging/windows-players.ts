import { afterAll, beforeAll, describe, expect, test as bunTest } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMPILE_FLAGS } from "../../packaging/compile.ts";
import { TARGETS } from "../../packaging/targets.ts";
import { findWay, type Way } from "../../packaging/ways-to-run.ts";
import { freePort, until } from "../fixtures/clock/waiting.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { BUILD_WITHIN_MS, buildExecutable } from "../fixtures/servers/executable.ts";

/**
 * Players of Windows, read by the real executable under Wine. Wine lacks the session manager: a library
 * of these tests stands for it, as Windows' own functions call it. It takes long: `.ci/nightly`.
 */

const root = join(import.meta.dir, "../..");
const target = TARGETS.find(({ suffix }) => suffix === "windows-x64.exe");
const folder = createTempFolder();
const found = target ? await findWay(target, join(folder.path, "wine")) : { lacks: "a target" };
const way: Way | undefined = "way" in found ? found.way : undefined;
const test = testWith("lacks" in found ? found.lacks : "Wine", way !== undefined) as typeof bunTest;

const CLASSES = [
  "Windows.Media.Control.GlobalSystemMediaTransportControlsSessionManager",
  "Windows.Storage.Streams.Buffer",
];
const REGISTERED = "HKLM\\Software\\Microsoft\\WindowsRuntime\\ActivatableClassId\\";

interface Session {
  app: string;
  title: string;
  mode?: "ok" | "dead" | "hang" | "block" | "crash";
  status?: number;
  cover?: number;
}

const sessionsFile = join(folder.path, "sessions.txt");
const aliveFile = join(folder.path, "alive.txt");
const plays = (...sessions: readonly Session[]) =>
  writeFileSync(
    sessionsFile,
    sessions
      .map(({ app, title, mode = "ok", status = 4, cover = 30_000 }) =>
        [
          app,
          title,
          "Juniper Vale",
          "Slow Weather",
          status,
          12_000,
          200_000,
          Date.now(),
          cover,
          mode,
        ]
          .join("\t")
          .concat("\r\n"),
      )
      .join(""),
  );

function run(words: readonly string[], output = join(folder.path, "out.txt")) {
  if (!way) throw new Error("there is no Wine");
  return Bun.spawn([...way.before, ...words], {
    env: {
      ...process.env,
      ...way.environment,
      MARQUEE_TEST_SESSIONS: way.toPath(sessionsFile),
      MARQUEE_TEST_ALIVE: way.toPath(aliveFile),
    },
    stdin: "ignore",
    stdout: Bun.file(output),
    stderr: "ignore",
  });
}

let server: Bun.Subprocess | undefined;
let base = "";
let apiKey = "";
beforeAll(async () => {
  if (!way || !target) return;
  const library = join(folder.path, "session-manager.dll");
  const source = join(root, "tests/fixtures/media-session/session-manager.c");
  const compiler = ["x86_64-w64-mingw32-gcc", "-O1", "-shared", "-o", library, source];
  expect(Bun.spawnSync(compiler).exitCode).toBe(0);
  for (const name of CLASSES) {
    const key = [`${REGISTERED}${name}`, "/v", "DllPath", "/t", "REG_SZ"];
    const added = run(["reg", "add", ...key, "/d", way.toPath(library), "/f"]);
    expect(await added.exited).toBe(0);
  }
  plays({ app: "Spotify.exe", title: "First" });
  const program = way.toPath((await buildExecutable(target)).path);
  const data = ["--data", way.toPath(join(folder.path, "data"))];
  const port = freePort();
  base = `http://127.0.0.1:${port}`;
  const output = join(folder.path, "serve.txt");
  const settings = ["--port", String(port), "--owner", "ada", "--rate-limit-seconds", "0"];
  server = run([program, "serve", ...settings, "--open", "never", "--json", ...data], output);
  apiKey = await until(async () => {
    const answers = await fetch(`${base}/livez`).catch(() => undefined);
    const [line = ""] = readFileSync(output, "utf8").split("\n");
    return answers?.ok && line !== ""
      ? (JSON.parse(line) as { api_key: string }).api_key
      : undefined;
  });
  const connected = run([program, "connect", "ada", "windows", ...data]);
  expect(await connected.exited).toBe(0);
}, BUILD_WITHIN_MS);
afterAll(async () => {
  server?.kill("SIGINT");
  await server?.exited;
  way?.end();
  folder.remove();
});

async function titleNow(): Promise<string | undefined> {
  const response = await fetch(`${base}/api/v1/now-playing`, { headers: { "X-API-Key": apiKey } });
  const { data } = (await response.json()) as { data: { track: { name: string } } | null };
  return data?.track.name;
}
const shows = (title: string) =>
  until(async () => ((await titleNow()) === title ? true : undefined));

describe("players of Windows, read by the executable", () => {
  test("appear with their covers, in any script", async () => {
    plays({ app: "Spotify.exe", title: "紙の灯籠 ë" });
    await shows("紙の灯籠 ë");
    const response = await fetch(`${base}/api/v1/now-playing`, {
      headers: { "X-API-Key": apiKey },
    });
    expect(await response.json()).toMatchObject({
      data: {
        artist_name: "Juniper Vale",
        album: { name: "Slow Weather" },
        device: { name: "Spotify", type: "windows", volume: null },
        track: { duration_ms: 200_000 },
      },
    });
  });

  test("change within a moment, which is printed", async () => {
    const events = await fetch(`${base}/api/v1/now-playing/events`, {
      headers: { "X-API-Key": apiKey },
    });
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    const delays: number[] = [];
    for (let change = 0; change < 20; change += 1) {
      const title = `Change ${change}`;
      // At any moment of the reader's pace.
      await Bun.sleep(change * 13);
      const beganAtMs = performance.now();
      plays({ app: "Spotify.exe", title });
      for (let text = ""; !text.includes(title); text += (await reader?.read())?.value ?? "");
      delays.push(performance.now() - beganAtMs);
    }
    await reader?.cancel();
    delays.sort((a, b) => a - b);
    const [least = 0, median = 0, most = 0] = [delays[0], delays[10], delays[19]];
    console.log(`a change appears after ${[least, median, most].map(Math.round).join(", ")} ms`);
    expect(delays).toHaveLength(20);
  });

  test("that hang, have died or are not known stand in nobody's way", async () => {
    plays(
      { app: "hung.exe", title: "Hung", mode: "hang" },
      { app: "dead.exe", title: "Dead", mode: "dead" },
      { app: "Spotify.exe", title: "Still here" },
    );
    await shows("Still here");
  });

  test("that block a call delay the server by nothing that is noticed", async () => {
    plays({ app: "blocking.exe", title: "Blocking", mode: "block" });
    const slowest = { ms: 0 };
    for (let call = 0; call < 60; call += 1) {
      const beganAtMs = performance.now();
      await titleNow();
      slowest.ms = Math.max(slowest.ms, performance.now() - beganAtMs);
      await Bun.sleep(50);
    }
    console.log(`slowest answer while a call blocks: ${Math.round(slowest.ms)} ms`);
    plays({ app: "Spotify.exe", title: "After the block" });
    await shows("After the block");
  });

  test("that crash the reader take nothing along, and it is started again", async () => {
    plays({ app: "crashing.exe", title: "Crashing", mode: "crash" });
    await Bun.sleep(1_000);
    plays({ app: "Spotify.exe", title: "After the crash" });
    await shows("After the crash");
  });

  test("are read ten thousand times without anything that stays behind", async () => {
    if (!way || !target) return;
    plays({ app: "Spotify.exe", title: "Often" }, { app: "AIMP", title: "Also", status: 5 });
    const program = join(folder.path, "read-often.exe");
    const entry = join(root, "tests/fixtures/media-session/read-often.ts");
    const built = Bun.spawnSync(
      [
        process.execPath,
        "build",
        entry,
        ...COMPILE_FLAGS,
        `--target=${target.bun}`,
        `--outfile=${program}`,
      ],
      { cwd: root },
    );
    expect(built.exitCode).toBe(0);
    const output = join(folder.path, "often.txt");
    // The server's own reader asks the same library, so it is stopped first.
    server?.kill("SIGINT");
    await server?.exited;
    expect(await run([way.toPath(program), "10000"], output).exited).toBe(0);
    const text = readFileSync(output, "utf8");
    console.log(text.trim().replaceAll(/\r?\n/g, ", "));
    expect(readFileSync(aliveFile, "utf8")).toStartWith("0 10000");
    const memory = [...text.matchAll(/^memory (\d+)/gm)].map(([, megabytes]) => Number(megabytes));
    expect(memory).toHaveLength(10);
    // The first tenth is what a start takes.
    expect((memory.at(-1) ?? 0) - (memory[1] ?? 0)).toBeLessThan(16);
  }, 300_000);
});
