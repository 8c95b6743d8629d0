import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";

/** Checking the folder's size after every write would cost too much. */
const WRITES_BETWEEN_CLEANINGS = 32;

/**
 * Files in a folder of limited size: the least recently read file is removed first.
 * @param folder created with the first file; it can be deleted without losing data
 * @param mostBytes limit for the total size of all files; a few writes may exceed it
 */
export function createDiskCache(folder: string, mostBytes: number) {
  let writes = 0;

  const clean = () => {
    const files = readdirSync(folder)
      .map((name) => join(folder, name))
      .map((path) => ({ path, stats: statSync(path) }))
      .sort((one, other) => other.stats.mtimeMs - one.stats.mtimeMs);
    let bytes = 0;
    for (const { path, stats } of files) {
      bytes += stats.size;
      if (bytes > mostBytes) rmSync(path, { force: true });
    }
  };

  return {
    async read(name: string) {
      const path = join(folder, name);
      const file = Bun.file(path);
      if (!(await file.exists())) return undefined;
      const now = new Date();
      utimesSync(path, now, now);
      return file.bytes();
    },
    async write(name: string, bytes: Uint8Array) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // The file gets its final name only when it is complete, so a partial file is never read.
      const before = writes++;
      const draft = join(folder, `${name}.${process.pid}-${before}`);
      try {
        await Bun.write(draft, bytes);
        renameSync(draft, join(folder, name));
      } catch (error) {
        // A full disk must not be filled with parts of files.
        rmSync(draft, { force: true });
        throw error;
      }
      if (before % WRITES_BETWEEN_CLEANINGS === 0) clean();
    },
  };
}

export type DiskCache = ReturnType<typeof createDiskCache>;
