import { join } from "node:path";
import { AUR } from "./linux/aur.ts";
import { HOMEBREW } from "./macos/homebrew.ts";
import type { Manifest, ManifestedRelease } from "./manifest.ts";
import type { Packed } from "./packages.ts";
import { type Released, releasedAt } from "./released.ts";
import { SCOOP } from "./windows/scoop.ts";
import { WINGET } from "./windows/winget.ts";

/** What package managers read that fetch a release's files, in the order in which they are written. */
const MANIFESTS: readonly Manifest[] = [WINGET, SCOOP, HOMEBREW, AUR];

/** A release whose manifests are to be written. */
export interface Manifesting {
  readonly version: string;
  /** The web folder of the newest release, as `releases.json` tells it; may be empty. */
  readonly from: string;
  /** The files that are there already. */
  readonly files: readonly Released[];
  /** The folder of the release. */
  readonly folder: string;
}

/** Writes every manifest whose files are all there. */
export async function* writeManifests({
  version,
  from,
  files,
  folder,
}: Manifesting): AsyncGenerator<Packed> {
  const known = new Map(files.map(({ name, sha256 }) => [name, sha256]));
  const release: ManifestedRelease = {
    version,
    homepage: homepageOf(from),
    address: (name) => `${folderOf(from, version)}/${name}`,
    sha256: (name) => known.get(name) ?? "",
  };
  for (const { name, needs, textsFor } of MANIFESTS) {
    const missing = needs(version).find((file) => !known.has(file));
    if (from === "") {
      yield { name, lacks: "the address of releases, in src/cli/update/releases.json" };
    } else if (missing !== undefined) {
      yield { name, lacks: missing };
    } else {
      for (const [file, text] of Object.entries(textsFor(release))) {
        const path = join(folder, file);
        await Bun.write(path, text);
        yield await releasedAt(path);
      }
    }
  }
}

const GITHUB_NEWEST = /\/releases\/latest\/download$/;

/**
 * The web folder with one version's files, which stay there. GitHub has one for each tag; any other
 * web folder has all versions.
 */
export const folderOf = (from: string, version: string): string =>
  trimmed(from).replace(GITHUB_NEWEST, `/releases/download/v${version}`);

/** A page for people about what is released there. */
export const homepageOf = (from: string): string => trimmed(from).replace(GITHUB_NEWEST, "");

const trimmed = (from: string): string => from.replace(/\/+$/, "");
