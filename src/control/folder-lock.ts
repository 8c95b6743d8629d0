import { Database } from "bun:sqlite";
import { lstatSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isBusy } from "../db/errors.ts";
import { createFolder, createPrivateFile, isThere } from "../db/data-folder.ts";
import { parseBaseUrl } from "../config.ts";
import type { CommandedServer } from "./client.ts";
import { isForeign, readOwnFile, writeWhole } from "../own-file.ts";
import { isRecord, parseFields } from "../upstream/json.ts";
import { CommandError } from "./execution.ts";

/** What a running server writes for a second start. */
export interface RunningFacts extends CommandedServer {
  readonly url: string;
  /** Host and port where programs on this machine reach it. */
  readonly listens: string;
  readonly version: string;
}

/** Held by the one process that may open a data folder: a server, or a command where none runs. */
export interface ServerLock {
  /** Whether others are kept away: not where the folder cannot be locked, as on some network disks. */
  readonly isHeld: boolean;
  /** Publishes where this server is. */
  publish(facts: RunningFacts): void;
  release(): void;
}

/** Another process works with the data folder. */
export class AlreadyRunningError extends CommandError {
  /** `undefined` when the other process has not written it. */
  readonly facts: RunningFacts | undefined;

  constructor(folder: string, facts: RunningFacts | undefined) {
    super(
      facts
        ? `Marquee already runs at ${facts.url} (pid ${facts.pid}) with the data in ${folder}. Stop it, or choose another folder with --data.`
        : `Another Marquee works with the data in ${folder}: a server, or a command that is not done yet. Stop it, or choose another folder with --data.`,
    );
    this.facts = facts;
  }
}

const LOCK_FILE = "server.lock";
const FACTS_FILE = "server.json";

export const UNLOCKABLE_WARNING =
  "the data folder cannot be locked, so nothing keeps a second server away: see that only one runs";

/**
 * Holds a data folder for this process until it ends, however it ends: the lock is a transaction on an
 * empty database, which the operating system frees. Returns `undefined` when another process holds it.
 * @throws {DatabaseError} when the folder cannot be created
 * @throws {CommandError} when another user has made the lock
 */
export function holdServerLock(folder: string): ServerLock | undefined {
  createFolder(folder);
  const factsPath = join(folder, FACTS_FILE);
  const path = join(folder, LOCK_FILE);
  if (isOfAnother(path)) {
    throw new CommandError(
      `${path} belongs to another user, so it cannot be relied on. Remove it, or choose another folder with --data.`,
    );
  }
  const file = openLock(path);
  if (file === "busy") return undefined;
  const removeFacts = () => {
    try {
      rmSync(factsPath, { force: true });
    } catch {
      // The disk takes no writes, which is explained when the database is used.
    }
  };
  let hasPublished = false;
  if (file) removeFacts();
  return {
    isHeld: file !== undefined,
    publish(facts) {
      hasPublished = true;
      writeWhole(factsPath, `${JSON.stringify(facts)}\n`);
    },
    release() {
      if (file || hasPublished) removeFacts();
      file?.close();
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

/** Where the folder cannot be locked, what the server has written tells it. */
export function isServerRunning(folder: string): boolean {
  const look = lookForServer(folder);
  return look === "runs" || (look === "unknown" && seemsToRun(folder));
}

/** Whether a process of this user is there that has written into a folder that cannot be locked. */
export function seemsToRun(folder: string): boolean {
  const facts = readRunningFacts(folder);
  try {
    // Sends nothing.
    return facts !== undefined && process.kill(facts.pid, 0);
  } catch {
    return false;
  }
}

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
  const { url, listens, pid, version, control } =
    parseFields(readOwnFile(join(folder, FACTS_FILE)) ?? "") ?? {};
  const baseUrl = typeof url === "string" ? parseBaseUrl(url) : undefined;
  const isAddress = typeof listens === "string" && /^(\[[\da-f:.]+\]|[\w.-]+):\d+$/i.test(listens);
  const { port, token } = isRecord(control) ? control : {};
  if (baseUrl === undefined || !isAddress) return undefined;
  if (typeof pid !== "number" || typeof version !== "string") return undefined;
  if (typeof port !== "number" || typeof token !== "string") return undefined;
  return { url: baseUrl, listens, pid, version, control: { port, token } };
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
