import { Database } from "bun:sqlite";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isBusy } from "../../db/errors.ts";
import { createFolder, createPrivateFile, isThere } from "../../db/data-folder.ts";
import { isRecord } from "../../upstream/json.ts";

/** What a running server writes for a second start. */
export interface RunningFacts {
  readonly url: string;
  /** Host and port where programs on this machine reach it. */
  readonly listens: string;
  readonly pid: number;
  readonly version: string;
  /** The hosts that it may call although they are not public: a command judges as it does. */
  readonly playerHosts: readonly string[];
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

/**
 * Holds a data folder for one server until the process ends, however it ends: the lock is a
 * transaction on an empty database, which the operating system frees. Returns `undefined` when
 * another server holds it. A folder that cannot be locked, on some network disks, is not held.
 * @throws {DatabaseError} when the folder cannot be created
 */
export function holdServerLock(folder: string): ServerLock | undefined {
  createFolder(folder);
  const factsPath = join(folder, FACTS_FILE);
  const file = openLock(join(folder, LOCK_FILE));
  if (file === "busy") return undefined;
  if (!file) return NO_LOCK;
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
      const written = `${factsPath}.new`;
      writeFileSync(written, `${JSON.stringify(facts)}\n`, { mode: 0o600 });
      renameSync(written, factsPath);
    },
    release() {
      removeFacts();
      file.close();
    },
  };
}

/** Whether a server runs on a data folder. */
export function isServerRunning(folder: string): boolean {
  const path = join(folder, LOCK_FILE);
  if (!isThere(path)) return false;
  const file = openLock(path);
  if (file === "busy") return true;
  file?.close();
  return false;
}

/** What the running server has written. It may be of a server that was killed: ask the lock too. */
export function readRunningFacts(folder: string): RunningFacts | undefined {
  try {
    const facts: unknown = JSON.parse(readFileSync(join(folder, FACTS_FILE), "utf8"));
    if (!isRecord(facts)) return undefined;
    const { url, listens, pid, version, playerHosts = [] } = facts;
    const isWhole = [url, listens, version].every((one) => typeof one === "string");
    const hasHosts =
      Array.isArray(playerHosts) && playerHosts.every((host) => typeof host === "string");
    if (!isWhole || typeof pid !== "number" || !hasHosts) return undefined;
    return { ...facts, playerHosts } as unknown as RunningFacts;
  } catch {
    return undefined;
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
