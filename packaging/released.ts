import { renameSync, rmSync } from "node:fs";
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
 * Keeps the first of two files, which were made in different folders, as `path`.
 * @throws {ReleaseError} when their bytes differ
 */
export async function keepIfEqual(
  [one, other]: readonly [string, string],
  path: string,
): Promise<Released> {
  const [sha256, otherSha256] = [await sha256Of(one), await sha256Of(other)];
  if (sha256 !== otherSha256) {
    throw new ReleaseError(
      `${basename(path)} differs between two builds: ${sha256} and ${otherSha256}`,
    );
  }
  renameSync(one, path);
  rmSync(other);
  return releasedAt(path);
}

/** A file that is in the folder of a release. */
export const releasedAt = async (path: string): Promise<Released> => ({
  name: basename(path),
  bytes: Bun.file(path).size,
  sha256: await sha256Of(path),
});

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
