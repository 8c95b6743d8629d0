import {
  constants,
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Store } from "../db/store.ts";
import { errorCode } from "../error-code.ts";
import { flushFolder, isExposed, makePrivate, writeWhole } from "../own-file.ts";
import { KEY_BYTES, keyIdOf, SecretError } from "./vault.ts";

const SECRET_KEY_FILE = "secret.key";

/** What people are told of a key that stays readable for others. */
export const EXPOSED_KEY =
  "this disk keeps no permissions, so others on this machine may be able to read the secret key: mount it for your user alone, or keep the key elsewhere with MARQUEE_SECRET_KEY_FILE";

/** The database, which says which key is in force. */
type KeyedStore = Pick<Store, "sealed">;

/** Path of a data folder's secret key. */
export const secretKeyPath = (folder: string): string => join(folder, SECRET_KEY_FILE);

/**
 * Reads a secret key, and takes it from other users of the machine where its disk allows that;
 * `undefined` if there is none yet.
 * @throws {SecretError} when it cannot be read, or is not a key
 */
export function readSecretKey(path: string): string | undefined {
  try {
    if (isExposed(path)) makePrivate(path);
    const key = readFileSync(path, "utf8").trim();
    if (Buffer.from(key, "base64").length === KEY_BYTES) return key;
  } catch (error) {
    if (error instanceof SecretError) throw error;
    if (errorCode(error) === "ENOENT") return undefined;
    throw new SecretError(`${path} cannot be read. Check its owner and permissions.`, {
      cause: error,
    });
  }
  throw new SecretError(
    `${path} is not a secret key (${KEY_BYTES} bytes in base64). Restore it from where you keep it safe.`,
  );
}

/**
 * Creates a secret key that only this user can read. Another process may do the same: the
 * first one's key counts for both, and nobody reads a half-written file.
 */
export function createSecretKey(path: string): string {
  const key = newSecretKey();
  const draft = `${path}.${randomText(6, "hex")}`;
  try {
    writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: "wx", flush: true });
    takeName(draft, path);
    return key;
  } catch (error) {
    const existing = errorCode(error) === "EEXIST" ? readSecretKey(path) : undefined;
    if (existing) return existing;
    throw new SecretError(`${path} cannot be created. Check that its folder is writable.`, {
      cause: error,
    });
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Gives a file its name unless there is one already. @throws with the code `EEXIST` if there is */
function takeName(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(errorCode(error) ?? "")) throw error;
    // Some disks have no links, such as those of cameras and USB sticks.
    copyFileSync(draft, path, constants.COPYFILE_EXCL);
  }
}

/** 32 random bytes in base64. */
export const newSecretKey = (): string => randomText(KEY_BYTES, "base64");

function randomText(bytes: number, encoding: "base64" | "hex"): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString(encoding);
}

/**
 * Where a rotation puts the next key before anything is sealed under it. The database says which
 * of the two files is in force.
 */
export const nextSecretKeyPath = (folder: string): string => `${secretKeyPath(folder)}.new`;

/**
 * The data folder's key in force. If a rotation stopped before the rename, this renames the file.
 * If no file fits, or no key is known to be in force, it is the content of `secret.key`;
 * `undefined` if there is no such file.
 * @throws {SecretError} when a file that should hold it cannot be used
 */
export function findSecretKey(folder: string, store: KeyedStore): string | undefined {
  const key = readSecretKey(secretKeyPath(folder));
  if (store.sealed.keyId() === undefined || isInForce(store, key)) return key;
  const next = readSecretKey(nextSecretKeyPath(folder));
  if (!isInForce(store, next)) return key;
  finishRotation(folder, store);
  return next;
}

/** Writes the next key to the disk. */
export function stageSecretKey(folder: string, store: KeyedStore, key: string): void {
  // The file of an unfinished rotation may be the only copy of the key in force.
  promoteStagedKey(folder, store);
  const path = nextSecretKeyPath(folder);
  try {
    writeWhole(path, `${key}\n`);
    flushFolder(folder);
  } catch (error) {
    throw new SecretError(
      `${path} cannot be written, so nothing was changed. Check that ${dirname(path)} is writable and has room.`,
      { cause: error },
    );
  }
}

/** Renames the next key's file once that key is in force. */
export function finishRotation(folder: string, store: KeyedStore): void {
  try {
    promoteStagedKey(folder, store);
  } catch {
    // The key is found under either name; the next start tries again.
  }
}

function promoteStagedKey(folder: string, store: KeyedStore): void {
  const path = nextSecretKeyPath(folder);
  if (!isInForce(store, readSecretKey(path))) return;
  renameSync(path, secretKeyPath(folder));
  flushFolder(folder);
}

function isInForce(store: KeyedStore, key: string | undefined): boolean {
  const inForce = store.sealed.keyId();
  return key !== undefined && inForce !== undefined && keyIdOf(key).equals(inForce);
}
