import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { createAccounts } from "../accounts/accounts.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config.ts";
import { DATABASE_FILE, isForbidden } from "../db/data-folder.ts";
import { DatabaseError, databaseCode } from "../db/errors.ts";
import { explainDatabaseFailure, openStore } from "../db/open.ts";
import type { Store } from "../db/store.ts";
import { errorCode } from "../error-code.ts";
import { isExposed } from "../own-file.ts";
import { createSources, withoutServer } from "../sources/index.ts";
import { createSecretKey, findSecretKey, secretKeyPath } from "../vault/secret-key-files.ts";
import { createVault, keyIdOf, SecretError } from "../vault/vault.ts";
import { CommandError, type Workspace } from "./execution.ts";
import { isListening } from "./client.ts";
import { placeFactsHere, placesOf } from "./data-place.ts";
import { becomeOwnerOf } from "./folder-owner.ts";
import {
  AlreadyRunningError,
  holdServerLock,
  isServerRunning,
  lookForServer,
  readRunningFacts,
  type RunningFacts,
  type ServerLock,
} from "./folder-lock.ts";

/** The opened data folder, which no other process opens meanwhile. */
export type DataFolder = Pick<Workspace, "store" | "vault">;

/** Whether others on this machine can, or until this start could, read the secret key's file. */
export type KeyAccess = "private" | "was exposed" | "exposed";

/** How long a program that finds the folder held waits to learn where the server is. */
const FACTS_WITHIN_MS = 3_000;

/**
 * The facts of the server that runs on a folder; `undefined` where none does. One that has just started
 * writes a moment later where it is. In a folder that cannot be locked they may be of one that was
 * killed, whose number another process has by now: there only a server that listens is one.
 */
export async function soonKnown(folder: string): Promise<RunningFacts | undefined> {
  const giveUpAtMs = performance.now() + FACTS_WITHIN_MS;
  for (let look = lookForServer(folder); look !== "none"; look = lookForServer(folder)) {
    const facts = readRunningFacts(folder);
    if (look === "unknown") return facts && (await isListening(facts)) ? facts : undefined;
    if (facts || performance.now() > giveUpAtMs) return facts;
    await Bun.sleep(50);
  }
  return undefined;
}

/**
 * Does something as the folder's owner. Is to be called before anything in the folder is used, but
 * after the files that settings name were read.
 * @throws {CommandError} when root may not become that user
 */
export async function asFolderOwner<Result>(
  config: Config,
  work: () => Promise<Result>,
): Promise<Result> {
  const actingAs = await becomeOwnerOf(config.data);
  try {
    return await work();
  } catch (error) {
    if (actingAs === undefined || !(error instanceof Error) || !isForbidden(error)) throw error;
    throw new DatabaseError(
      `${error.message}\nThis ran as user ${actingAs}, who owns the folder. If files in it belong to someone else, run: chown -R ${actingAs} ${config.data}`,
      { cause: error },
    );
  }
}

/**
 * Opens the data folder for the one server, which holds it until it ends.
 * @throws {AlreadyRunningError} when another process holds it
 * @throws {DatabaseError | SecretError | CommandError} when it cannot be used
 */
export const openServedFolder = (
  config: Config,
): Promise<DataFolder & { readonly lock: ServerLock; readonly key: KeyAccess }> =>
  asFolderOwner(config, async () => {
    const keyPath = secretKeyPath(config.data);
    const wasExposed = isExposed(keyPath);
    const lock = await holdWhenFree(config.data);
    try {
      const folder = openFolder(config);
      const key = isExposed(keyPath) ? "exposed" : wasExposed ? "was exposed" : "private";
      return { ...folder, lock, key };
    } catch (error) {
      lock.release();
      throw error;
    }
  });

/**
 * Holds a folder for a server. Whoever only looks holds it for a moment, and a command for as long as it works.
 * @throws {AlreadyRunningError} when it is held for longer
 */
async function holdWhenFree(folder: string): Promise<ServerLock> {
  const giveUpAtMs = performance.now() + FACTS_WITHIN_MS;
  for (;;) {
    const lock = holdServerLock(folder);
    if (lock) return lock;
    const facts = await soonKnown(folder);
    const isHeld = isServerRunning(folder);
    if (isHeld && (facts || performance.now() > giveUpAtMs)) {
      throw new AlreadyRunningError(resolve(folder), facts);
    }
  }
}

/**
 * @throws {DatabaseError} for a folder without data
 * @throws {CommandError} for one that this user may not enter
 */
export function refuseMissing({ data }: Config): void {
  try {
    statSync(join(data, DATABASE_FILE));
    return;
  } catch (cause) {
    if (errorCode(cause) === "EACCES") refuseClosed(data, cause);
  }
  const places = placesOf(placeFactsHere(process.env)).map(({ folder }) => folder);
  // The other places count only if no setting has named the folder.
  const others = places.includes(data) ? places.filter((folder) => folder !== data) : [];
  const also = others.length > 0 ? `, nor in ${others.join(" or ")}` : "";
  throw new DatabaseError(
    `There is no Marquee data in ${data}${also}. Start marquee there first, or choose another folder with --data or MARQUEE_DATA.`,
  );
}

function refuseClosed(folder: string, cause: unknown): never {
  let owner: string;
  try {
    owner = `sudo -u '#${statSync(folder).uid}'`;
  } catch {
    owner = "sudo";
  }
  throw new CommandError(
    `The data folder ${folder} is closed to this user. Run the command as its owner: ${owner} marquee …`,
    { cause },
  );
}

/**
 * Opens a folder that this process holds.
 * @param otherKeys keys besides the one in force by the settings, one of which may be right
 * @throws {DatabaseError | SecretError}
 */
export function openFolder(config: Config, otherKeys: readonly string[] = []): DataFolder {
  const store = openStore(config.data);
  try {
    const vault = createVault(keyInForce(config, store, otherKeys));
    // So that a wrong key is found at the next start.
    if (store.sealed.keyId() === undefined) store.sealed.setKeyId(vault.keyId);
    return { store, vault };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Does work whose failures of the database and its disk are explained with the path of its file. */
export async function explained<Result>(
  { data }: Config,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // A full disk under the output is the cause of another error.
    const isOfDisk = ["EROFS", "ENOSPC"].includes(errorCode(error) ?? "");
    if (!isOfDisk && !databaseCode(error).startsWith("SQLITE_")) throw error;
    throw explainDatabaseFailure(error, join(data, DATABASE_FILE));
  }
}

/** What commands work with in a folder that this process has opened. */
export function workspaceOf(config: Config, { store, vault }: DataFolder): Workspace {
  const accounts = createAccounts({ store, vault, wallMs: systemClock.wallMs });
  const sources = createSources({
    ...withoutServer(config),
    clock: systemClock,
    settings: config,
    memory: accounts.upstreams,
  });
  return { store, vault, accounts, sources };
}

/**
 * The key that encrypts the database's secrets. While there are no users, any key is accepted.
 * @throws {SecretError} when the key is missing or wrong
 */
function keyInForce(
  { data, secretKey }: Config,
  store: Store,
  otherKeys: readonly string[],
): string {
  const path = secretKeyPath(data);
  const key = secretKey ?? findSecretKey(data, store);
  if (!store.hasUsers()) return key ?? createSecretKey(path);
  const recorded = store.sealed.keyId();
  const isInForce = (one: string) => recorded === undefined || keyIdOf(one).equals(recorded);
  const found = [...(key === undefined ? [] : [key]), ...otherKeys].find(isInForce);
  if (found !== undefined) return found;
  if (key === undefined) {
    throw new SecretError(
      `${path} is missing, and without it the database's secrets cannot be read. Put it back from where you keep it safe, or name the key's file with MARQUEE_SECRET_KEY_FILE, as for the server.`,
    );
  }
  throw new SecretError(
    secretKey === null
      ? `The database was encrypted under another key. Put the one that belongs to it back as ${path}.`
      : "The database was encrypted under another key. Give the one that belongs to it.",
  );
}
