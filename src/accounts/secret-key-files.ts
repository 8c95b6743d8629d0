import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Store } from "../db/open.ts";
import { keyIdOf, readSecretKey, SecretError, secretKeyPath } from "./secrets.ts";

/**
 * Where a rotation puts the next key before anything is sealed under it. Which of the two files
 * counts is what the database says; whoever writes or renames them holds the database's write lock.
 */
export const nextSecretKeyPath = (folder: string): string => `${secretKeyPath(folder)}.new`;

/** Another process may rename the files between two looks. */
const MOST_LOOKS = 3;

/**
 * The data folder's key that is in force. One that a rotation was stopped before renaming gets its
 * lasting name. Where none fits or none is known to be in force, it is what `secret.key` holds;
 * `undefined` where there is no such file.
 * @throws {SecretError} when a file that should hold it cannot be used
 */
export function findSecretKey(folder: string, store: Store): string | undefined {
  for (let look = 1; ; look++) {
    const key = readSecretKey(secretKeyPath(folder));
    if (store.sealed.keyId() === undefined || isInForce(store, key)) return key;
    const next = readSecretKey(nextSecretKeyPath(folder));
    if (isInForce(store, next)) {
      finishRotation(folder, store);
      return next;
    }
    if (look === MOST_LOOKS) return key;
  }
}

/** Writes the next key to the disk. Call it only inside a transaction that holds the write lock. */
export function stageSecretKey(folder: string, store: Store, key: string): void {
  // What an earlier rotation left unfinished may be the only copy of the key in force.
  promoteStagedKey(folder, store);
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

/** Gives a key that is in force already its lasting name, unless another process has done so. */
export function finishRotation(folder: string, store: Store): void {
  try {
    store.exclusively(() => promoteStagedKey(folder, store));
  } catch {
    // The key counts under either name; the next program that opens the folder tries again.
  }
}

function promoteStagedKey(folder: string, store: Store): void {
  const path = nextSecretKeyPath(folder);
  if (!isInForce(store, readSecretKey(path))) return;
  renameSync(path, secretKeyPath(folder));
  flushFolder(folder);
}

function isInForce(store: Store, key: string | undefined): boolean {
  return key !== undefined && store.sealed.isInForce(keyIdOf(key));
}

/** A name lasts through a power cut once its folder is written; Windows does that by itself. */
function flushFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
