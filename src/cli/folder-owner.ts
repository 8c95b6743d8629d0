import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { keepReadingEverything } from "./linux-capabilities.ts";

/** The data folder is somebody else's, and cannot be worked in safely; the message says what to do. */
export class FolderOwnerError extends Error {
  override readonly name = "FolderOwnerError";
}

const ROOT = 0;
/** By convention the group that owns nothing. */
const NO_GROUP = 65_534;

/**
 * Root becomes the user whom a folder belongs to, for as long as the process lives, and answers that
 * user's id. Root would follow the links that this user may put there, and leave files that the user
 * cannot open. Nobody but root changes, and a folder that is not there yet is root's to create.
 * @throws {FolderOwnerError} when root cannot, and should not go on as root
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
    if (error instanceof FolderOwnerError) throw error;
    throw new FolderOwnerError(
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
    // Whatever is wrong with the path is said where the folder is opened.
    return undefined;
  }
}

/** Where a way that somebody else laid leads to a folder of root's, root would create files for them. */
function refuseForeignLink(folder: string): void {
  for (let path = resolve(folder); path !== dirname(path); path = dirname(path)) {
    const { uid } = lstatSync(path);
    if (uid === ROOT || !lstatSync(path).isSymbolicLink()) continue;
    throw new FolderOwnerError(
      `${path} is a link of user ${uid}'s that leads to a folder of root's. Name the folder itself with --data.`,
    );
  }
}

async function become({ uid, gid }: Owner, folder: string): Promise<void> {
  // A folder often keeps root's group when only its user is changed; root's group is no user's.
  const group = gid === ROOT ? NO_GROUP : gid;
  process.setgroups?.([]);
  process.setgid?.(group);
  if (isReachableBy(uid, folder)) {
    process.setuid?.(uid);
  } else {
    // As with systemd's DynamicUser, whose folders lie in one that only root may enter.
    await keepReadingEverything(() => process.setuid?.(uid)).catch((cause: unknown) => {
      throw new FolderOwnerError(
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

/** Whether this process can look up what is in a folder. */
function isOpen(folder: string): boolean {
  try {
    statSync(`${folder}/.`);
    return true;
  } catch {
    return false;
  }
}
