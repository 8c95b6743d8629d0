import { afterEach, beforeEach, describe, expect } from "bun:test";
import { join } from "node:path";
import packageJson from "../../package.json";
import { compile } from "../../packaging/compile.ts";
import { tryAll } from "../../packaging/release.ts";
import { releaseName, TARGETS } from "../../packaging/targets.ts";
import { findWay } from "../../packaging/ways-to-run.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { testWith } from "../fixtures/real-parts.ts";

/** The executables for other machines, under an emulator or Wine. It takes long: `.ci/nightly`. */

const root = join(import.meta.dir, "../..");
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
        await compile({ root, outfile: path, commit: undefined, target: target.bun });
        let table = "";
        const code = await tryAll([{ target, path }], (text) => void (table += text));
        expect(table).toMatch(/^marquee-\S+ +works +\S/);
        expect(table).toMatch(/stopped by SIG(TERM|INT), [\d.]+ s$/m);
        expect(code).toBe(0);
      },
      // Another platform's Bun may have to be fetched first.
      240_000,
    );
  }
});
