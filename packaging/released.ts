import { mkdirSync, renameSync, rmSync } from "node:fs";
import { basename } from "node:path";

/** A file of the release could not be built correctly. */
export class ReleaseError extends Error {
  override readonly name = "ReleaseError";
}

/** A file of a release. */
export interface Released {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Lets a file be written in each of two folders, and keeps the first one as `path`.
 * @param write writes the file into a folder that is there, and returns where it lies
 * @throws {ReleaseError} when their bytes differ
 */
export async function writeTwice(
  folders: readonly [string, string],
  path: string,
  write: (folder: string) => Promise<string>,
): Promise<Released> {
  const writeIn = async (folder: string) => {
    mkdirSync(folder, { recursive: true });
    const file = await write(folder);
    return { file, sha256: await sha256Of(file) };
  };
  // One after the other: what the first downloads, the second uses too.
  const first = await writeIn(folders[0]);
  const second = await writeIn(folders[1]);
  if (first.sha256 !== second.sha256) {
    throw new ReleaseError(
      `${basename(path)} differs between two builds: ${first.sha256} and ${second.sha256}`,
    );
  }
  renameSync(first.file, path);
  rmSync(second.file);
  return { name: basename(path), bytes: Bun.file(path).size, sha256: first.sha256 };
}

async function sha256Of(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const bytes of Bun.file(path).stream()) hash.update(bytes);
  return hash.digest("hex");
}

/** Checksums in the format that `sha256sum -c` reads. */
export const checksums = (files: readonly Released[]): string =>
  files
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .sort((one, other) => (one.slice(66) < other.slice(66) ? -1 : 1))
    .join("");
