import { afterAll, beforeAll, describe, expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { windowsSetup } from "../../../packaging/windows/setup.ts";
import { until } from "../../fixtures/clock/waiting.ts";
import { makePackage, MADE_AT, smallProgram } from "../../fixtures/packaging/packages.ts";
import { startWine, WINDOWS, type Wine } from "../../fixtures/packaging/wine.ts";
import { buildExecutable, BUILD_WITHIN_MS } from "../../fixtures/servers/executable.ts";
import { testWith } from "../../fixtures/real-parts.ts";

/** The setup program with the real executable, under Wine. It takes long: `.ci/nightly`. */

const UNINSTALL = "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\Marquee";
const RUN = "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run";

let wine: Wine | undefined;
let lack = "makensis";
if (Bun.which("makensis")) {
  const found = await startWine();
  if ("wine" in found) ({ wine } = found);
  else lack = found.lacks;
}

const equalFiles = async (one: string, other: string): Promise<boolean> =>
  Bun.hash(await Bun.file(one).bytes()) === Bun.hash(await Bun.file(other).bytes());

describe("the setup program under Wine", () => {
  let real: string;
  let setup: string;
  let otherSetup: string;
  let other: string;
  beforeAll(async () => {
    if (!wine) return;
    const { folder } = wine;
    real = (await buildExecutable(WINDOWS)).path;
    const contents = { version: "1.2.3", madeAt: MADE_AT, program: real };
    setup = await makePackage(windowsSetup("x64", "zlib"), contents, folder);
    const small = smallProgram(folder, "1.2.4");
    other = small.program;
    otherSetup = await makePackage(windowsSetup("x64", "zlib"), small, folder);
    await wine.run(["reg.exe", "query", "HKCU"]);
  }, BUILD_WITHIN_MS);
  afterAll(() => wine?.end());

  testWith(lack, wine !== undefined)(
    "installs, also over a server that runs, and uninstalls without the data",
    async () => {
      if (!wine) return;
      const { inProfile } = wine;
      const run = (...command: string[]) => wine.run(command);
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
