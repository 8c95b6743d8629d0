import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createDiskCache } from "../../src/artwork/disk-cache.ts";
import { createDataFolder, type TempFolder } from "../fixtures/data/temp-folder.ts";

let folder: TempFolder;

beforeEach(() => {
  folder = createDataFolder();
});
afterEach(() => folder.remove());

test("a file that cannot be written leaves no part of itself", async () => {
  const cache = createDiskCache(folder.path, 1_000_000);
  // Here its name is taken; on a full disk the draft cannot be written.
  mkdirSync(join(folder.path, "cover.jpg", "taken"), { recursive: true });
  await expect(cache.write("cover.jpg", Buffer.from("a picture"))).rejects.toThrow();
  expect(readdirSync(folder.path)).toEqual(["cover.jpg"]);
  await cache.write("other.jpg", Buffer.from("another"));
  expect(await cache.read("other.jpg")).toEqual(new Uint8Array(Buffer.from("another")));
});
