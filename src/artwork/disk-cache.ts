import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";

/** Files in a folder, as many as fit: who has not been read for longest goes first. */
export interface DiskCache {
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  write(name: string, bytes: Uint8Array): Promise<void>;
}

/** Looking through the folder is not worth it for every file. */
const WRITES_BETWEEN_CLEANINGS = 32;

/**
 * @param folder created when the first file is written; losing it loses nothing
 * @param mostBytes what the files may take together, give or take a few writes
 */
export function createDiskCache(folder: string, mostBytes: number): DiskCache {
  let writes = 0;

  const clean = () => {
    const files = readdirSync(folder)
      .map((name) => ({ path: join(folder, name), ...pick(statSync(join(folder, name))) }))
      .sort((one, other) => other.usedAtMs - one.usedAtMs);
    let bytes = 0;
    for (const file of files) {
      bytes += file.bytes;
      if (bytes > mostBytes) rmSync(file.path, { force: true });
    }
  };

  return {
    async read(name) {
      const path = join(folder, name);
      const file = Bun.file(path);
      if (!(await file.exists())) return undefined;
      const now = new Date();
      utimesSync(path, now, now);
      return file.bytes();
    },
    async write(name, bytes) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Nobody ever reads half a file: it gets its name when it is whole.
      const draft = join(folder, `${name}.${process.pid}-${writes}`);
      await Bun.write(draft, bytes);
      renameSync(draft, join(folder, name));
      if (writes++ % WRITES_BETWEEN_CLEANINGS === 0) clean();
    },
  };
}

function pick({ size, mtimeMs }: { size: number; mtimeMs: number }) {
  return { bytes: size, usedAtMs: mtimeMs };
}
