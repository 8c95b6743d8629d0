import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Artwork } from "../../../playback.ts";
import { LARGEST_COVER_BYTES, loadCover } from "../../../upstream/cover.ts";
import type { Upstream } from "../../../upstream/index.ts";
import { isShareable } from "../../../upstream/public-hosts.ts";

/**
 * Covers at the addresses that players give: files of this machine, pictures inside the address,
 * and public servers.
 */
export interface Covers {
  /** The picture at an address; `null` when there is none, or not one that may be loaded. */
  at(artUrl: string): Promise<Artwork | null>;
}

export function createCovers(upstream: Upstream, origin: string): Covers {
  const find = async (artUrl: string): Promise<Artwork | null> => {
    if (artUrl.startsWith("file:")) {
      const path = pathOf(artUrl);
      const version = path && (await versionOf(path));
      if (!version) return null;
      return { key: `mpris:${path}:${version}`, origin, load: () => readPicture(path) };
    }
    const key = `mpris:${digestOf(artUrl)}`;
    const [, text] = /^data:image\/[\w.+-]+;base64,([\w+/=\s]+)$/.exec(artUrl) ?? [];
    if (text !== undefined) return { key, origin, load: async () => Buffer.from(text, "base64") };
    const url = URL.parse(artUrl);
    if (url?.protocol !== "https:") return null;
    const shared = isShareable(url) ? { url: url.href } : {};
    return { key, ...shared, origin, load: () => loadCover(upstream, artUrl) };
  };

  return { at: find };
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

const digestOf = (text: string): string =>
  new Bun.CryptoHasher("sha256").update(text).digest("base64url");
