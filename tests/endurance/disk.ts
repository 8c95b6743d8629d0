import { closeSync, openSync, truncateSync } from "node:fs";

/** A small disk of its own, which can be full and whose files can be made unwritable. */
export interface Disk {
  /**
   * Refuses writes to these files and new files in these folders, also to a program that has them
   * open, or allows them again. Returns whether that works on this disk.
   */
  freeze(paths: readonly string[], isFrozen: boolean): boolean;
  unmount(): void;
}

const MIB = 96;
const isDone = (...command: string[]) => Bun.spawnSync(command, { stderr: "ignore" }).success;

/**
 * Mounts a disk at `folder`, which needs root: ext4 in a file, `image`, or memory where there are no
 * such disks. `undefined` where nothing may be mounted.
 */
export function mountSmallDisk(folder: string, image: string): Disk | undefined {
  if (process.getuid?.() !== 0) return undefined;
  closeSync(openSync(image, "w"));
  truncateSync(image, MIB * 2 ** 20);
  const isExt4 =
    isDone("mkfs.ext4", "-q", "-m", "0", image) && isDone("mount", "-o", "loop", image, folder);
  const size = `size=${MIB}m,mode=700`;
  if (!isExt4 && !isDone("mount", "-t", "tmpfs", "-o", size, "tmpfs", folder)) return undefined;
  return {
    // A disk with files that are open for writing cannot be mounted read-only, and one that turned
    // read-only because of an error stays so. Attributes of ext4 hold for open files, too.
    freeze: (paths, isFrozen) => isExt4 && isDone("chattr", isFrozen ? "+i" : "-i", ...paths),
    unmount: () => void isDone("umount", "-l", folder),
  };
}
