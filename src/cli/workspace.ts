import { type Command, type Io, print } from "./command.ts";
import type { User } from "../accounts/users.ts";
import { join, resolve } from "node:path";
import { type Accounts, createAccounts } from "../accounts/accounts.ts";
import { createSecretKey, findSecretKey, secretKeyPath } from "../vault/secret-key-files.ts";
import { createVault, keyIdOf, SecretError, type Vault } from "../vault/vault.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config.ts";
import { createSources, type Sources, withoutServer } from "../sources/index.ts";
import { DatabaseError, databaseCode } from "../db/errors.ts";
import { DATABASE_FILE, isForbidden, isThere } from "../db/data-folder.ts";
import { explainDatabaseFailure, openStore } from "../db/open.ts";
import type { Store } from "../db/store.ts";
import { errorCode } from "../error-code.ts";
import { isExposed } from "../own-file.ts";
import { placeFactsHere, placesOf } from "./data-place.ts";
import { becomeOwnerOf } from "./process/folder-owner.ts";
import {
  AlreadyRunningError,
  holdServerLock,
  isServerRunning,
  NO_LOCK,
  readRunningFacts,
  type RunningFacts,
  type ServerLock,
} from "./process/server-lock.ts";

/** The opened data folder. */
export interface DataFolder {
  readonly store: Store;
  readonly vault: Vault;
  /** The id of the folder's owner if root has become that user. */
  readonly actingAs: number | undefined;
}

/** What every command works with. */
export interface Workspace extends DataFolder {
  readonly accounts: Accounts;
  readonly sources: Sources;
}

/** Whether others on this machine can, or until this start could, read the secret key's file. */
export type KeyAccess = "private" | "was exposed" | "exposed";

/** One waits in a transaction while the other reads. */
const CONNECTIONS_OF_COMMAND = 2;
/** How long a second start waits to learn where the running server is. */
const FACTS_WITHIN_MS = 3_000;

/** What a command does when the data folder does not exist. */
type WhenMissing = "create" | "refuse";

/**
 * Opens the data folder as its owner. A missing folder may be a mistyped path.
 * @param most connections at once, where the database is on a server
 * @throws {DatabaseError | SecretError | FolderOwnerError} when it cannot be used
 */
export async function openDataFolder(
  config: Config,
  whenMissing: WhenMissing,
  most = CONNECTIONS_OF_COMMAND,
): Promise<DataFolder> {
  return openAsOwner(config, () => openFolder(config, whenMissing, most));
}

/**
 * The same for the one server of the folder, which holds it until it ends. A second one changes
 * nothing there, not even to bring the database up to date.
 * @param most connections at once, where the database is on a server
 * @throws {AlreadyRunningError} when another server runs on the folder
 */
export async function openServedFolder(
  config: Config,
  most: number,
): Promise<DataFolder & { readonly lock: ServerLock; readonly key: KeyAccess }> {
  return openAsOwner(config, async () => {
    const keyPath = secretKeyPath(config.data);
    const wasExposed = isExposed(keyPath);
    const lock = config.database === null ? holdServerLock(config.data) : NO_LOCK;
    if (!lock) throw new AlreadyRunningError(resolve(config.data), await soonKnown(config.data));
    try {
      const folder = await openFolder(config, "create", most);
      const key = isExposed(keyPath) ? "exposed" : wasExposed ? "was exposed" : "private";
      return { ...folder, lock, key };
    } catch (error) {
      lock.release();
      throw error;
    }
  });
}

/** A server that has just started writes a moment later where it is. */
async function soonKnown(folder: string): Promise<RunningFacts | undefined> {
  const giveUpAtMs = performance.now() + FACTS_WITHIN_MS;
  for (;;) {
    const facts = readRunningFacts(folder);
    if (facts || performance.now() > giveUpAtMs || !isServerRunning(folder)) return facts;
    await Bun.sleep(50);
  }
}

async function openAsOwner<Opened>(
  config: Config,
  open: () => Promise<Opened>,
): Promise<Opened & { readonly actingAs: number | undefined }> {
  // Before anything in the folder is used, but after the files that settings name were read.
  const actingAs = await becomeOwnerOf(config.data);
  try {
    return { ...(await open()), actingAs };
  } catch (error) {
    if (actingAs === undefined || !(error instanceof Error) || !isForbidden(error)) throw error;
    throw new DatabaseError(
      `${error.message}\nThis ran as user ${actingAs}, who owns the folder. If files in it belong to someone else, run: chown -R ${actingAs} ${config.data}`,
      { cause: error },
    );
  }
}

async function openFolder(
  config: Config,
  whenMissing: WhenMissing,
  most: number,
): Promise<Omit<DataFolder, "actingAs">> {
  const store = await openDatabase(config, whenMissing, most);
  try {
    const findKey = () => keyInForce(config, store);
    const vault = createVault(await findKey(), findKey);
    await recordKey(store, vault);
    return { store, vault };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openDatabase(
  config: Config,
  whenMissing: WhenMissing,
  most: number,
): Promise<Store> {
  if (config.database !== null) {
    refuseWithoutKey(config);
    // Its client takes memory that a server with a file does not need.
    const { openPostgresStore } = await import("../db/postgres/open.ts");
    return openPostgresStore(config.database, { whenMissing, most });
  }
  if (whenMissing === "refuse" && !isThere(join(config.data, DATABASE_FILE))) {
    throw new DatabaseError(
      `There is no Marquee data in ${config.data}${alsoLookedIn(config)}. Start marquee there first, or choose another folder with --data or MARQUEE_DATA.`,
    );
  }
  return openStore(config.data);
}

/** The other places of data, if no setting has named the folder. */
function alsoLookedIn({ data }: Config): string {
  const places = placesOf(placeFactsHere(process.env)).map(({ folder }) => folder);
  const others = places.includes(data) ? places.filter((folder) => folder !== data) : [];
  return others.length > 0 ? `, nor in ${others.join(" or ")}` : "";
}

/** Servers that share a database must read each other's secrets. */
function refuseWithoutKey({ secretKey }: Config): void {
  if (secretKey !== null) return;
  throw new SecretError(
    'With --database the secret key must be given, the same for all servers: set MARQUEE_SECRET_KEY_FILE to a file with 32 random bytes in base64, such as "openssl rand -base64 32" prints.',
  );
}

/** Opens the data folder for a command, which also needs accounts and sources. */
export async function openWorkspace(config: Config, whenMissing: WhenMissing): Promise<Workspace> {
  const folder = await openDataFolder(config, whenMissing);
  const accounts = await createAccounts({ ...folder, wallMs: systemClock.wallMs });
  const memory = accounts.upstreams;
  const sources = createSources({
    ...withoutServer(systemClock),
    clock: systemClock,
    settings: config,
    memory,
  });
  return { ...folder, accounts, sources };
}

/** Runs a command on the data folder, then closes the folder. */
export async function withWorkspace<Result>(
  config: Config,
  command: (workspace: Workspace) => Promise<Result>,
  whenMissing: WhenMissing = "refuse",
): Promise<Result> {
  const workspace = await openWorkspace(config, whenMissing);
  try {
    return await explained(config, () => command(workspace));
  } finally {
    await workspace.store.close();
  }
}

/** Runs what reads no secret, and so needs no key, on the database of the data folder. */
export async function withStore<Result>(
  config: Config,
  command: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { store } = await openAsOwner(config, async () => ({
    store: await openDatabase(config, "refuse", CONNECTIONS_OF_COMMAND),
  }));
  try {
    return await explained(config, () => command(store));
  } finally {
    await store.close();
  }
}

/** Does work whose failures of the database and its disk are explained with the path of its file. */
export async function explained<Result>(
  { data, database }: Config,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // A full disk under the output is the cause of another error.
    const isOfDisk = ["EROFS", "ENOSPC"].includes(errorCode(error) ?? "");
    if (database !== null || !(isOfDisk || databaseCode(error).startsWith("SQLITE_"))) throw error;
    throw explainDatabaseFailure(error, join(data, DATABASE_FILE));
  }
}

/** What a command about one user is given. */
export interface UserCommand {
  readonly config: Config;
  readonly asJson: boolean;
  readonly io: Io;
  readonly workspace: Workspace;
  readonly accounts: Accounts;
  readonly user: User;
  /** Writes each document as one line of JSON, or else the lines for people. */
  print(documents: readonly unknown[], lines: readonly string[]): void;
}

/** A command about one user, whom it looks up by name. */
export const forUser =
  (userName: string, run: (command: UserCommand) => Promise<void>): Command =>
  (config, asJson, io) =>
    withWorkspace(config, async (workspace) => {
      const { accounts } = workspace;
      const user = await accounts.users.named(userName);
      const printAll = print.bind(undefined, io, asJson);
      await run({ config, asJson, io, workspace, accounts, user, print: printAll });
    });

/**
 * The key that encrypts the database's secrets. While there are no users, any key is accepted.
 * @throws {SecretError} when the key is missing or wrong
 */
export async function keyInForce({ data, secretKey }: Config, store: Store): Promise<string> {
  const path = secretKeyPath(data);
  const key = secretKey ?? (store.file && findSecretKey(data, store.file));
  if (!(await store.hasUsers())) return key ?? createSecretKey(path);
  if (key === undefined) {
    throw new SecretError(
      `${path} is missing, and without it the database's secrets cannot be read. Put it back from where you keep it safe.`,
    );
  }
  const { sealed } = store;
  if ((await sealed.keyId()) === undefined || (await sealed.isInForce(keyIdOf(key)))) return key;
  throw new SecretError(
    secretKey === null
      ? `The database was encrypted under another key. Put the one that belongs to it back as ${path}.`
      : "The database was encrypted under another key. Give the one that belongs to it; if it was replaced while this program ran, start it again with the new one.",
    { needsOtherKey: true },
  );
}

/** Records the key's id in the database, so that a wrong key is found at the start. */
async function recordKey(store: Store, vault: Vault): Promise<void> {
  const recorded = await store.sealed.keyId();
  // The key may have been replaced since it was read.
  if (recorded !== undefined) await vault.follow();
  if (await store.sealed.isInForce(vault.keyId)) return;
  // Older databases have no recorded key. Check that this key decrypts their contents.
  const { users, widgets } = await createAccounts({ store, vault, wallMs: systemClock.wallMs });
  const owner = await users.owner();
  if (owner) await widgets.proveKey(owner);
  // Another process may have recorded the key first, and may even have replaced it since.
  if (!(await store.sealed.changeKey(recorded, vault.keyId))) await vault.follow();
}
