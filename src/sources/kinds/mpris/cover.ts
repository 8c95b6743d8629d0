import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Artwork } from "../../../playback.ts";
import { LARGEST_COVER_BYTES } from "../../../upstream/cover.ts";
import type { Covers } from "../../../upstream/covers.ts";

/**
 * The picture at an address that a player gives: a file of this machine, or what anybody may name. `null` when
 * there is none, or not one that may be loaded.
 */
export type CoverAt = (artUrl: string) => Promise<Artwork | null>;

/** In base64. Some players send the picture itself, which comes no further than this process. */
const LONGEST_DATA_URI = Math.ceil(LARGEST_COVER_BYTES / 3) * 4 + 1_024;

export function createPlayerCovers(covers: Pick<Covers, "named">, origin: string): CoverAt {
  const namer = { origin, longestDataUri: LONGEST_DATA_URI };
  /** A player repeats it with each change. */
  let last: { readonly artUrl: string; readonly artwork: Artwork | null } | undefined;
  return async (artUrl) => {
    if (!artUrl.startsWith("file:")) {
      if (last?.artUrl !== artUrl) last = { artUrl, artwork: covers.named(artUrl, namer) ?? null };
      return last.artwork;
    }
    const path = pathOf(artUrl);
    const version = path && (await versionOf(path));
    if (!version) return null;
    return { key: `mpris:${path}:${version}`, origin, load: () => readPicture(path) };
  };
}

/** `undefined` for a file of another machine. */
function pathOf(fileUrl: string): string | undefined {
  try {
    return fileURLToPath(fileUrl);
  } catch {
    return undefined;
  }
}

/** Differs when a player writes another picture to the same path; `undefined` without a file. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeMs, size } = await stat(path);
    return `${ino}:${mtimeMs}:${size}`;
  } catch {
    // A player in a sandbox gives paths that only it can read.
    return undefined;
  }
}

async function readPicture(path: string): Promise<Uint8Array> {
  // Without waiting: a named pipe would make this wait for its other end.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new Error("a cover is not a file");
    if (status.size > LARGEST_COVER_BYTES) throw new Error("a cover is larger than 8 megabytes");
    const bytes = new Uint8Array(status.size);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
