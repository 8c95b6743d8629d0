import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseFile } from "../db/store.ts";
import { keyIdOf, readSecretKey, SecretError, secretKeyPath } from "./secrets.ts";

/**
 * Where a rotation puts the next key before anything is sealed under it. The database says which
 * of the two files is in force. Writing or renaming them requires the database's write lock.
 */
export const nextSecretKeyPath = (folder: string): string => `${secretKeyPath(folder)}.new`;

/** Another process may rename the files between two reads. */
const MOST_LOOKS = 3;

/**
 * The data folder's key in force. If a rotation stopped before the rename, this renames the file.
 * If no file fits, or no key is known to be in force, it is the content of `secret.key`;
 * `undefined` if there is no such file.
 * @throws {SecretError} when a file that should hold it cannot be used
 */
export function findSecretKey(folder: string, file: DatabaseFile): string | undefined {
  for (let look = 1; ; look++) {
    const key = readSecretKey(secretKeyPath(folder));
    if (file.secretKeyId() === undefined || isInForce(file, key)) return key;
    const next = readSecretKey(nextSecretKeyPath(folder));
    if (isInForce(file, next)) {
      finishRotation(folder, file);
      return next;
    }
    if (look === MOST_LOOKS) return key;
  }
}

/** Writes the next key to the disk. Call it only inside a transaction that holds the write lock. */
export function stageSecretKey(folder: string, file: DatabaseFile, key: string): void {
  // The file of an unfinished rotation may be the only copy of the key in force.
  promoteStagedKey(folder, file);
  const path = nextSecretKeyPath(folder);
  const draft = `${path}.draft`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: "wx", flush: true });
    renameSync(draft, path);
    flushFolder(folder);
  } catch (error) {
    throw new SecretError(
      `${path} cannot be written, so nothing was changed. Check that ${dirname(path)} is writable and has room.`,
      { cause: error },
    );
  }
}

/** Renames the next key's file once that key is in force, unless another process has done so. */
export function finishRotation(folder: string, file: DatabaseFile): void {
  try {
    file.exclusively(() => promoteStagedKey(folder, file));
  } catch {
    // The key is found under either name; the next process that opens the folder retries.
  }
}

function promoteStagedKey(folder: string, file: DatabaseFile): void {
  const path = nextSecretKeyPath(folder);
  if (!isInForce(file, readSecretKey(path))) return;
  renameSync(path, secretKeyPath(folder));
  flushFolder(folder);
}

function isInForce(file: DatabaseFile, key: string | undefined): boolean {
  const inForce = file.secretKeyId();
  return key !== undefined && inForce !== undefined && keyIdOf(key).equals(inForce);
}

/** A rename survives a power cut only once its folder is flushed. Windows does that itself. */
function flushFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
