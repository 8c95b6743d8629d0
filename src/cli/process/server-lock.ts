import { Database } from "bun:sqlite";
import { lstatSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isBusy } from "../../db/errors.ts";
import { createFolder, createPrivateFile, isThere } from "../../db/data-folder.ts";
import { parseBaseUrl } from "../../config.ts";
import { isForeign, readOwnFile, writeWhole } from "../../own-file.ts";
import { isRecord } from "../../upstream/json.ts";
import { FolderOwnerError } from "./folder-owner.ts";

/** What a running server writes for a second start. */
export interface RunningFacts {
  readonly url: string;
  /** Host and port where programs on this machine reach it. */
  readonly listens: string;
  readonly pid: number;
  readonly version: string;
  /** The hosts that it may call although they are not public: a command judges as it does. */
  readonly playerHosts: readonly string[];
  /** Ids of the sources for which it lacks a key. */
  readonly keyless: readonly string[];
}

/** Held by the one server of a data folder. */
export interface ServerLock {
  /** Publishes where this server is. */
  publish(facts: RunningFacts): void;
  release(): void;
}

/** Another server runs on the data folder. */
export class AlreadyRunningError extends Error {
  override readonly name = "AlreadyRunningError";
  /** `undefined` when the other server has not written it. */
  readonly facts: RunningFacts | undefined;

  constructor(folder: string, facts: RunningFacts | undefined) {
    const where = facts ? ` at ${facts.url} (pid ${facts.pid})` : "";
    super(
      `Marquee already runs${where} with the data in ${folder}. Stop it, or choose another folder with --data.`,
    );
    this.facts = facts;
  }
}

/** There is no server to do something with, or it does not answer. */
export class NotRunningError extends Error {
  override readonly name = "NotRunningError";
}

const LOCK_FILE = "server.lock";
const FACTS_FILE = "server.json";

/** Several servers share a database on a network: none of them holds anything. */
export const NO_LOCK: ServerLock = { publish() {}, release() {} };
/** Of a folder that cannot be locked, as on some network disks: nothing keeps a second server away. */
export const UNLOCKABLE: ServerLock = { publish() {}, release() {} };

export const UNLOCKABLE_WARNING =
  "the data folder cannot be locked, so nothing keeps a second server away: see that only one runs";

/**
 * Holds a data folder for one server until the process ends, however it ends: the lock is a
 * transaction on an empty database, which the operating system frees. Returns `undefined` when
 * another server holds it.
 * @throws {DatabaseError} when the folder cannot be created
 * @throws {FolderOwnerError} when another user has made the lock
 */
export function holdServerLock(folder: string): ServerLock | undefined {
  createFolder(folder);
  const factsPath = join(folder, FACTS_FILE);
  const path = join(folder, LOCK_FILE);
  if (isOfAnother(path)) {
    throw new FolderOwnerError(
      `${path} belongs to another user, so it cannot be relied on. Remove it, or choose another folder with --data.`,
    );
  }
  const file = openLock(path);
  if (file === "busy") return undefined;
  if (!file) return UNLOCKABLE;
  const removeFacts = () => {
    try {
      rmSync(factsPath, { force: true });
    } catch {
      // The disk takes no writes, which is explained when the database is used.
    }
  };
  removeFacts();
  return {
    publish(facts) {
      writeWhole(factsPath, `${JSON.stringify(facts)}\n`);
    },
    release() {
      removeFacts();
      file.close();
    },
  };
}

/** Whether a server runs on a data folder; `unknown` where the folder cannot be locked. */
export function lookForServer(folder: string): "runs" | "none" | "unknown" {
  const path = join(folder, LOCK_FILE);
  if (!isThere(path)) return "none";
  const file = isOfAnother(path) ? undefined : openLock(path);
  if (file === undefined) return "unknown";
  if (file === "busy") return "runs";
  file.close();
  return "none";
}

export const isServerRunning = (folder: string): boolean => lookForServer(folder) === "runs";

/** Whether another user has made a file, or put a link in its place. */
function isOfAnother(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && isForeign(stats, dirname(path));
}

/**
 * What the running server has written; `undefined` where another user has written it, or where its
 * addresses are none that a server has: they are opened. It may be of a server that was killed: ask
 * the lock too.
 */
export function readRunningFacts(folder: string): RunningFacts | undefined {
  const {
    url,
    listens,
    pid,
    version,
    playerHosts = [],
    keyless = [],
  } = recordIn(readOwnFile(join(folder, FACTS_FILE)));
  const baseUrl = typeof url === "string" ? parseBaseUrl(url) : undefined;
  const isAddress = typeof listens === "string" && /^(\[[\da-f:.]+\]|[\w.-]+):\d+$/i.test(listens);
  if (baseUrl === undefined || !isAddress) return undefined;
  if (!areTexts(playerHosts) || !areTexts(keyless)) return undefined;
  if (typeof pid !== "number" || typeof version !== "string") return undefined;
  return { url: baseUrl, listens, pid, version, playerHosts, keyless };
}

const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

function recordIn(text = ""): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** A lock that is held; `undefined` where the disk cannot lock. */
function openLock(path: string): Database | "busy" | undefined {
  let file: Database | undefined;
  try {
    if (!isThere(path)) createPrivateFile(path);
  } catch {
    // Another start has made it at this moment. Anything else fails again below.
  }
  try {
    file = new Database(path, { create: true });
    file.run("PRAGMA busy_timeout = 0");
    // Without a journal beside it.
    file.run("PRAGMA journal_mode = MEMORY");
    file.run("BEGIN IMMEDIATE");
    return file;
  } catch (error) {
    file?.close();
    return isBusy(error) ? "busy" : undefined;
  }
}
