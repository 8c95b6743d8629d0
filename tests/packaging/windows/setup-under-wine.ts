import { afterAll, beforeAll, describe, expect } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { TARGETS } from "../../../packaging/targets.ts";
import { findWay, type Way } from "../../../packaging/ways-to-run.ts";
import { windowsSetup } from "../../../packaging/windows/setup.ts";
import { until } from "../../fixtures/clock/waiting.ts";
import { createTempFolder } from "../../fixtures/data/temp-folder.ts";
import { makePackage, MADE_AT, smallProgram } from "../../fixtures/packaging/packages.ts";
import { buildExecutable, BUILD_WITHIN_MS } from "../../fixtures/servers/executable.ts";
import { testWith } from "../../fixtures/real-parts.ts";

/** The setup program with the real executable, under Wine. It takes long: `.ci/nightly`. */

const target = TARGETS.find(({ suffix }) => suffix === "windows-x64.exe");
const UNINSTALL = "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\Marquee";
const RUN = "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run";

let folder: ReturnType<typeof createTempFolder>;
let way: Way | undefined;
let lack = "makensis";
if (target && Bun.which("makensis")) {
  folder = createTempFolder();
  const found = await findWay(target, folder.path);
  if ("way" in found) way = found.way;
  else lack = found.lacks;
}

/** Runs a Windows program in an empty folder, without a pipe, which a server would keep open. */
async function run(...command: string[]): Promise<{ code: number; out: string }> {
  if (!way) throw new Error(lack);
  // A file of its own: Bun writes over what was in it, and leaves the rest.
  const out = join(folder.path, `out-${crypto.randomUUID()}.txt`);
  const cwd = join(folder.path, "empty");
  mkdirSync(cwd, { recursive: true });
  const child = Bun.spawn([...way.before, ...command], {
    cwd,
    env: { ...process.env, ...way.environment },
    stdin: "ignore",
    stdout: Bun.file(out),
    stderr: "ignore",
  });
  return { code: await child.exited, out: await Bun.file(out).text() };
}

/** Where a file of the user's profile is, such as `Local/Marquee`. */
function inProfile(path: string): string {
  const users = join(way?.environment["WINEPREFIX"] ?? "", "drive_c", "users");
  const [appData] = new Bun.Glob("*/AppData").scanSync({ cwd: users, onlyFiles: false });
  return join(users, appData ?? "", path);
}

const equalFiles = async (one: string, other: string): Promise<boolean> =>
  Bun.hash(await Bun.file(one).bytes()) === Bun.hash(await Bun.file(other).bytes());

describe("the setup program under Wine", () => {
  let real: string;
  let setup: string;
  let otherSetup: string;
  let other: string;
  beforeAll(async () => {
    if (!way) return;
    real = (await buildExecutable(target)).path;
    const contents = { version: "1.2.3", madeAt: MADE_AT, program: real };
    setup = await makePackage(windowsSetup("zlib"), contents, folder.path);
    const small = smallProgram(folder.path, "1.2.4");
    other = small.program;
    otherSetup = await makePackage(windowsSetup("zlib"), small, folder.path);
    await run("reg.exe", "query", "HKCU");
  }, BUILD_WITHIN_MS);
  afterAll(() => {
    way?.end();
    folder?.remove();
  });

  testWith(lack, way !== undefined)(
    "installs, also over a server that runs, and uninstalls without the data",
    async () => {
      if (!way) return;
      const installed = inProfile("Local/Programs/Marquee");
      const program = join(installed, "marquee.exe");
      const entry = inProfile("Roaming/Microsoft/Windows/Start Menu/Programs/Marquee.lnk");
      const registry = async () => (await run("reg.exe", "query", UNINSTALL)).out;

      expect((await run(setup, "/S")).code).toBe(0);
      expect(await equalFiles(program, real)).toBe(true);
      expect(Buffer.from(await Bun.file(entry).bytes()).toString("utf16le")).toContain("open");
      const told = await registry();
      expect(told).toMatch(/DisplayName +REG_SZ +Marquee\r?\n/);
      expect(told).toMatch(/DisplayVersion +REG_SZ +1\.2\.3\r?\n/);
      expect(told).toMatch(/Publisher +REG_SZ +Marquee contributors\r?\n/);
      expect(told).toMatch(/DisplayIcon +REG_SZ +.*\\Programs\\Marquee\\marquee\.exe\r?\n/);
      const kibibytes = Math.ceil(Bun.file(real).size / 1_024);
      expect(told).toMatch(
        new RegExp(`EstimatedSize +REG_DWORD +0x${kibibytes.toString(16)}\r?\n`),
      );

      const [, url = ""] =
        /runs at (http:\S+) /.exec((await run(program, "--port", "0")).out) ?? [];
      const isAlive = async () => (await fetch(`${url}/livez`)).ok;
      expect(await isAlive()).toBe(true);
      await run(program, "autostart", "on");
      expect((await run("reg.exe", "query", RUN)).out).toContain("Marquee");

      // The server runs on from the renamed program, and from the twice renamed one.
      expect((await run(otherSetup, "/S")).code).toBe(0);
      expect(await equalFiles(program, other)).toBe(true);
      expect(await registry()).toContain("1.2.4");
      expect(await isAlive()).toBe(true);
      expect((await run(setup, "/S")).code).toBe(0);
      expect(await equalFiles(program, real)).toBe(true);
      expect(await equalFiles(`${program}.old`, other)).toBe(true);
      expect(await isAlive()).toBe(true);

      // It goes on from a copy of itself, so that it can remove itself.
      await run(join(installed, "uninstall.exe"), "/S");
      await until(async () => !(await registry()).includes("DisplayName") || undefined);
      await expect(fetch(`${url}/livez`)).rejects.toThrow();
      expect(existsSync(installed)).toBe(false);
      expect(existsSync(entry)).toBe(false);
      expect((await run("reg.exe", "query", RUN)).out).not.toContain("Marquee");
      expect(existsSync(inProfile("Local/Marquee/marquee.db"))).toBe(true);
    },
    BUILD_WITHIN_MS,
  );
});
