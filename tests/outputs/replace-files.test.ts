import { afterEach, beforeEach, expect, test } from "bun:test";
import { lchownSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { replaceFiles } from "../../src/outputs/replace-files.ts";
import { mistakeIn } from "../fixtures/data/file-reader.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";
import { isThorough } from "../fixtures/thorough.ts";

const AT = new Date(1_795_000_000_000);
const SOMEBODY = 61_234;

let folder: ReturnType<typeof createTempFolder>;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => folder.remove());

/** Fails as Windows does while another program has the file open. */
function renameAfter(failures: number) {
  let tries = 0;
  return {
    tries: () => tries,
    rename: (async (from, to) => {
      tries += 1;
      if (tries <= failures)
        throw Object.assign(new Error("EPERM: operation not permitted"), { code: "EPERM" });
      return rename(from, to);
    }) satisfies typeof rename,
  };
}

test("a file that another program has open is tried again five times on Windows", async () => {
  const busy = renameAfter(5);
  await replaceFiles(folder.path, [["a.txt", "new"]], AT, { platform: "win32", ...busy });
  expect(busy.tries()).toBe(6);
  expect(readFileSync(join(folder.path, "a.txt"), "utf8")).toBe("new");
});

test("after that nothing is left of the attempt, and the old file stays", async () => {
  await replaceFiles(folder.path, [["a.txt", "old"]], AT);
  const busy = renameAfter(6);
  const attempt = replaceFiles(folder.path, [["a.txt", "new"]], AT, { platform: "win32", ...busy });
  await expect(attempt).rejects.toThrow("EPERM");
  expect(readdirSync(folder.path)).toEqual(["a.txt"]);
  expect(readFileSync(join(folder.path, "a.txt"), "utf8")).toBe("old");
});

test("elsewhere a missing permission is no passing matter", async () => {
  const busy = renameAfter(1);
  const attempt = replaceFiles(folder.path, [["a.txt", "new"]], AT, { platform: "linux", ...busy });
  await expect(attempt).rejects.toThrow("EPERM");
});

testWith("root", process.getuid?.() === 0)(
  "a folder may be a link of one's own, but not another user's",
  async () => {
    const elsewhere = join(folder.path, "elsewhere");
    const link = join(folder.path, "ada");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, link);
    await replaceFiles(link, [["a.txt", "own"]], AT);
    lchownSync(link, SOMEBODY, SOMEBODY);
    const attempt = replaceFiles(link, [["a.txt", "another's"]], AT);
    await expect(attempt).rejects.toThrow("another user's link");
    expect(readdirSync(elsewhere)).toEqual(["a.txt"]);
    expect(readFileSync(join(elsewhere, "a.txt"), "utf8")).toBe("own");
  },
);

const ROUNDS = isThorough ? 150 : 50;

test("whoever reads at any moment sees whole files", async () => {
  const names = ["cover.png", "title.txt", "now-playing.json"];
  const png = await patternPicture("png", 256);
  const sets = [300, 3].map(
    (length) =>
      [
        ["cover.png", png],
        ["title.txt", "x".repeat(length)],
        ["now-playing.json", JSON.stringify({ title: "y".repeat(length) })],
      ] as const,
  );
  await replaceFiles(folder.path, sets[0] ?? [], AT);
  let isWriting = true;
  const writing = (async () => {
    for (let round = 0; round < ROUNDS; round++)
      await replaceFiles(folder.path, sets[round % 2] ?? [], AT);
    isWriting = false;
  })();
  let reads = 0;
  const mistakes: (string | undefined)[] = [];
  while (isWriting) {
    for (const name of names) mistakes.push(mistakeIn(name, readFileSync(join(folder.path, name))));
    reads += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writing;
  expect(mistakes.filter((one) => one !== undefined)).toEqual([]);
  expect(reads).toBeGreaterThan(50);
});
