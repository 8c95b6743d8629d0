import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Files in a folder that others may write to: what they have put there is neither believed nor followed. */

const ROOT = 0;

/**
 * Whether a file or folder belongs to the user as whom this process acts, or to root. Windows, which
 * has no such ids, keeps the folders of its users apart itself.
 */
export function isOwn({ uid }: Pick<Stats, "uid">): boolean {
  const user = process.geteuid?.();
  return user === undefined || uid === user || uid === ROOT;
}

/**
 * Whether something in a folder is another user's. Some disks show one owner for all files, whoever
 * made them: there nothing can be told, and nothing is refused.
 */
export const isForeign = (stats: Pick<Stats, "uid">, folder: string): boolean =>
  !isOwn(stats) && keepsOwners(folder);

/** Whether what this user makes in a folder belongs to this user. */
function keepsOwners(folder: string): boolean {
  const path = join(folder, `.marquee-${crypto.randomUUID()}`);
  try {
    const file = openSync(path, "wx", 0o600);
    try {
      return fstatSync(file).uid === process.geteuid?.();
    } finally {
      closeSync(file);
      rmSync(path, { force: true });
    }
  } catch {
    // Nothing of this user's can be in it.
    return true;
  }
}

/** Opens a file of this user's; `undefined` for another's, a link, or anything else that is no file. */
export function openOwnFile(path: string, flags: number): number | undefined {
  try {
    // Opening a pipe would wait for its other end.
    if (!lstatSync(path).isFile()) return undefined;
    const file = openSync(path, flags | (constants.O_NOFOLLOW ?? 0));
    const stats = fstatSync(file);
    if (stats.isFile() && !isForeign(stats, dirname(path))) return file;
    closeSync(file);
    return undefined;
  } catch {
    return undefined;
  }
}

/** The text of a file of this user's; `undefined` where there is none. */
export function readOwnFile(path: string): string | undefined {
  const file = openOwnFile(path, constants.O_RDONLY);
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/**
 * Takes a file from everybody but its owner. Others may still be able to use it afterwards: some
 * disks keep no permissions, and a file of another user keeps its own. See {@link isExposed}.
 */
export function makePrivate(path: string): void {
  try {
    chmodSync(path, 0o600);
  } catch {
    // Whether the file can be used shows when it is opened.
  }
}

/** Whether others on this machine may use a file, by its permissions. Windows has none. */
export function isExposed(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return process.platform !== "win32" && stats !== undefined && (stats.mode & 0o077) !== 0;
}

/** Makes an empty file anew, whatever is there, and opens it for writing. */
export function makeAnew(path: string, mode = 0o600): number {
  rmSync(path, { force: true });
  return openSync(path, "wx", mode);
}

/**
 * Writes a file whole or not at all: beside its place, on the disk, then into its place.
 * @param mode its permissions
 */
export function writeWhole(path: string, content: string | Uint8Array, mode = 0o600): void {
  const draft = `${path}.new`;
  const file = makeAnew(draft, mode);
  try {
    writeFileSync(file, content);
    const written = finish(file, mode);
    mustBe(draft, written);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    // An error of writing does not say where.
    throw error instanceof Error && !("path" in error) ? Object.assign(error, { path }) : error;
  } finally {
    closeSync(file);
  }
}

/** Gives a written file its permissions, whatever the process masks, and puts it on the disk. */
export function finish(file: number, mode: number): Stats {
  try {
    fchmodSync(file, mode);
  } catch {
    // Some disks keep no permissions.
  }
  fsyncSync(file);
  return fstatSync(file);
}

/** @throws unless this is the file that was written */
export function mustBe(path: string, written: Stats): void {
  const { dev, ino } = lstatSync(path);
  if (dev === written.dev && ino === written.ino) return;
  throw new Error(`${path} was replaced by another program`);
}

/** A rename survives a power cut only once its folder is flushed. Windows does that itself. */
export function flushFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
