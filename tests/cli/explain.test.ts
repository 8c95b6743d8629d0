import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { explain } from "../../src/cli/explain.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";

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

  test("says what the system says, where that is rare", () => {
    const refused = Object.assign(new Error("Unable to connect"), { code: "ConnectionRefused" });
    expect(explain(refused).message).toBe("Something unexpected went wrong: Unable to connect");
  });

  test("speaks of the database where SQLite has failed", () => {
    expect(saidOf(() => new Database(join(folder.path, "none", "x.db")))).toContain("database");
  });
});
