import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json";
import { verifyMacho } from "../../packaging/macos/macho.ts";
import { tryAll } from "../../packaging/try-out.ts";
import { isForMac, releaseName, TARGETS } from "../../packaging/targets.ts";
import { findWay } from "../../packaging/ways-to-run.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { readSignature } from "../fixtures/packaging/macho.ts";
import { buildExecutable, BUILD_WITHIN_MS } from "../fixtures/servers/executable.ts";
import { testWith } from "../fixtures/real-parts.ts";

/**
 * The executables for other machines, under an emulator or Wine, and the signatures of those for
 * macOS. It takes long, and their Bun may have to be fetched first: `.ci/nightly`.
 */

/** How the UUID of every program that Bun makes for macOS begins. */
const UUID_OF_BUN = "4c4c44";
const SUFFIXES = ["linux-arm64", "windows-x64.exe"];
const candidates = await Promise.all(
  TARGETS.filter(({ suffix }) => SUFFIXES.includes(suffix)).map(async (target) => {
    const workplace = createTempFolder();
    const found = await findWay(target, workplace.path);
    workplace.remove();
    return { target, lack: "lacks" in found ? found.lacks : undefined };
  }),
);

let folder: ReturnType<typeof createTempFolder>;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => folder.remove());

describe("an executable for another machine", () => {
  for (const { target, lack } of candidates) {
    testWith(lack ?? target.suffix, lack === undefined)(
      `starts, answers, shows the overlay and stops: ${target.suffix}`,
      async () => {
        const path = join(folder.path, releaseName(packageJson.version, target));
        copyFileSync((await buildExecutable(target)).path, path);
        let table = "";
        const code = await tryAll([{ target, path }], (text) => void (table += text));
        expect(table).toMatch(/^marquee-\S+ +works +\S/);
        expect(table).toMatch(/stopped by SIG(TERM|INT), [\d.]+ s$/m);
        expect(code).toBe(0);
      },
      BUILD_WITHIN_MS,
    );
  }

  const windows = candidates.find(({ target }) => target.suffix === "windows-x64.exe");
  testWith(windows?.lack ?? "Wine", windows !== undefined && windows.lack === undefined)(
    "runs on without a window after a double click on Windows, once, until it is stopped",
    async () => {
      if (!windows) return;
      const path = (await buildExecutable(windows.target)).path;
      const found = await findWay(windows.target, folder.path);
      if (!("way" in found)) throw new Error(found.lacks);
      const { way } = found;
      const data = way.toPath(join(folder.path, "data"));
      const out = join(folder.path, "out.txt");
      /** Without a pipe: the server in the background would keep it open. */
      const run = async (...words: string[]) => {
        const child = Bun.spawn([...way.before, way.toPath(path), ...words, "--data", data], {
          env: { ...process.env, ...way.environment },
          stdin: "ignore",
          stdout: Bun.file(out),
          stderr: "ignore",
        });
        const code = await child.exited;
        return { code, out: await Bun.file(out).text() };
      };
      try {
        // Wine sets up its folder first.
        await run("config");
        const first = await run("--port", "0");
        expect(first.code).toBe(0);
        const [, url = ""] = /runs at (http:\S+) /.exec(first.out) ?? [];
        expect((await fetch(`${url}/livez`)).status).toBe(200);
        expect((await run("--port", "0")).out).toContain(`already runs at ${url} `);
        expect((await run("autostart", "on")).code).toBe(0);
        expect((await run("autostart", "status")).out).toStartWith("on");
        expect((await run("autostart", "off")).code).toBe(0);
        expect((await run("autostart", "status")).out).toStartWith("off");
        expect((await run("stop")).code).toBe(0);
        expect((await run("stop")).code).toBe(1);
      } finally {
        way.end();
      }
    },
    BUILD_WITHIN_MS,
  );

  for (const target of TARGETS.filter(({ bun }) => isForMac(bun))) {
    test(
      `is signed, page by page: ${target.suffix}`,
      async () => {
        const program = await Bun.file((await buildExecutable(target)).path).bytes();
        expect(() => verifyMacho(program)).not.toThrow();
        const { identifier, uuid, pages, pageHashes } = readSignature(program);
        expect(identifier).toBe("marquee");
        expect(uuid).not.toStartWith(UUID_OF_BUN);
        expect(pages.length).toBeGreaterThan(10_000);
        expect(pages.filter((hash, index) => hash !== pageHashes[index])).toEqual([]);
        program[program.length >> 1] = (program[program.length >> 1] ?? 0) ^ 1;
        expect(() => verifyMacho(program)).toThrow(/the hashes of 1 of/);
      },
      BUILD_WITHIN_MS,
    );
  }
});
