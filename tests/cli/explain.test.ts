import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { explain } from "../../src/cli/explain.ts";
import { writeWhole } from "../../src/own-file.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { testWith } from "../fixtures/real-parts.ts";

let folder: ReturnType<typeof createTempFolder>;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => folder.remove());

/** What a command says that ends so. */
function saidOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return explain(error).message;
  }
  throw new Error("nothing went wrong");
}

describe("a command that ends by an error of the system", () => {
  test("names the file or folder and what is wrong with it, not the database", () => {
    const file = join(folder.path, "file");
    writeFileSync(file, "");
    const inFile = join(file, "autostart");
    expect(saidOf(() => mkdirSync(inFile))).toBe(
      `${inFile} cannot be used: there is a file where the folder should be.`,
    );
    const inUse = join(folder.path, "folder");
    mkdirSync(inUse);
    for (const work of [() => writeFileSync(inUse, ""), () => renameSync(file, inUse)]) {
      expect(saidOf(work)).toBe(
        `${inUse} cannot be used: there is a folder where the file should be.`,
      );
    }
  });

  testWith("tmpfs", process.getuid?.() === 0 && process.platform === "linux")(
    "names the file that a full disk did not take",
    () => {
      const disk = join(folder.path, "disk");
      mkdirSync(disk);
      const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk]);
      expect(mounted.exitCode).toBe(0);
      try {
        const path = join(disk, "file");
        expect(saidOf(() => writeWhole(path, "a".repeat(100_000)))).toBe(
          `${path} cannot be used: the disk is full.`,
        );
      } finally {
        Bun.spawnSync(["umount", "-l", disk]);
      }
    },
  );

  test("says what the system says, where that is rare", () => {
    const refused = Object.assign(new Error("Unable to connect"), { code: "ConnectionRefused" });
    expect(explain(refused).message).toBe("Something unexpected went wrong: Unable to connect");
  });

  test("speaks of the database where SQLite has failed", () => {
    expect(saidOf(() => new Database(join(folder.path, "none", "x.db")))).toContain("database");
  });
});
