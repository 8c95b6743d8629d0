import { Database } from "bun:sqlite";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { eq, isNotNull, ne } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import { mistakeInBackup } from "../db/backup-check.ts";
import { createPrivateFile, freeBytesOnDisk, isThere, RESTORED_FILE } from "../db/data-folder.ts";
import { migrate } from "../db/migrations.ts";
import * as schema from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import { Refused } from "../i18n/refused.ts";
import { openOwnFile } from "../own-file.ts";
import { stageSecretKey } from "./secret-key-files.ts";
import { KEY_BYTES, keyIdOf } from "./vault.ts";

/** Brings a backup back into a data folder that nobody has used yet. */
export type BackupRestorer = ReturnType<typeof createBackupRestorer>;

export interface BackupRestorerDeps {
  readonly store: Pick<Store, "queries" | "sealed">;
  /** The data folder. */
  readonly folder: string;
  /** The secret key that a setting gives. */
  readonly secretKey: string | null;
  readonly clock: Pick<Clock, "after">;
  /** Ends the server, puts the backup in the place of the database and starts again. */
  restart(): void;
}

const MB = 1024 * 1024;
export const LARGEST_BACKUP = 200 * MB;
/** What stays free on the disk, in bytes. */
const ROOM_BYTES = 16 * MB;
/** What was taken is deleted when nothing follows for so long. */
const IDLE_MS = 600_000;

export function createBackupRestorer(deps: BackupRestorerDeps) {
  const { store, folder, secretKey, clock, restart } = deps;
  const { queries } = store;
  const path = join(folder, RESTORED_FILE);
  let cancelRemoval = () => {};
  const remove = () => rmSync(path, { force: true });

  const mayRestore = () => {
    const { users, connections, apiKeys, songs, hooks, chatAccounts } = schema;
    const used = [
      queries.select().from(connections).where(ne(connections.source, "demo")).limit(1).all(),
      queries.select().from(apiKeys).where(isNotNull(apiKeys.lastUsedAt)).limit(1).all(),
      queries.select().from(songs).limit(1).all(),
      queries.select().from(hooks).limit(1).all(),
      queries.select().from(chatAccounts).limit(1).all(),
    ];
    const isAlone = queries.select().from(users).limit(2).all().length === 1;
    return isAlone && used.every((rows) => rows.length === 0);
  };
  const refuseUsed = () => {
    if (!mayRestore()) throw new Refused("restore.used", {}, { field: "backup" });
  };

  return {
    /** Whether the secret key comes with the backup, and not from a setting. */
    needsKey: secretKey === null,
    /** Whether nothing would be lost: there is only the first user, who has used nothing. */
    mayRestore,
    /**
     * Takes a part of the backup. One is taken at a time: a part that is the first begins anew.
     * @param at where it stands in the file, in bytes
     * @throws {Refused}
     */
    take(at: number, part: Uint8Array) {
      refuseUsed();
      cancelRemoval();
      cancelRemoval = clock.after(IDLE_MS, remove);
      if (at === 0) remove();
      if (at === 0) createPrivateFile(path);
      append(path, at, part);
    },
    /**
     * Judges what was taken, and has the server start again with it.
     * @param given the text of the file `secret.key`
     * @param sessionId the browser that stays signed in, as the owner of the backup
     * @throws {Refused}
     */
    restore(given: string, sessionId: string) {
      refuseUsed();
      const key = (secretKey ?? given).trim();
      if (Buffer.from(key, "base64").length !== KEY_BYTES) {
        throw new Refused("restore.noKey", {}, { field: "key" });
      }
      const mistake = isThere(path) ? mistakeInBackup(path, keyIdOf(key)) : "interrupted";
      if (mistake !== undefined) {
        remove();
        const field = mistake === "otherKey" ? "key" : "backup";
        throw new Refused(`restore.${mistake}`, {}, { field });
      }
      cancelRemoval();
      keepSession(sessionId);
      // The database says which of the two keys is in force.
      if (secretKey === null) stageSecretKey(folder, store, key);
      restart();
    },
  };

  /** Signs the browser in to the backup, too. */
  function keepSession(sessionId: string): void {
    const { sessions, users } = schema;
    const session = queries.select().from(sessions).where(eq(sessions.id, sessionId)).get();
    using sqlite = new Database(path, { readwrite: true, strict: true });
    // One of an earlier version gets its tables as they are now.
    migrate(sqlite, () => {});
    const restored = drizzle(sqlite, { schema });
    const owner = restored.select().from(users).where(eq(users.role, "owner")).get();
    if (!session || !owner) return;
    restored
      .insert(sessions)
      .values({ ...session, userId: owner.id })
      // A backup of this server itself has it.
      .onConflictDoNothing()
      .run();
  }
}

/** @throws {Refused} for a part that does not follow what was taken, or that there is no room for */
function append(path: string, at: number, part: Uint8Array): void {
  const refusal = (reason: "interrupted" | "tooLarge" | "full") =>
    new Refused(`restore.${reason}`, { most: String(LARGEST_BACKUP / MB) }, { field: "backup" });
  const file = openOwnFile(path, constants.O_RDWR);
  if (file === undefined) throw refusal("interrupted");
  try {
    const { size } = fstatSync(file);
    if (at !== size) throw refusal("interrupted");
    if (at + part.length > LARGEST_BACKUP) throw refusal("tooLarge");
    if (freeBytesOnDisk(path) < part.length + ROOM_BYTES) throw refusal("full");
    if (writeSync(file, part, 0, part.length, at) !== part.length) {
      ftruncateSync(file, size);
      throw refusal("full");
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
