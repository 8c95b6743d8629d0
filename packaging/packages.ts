import { join } from "node:path";
import { debFor } from "./linux/deb.ts";
import { rpmFor } from "./linux/rpm.ts";
import type { PackageKind } from "./package-kind.ts";
import { type Released, writeTwice } from "./released.ts";

/** All packages of a release, in the order in which they are made. */
export const PACKAGES: readonly PackageKind[] = [
  debFor("amd64"),
  debFor("arm64"),
  rpmFor("x86_64"),
  rpmFor("aarch64"),
];

/** The executables of a release, and where its packages go. */
export interface Packing {
  readonly version: string;
  /** When the commit was made, in ISO 8601; unknown without git. */
  readonly madeAt: string | undefined;
  /** Paths of the executables that were built, by how their names end. */
  readonly programs: ReadonlyMap<string, string>;
  /** The folder of the release. */
  readonly folder: string;
  /** An empty folder. */
  readonly workplace: string;
}

/** What came of a package: its file, or why it was not made. */
export type Packed = Released | { readonly name: string; readonly lacks: string };

/**
 * Makes every package that this machine can make, each twice in different folders.
 * @throws {ReleaseError} when a package differs between the two, or its tool fails
 */
export async function* packAll(
  { version, madeAt, programs, folder, workplace }: Packing,
  kinds = PACKAGES,
): AsyncGenerator<Packed> {
  for (const { suffix, tool, nameOf, make } of kinds) {
    const name = nameOf(version);
    const program = programs.get(suffix);
    // Another platform's executable is not asked for, or is told of as missing already.
    if (program === undefined) continue;
    if (madeAt === undefined) {
      yield { name, lacks: "the time of the commit, which git tells" };
      continue;
    }
    if (!Bun.which(tool)) {
      yield { name, lacks: tool };
      continue;
    }
    const contents = { version, madeAt: new Date(madeAt), program };
    const folders = [
      join(workplace, name, "one"),
      join(workplace, name, "two", "elsewhere"),
    ] as const;
    yield await writeTwice(folders, join(folder, name), (into) => make(contents, into));
  }
}
