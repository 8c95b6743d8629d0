import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { keepReadingEverything } from "./linux-capabilities.ts";
import { CommandError } from "./execution.ts";

const ROOT = 0;
/** By convention the group that owns no files. */
const NO_GROUP = 65_534;

/**
 * If the process runs as root, it becomes the folder's owner until it ends, and returns the owner's
 * id. Otherwise root would follow symbolic links made by the owner, and create files that the owner
 * cannot open. Other users do not change. A missing folder is created by root.
 * @throws {CommandError} when root cannot become the owner, and should not continue as root
 */
export async function becomeOwnerOf(folder: string): Promise<number | undefined> {
  if (process.geteuid?.() !== ROOT) return undefined;
  const owner = ownerOf(folder);
  if (!owner) return undefined;
  if (owner.uid === ROOT) {
    refuseForeignLink(folder);
    return undefined;
  }
  try {
    await become(owner, folder);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `The data folder ${folder} belongs to user ${owner.uid}, and this process may not become that user. Run it as that user: sudo -u '#${owner.uid}' marquee …`,
      { cause: error },
    );
  }
  return owner.uid;
}

type Owner = Pick<Stats, "uid" | "gid">;

function ownerOf(folder: string): Owner | undefined {
  try {
    return statSync(folder);
  } catch {
    // A problem with the path is reported when the folder is opened.
    return undefined;
  }
}

/** Refuses another user's symbolic link to root's folder: root would create files through it. */
function refuseForeignLink(folder: string): void {
  for (let path = resolve(folder); path !== dirname(path); path = dirname(path)) {
    const { uid } = lstatSync(path);
    if (uid === ROOT || !lstatSync(path).isSymbolicLink()) continue;
    throw new CommandError(
      `${path} is a link that belongs to user ${uid} and leads to a folder that belongs to root. Name the folder itself with --data.`,
    );
  }
}

async function become({ uid, gid }: Owner, folder: string): Promise<void> {
  // A folder often keeps root's group when only its owner changes. Do not keep root's group.
  const group = gid === ROOT ? NO_GROUP : gid;
  process.setgroups?.([]);
  process.setgid?.(group);
  if (isReachableBy(uid, folder)) {
    process.setuid?.(uid);
  } else {
    // This is the case with systemd's DynamicUser: its parent folder is open only to root.
    await keepReadingEverything(() => process.setuid?.(uid)).catch((cause: unknown) => {
      throw new CommandError(
        `The data folder ${folder} belongs to user ${uid}, who cannot enter it. Open the folders above it to that user.`,
        { cause },
      );
    });
  }
}

function isReachableBy(uid: number, folder: string): boolean {
  process.seteuid?.(uid);
  try {
    return isOpen(folder);
  } finally {
    process.seteuid?.(ROOT);
  }
}

/** Whether this process can access a folder's contents. */
function isOpen(folder: string): boolean {
  try {
    statSync(`${folder}/.`);
    return true;
  } catch {
    return false;
  }
}
