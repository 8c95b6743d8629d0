import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { debFor } from "./linux/deb.ts";
import { rpmFor } from "./linux/rpm.ts";
import type { Contents, PackageKind } from "./package-kind.ts";
import { keepIfEqual, type Released } from "./released.ts";
import { SETUP_PROCESSORS, windowsSetup } from "./windows/setup.ts";

/** All packages of a release, in the order in which they are made. */
export const PACKAGES: readonly PackageKind[] = [
  debFor("amd64"),
  debFor("arm64"),
  rpmFor("x86_64"),
  rpmFor("aarch64"),
  // Each takes two minutes, and saves everybody a quarter of the download.
  ...SETUP_PROCESSORS.map((processor) => windowsSetup(processor, "lzma")),
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
  for (const kind of kinds) {
    const name = kind.nameOf(version);
    const program = programs.get(kind.suffix);
    // Another platform's executable is not asked for, or is told of as missing already.
    if (program === undefined) continue;
    if (madeAt === undefined) {
      yield { name, lacks: "the time of the commit, which git tells" };
    } else if (!Bun.which(kind.tool)) {
      yield { name, lacks: kind.tool };
    } else {
      const contents = { version, madeAt: new Date(madeAt), program };
      yield await packTwice(kind, contents, join(workplace, name), folder);
    }
  }
}

/**
 * Makes a package in two folders with different paths at the same time, and keeps one in `folder`.
 * @throws {ReleaseError} when their bytes differ
 */
export async function packTwice(
  { nameOf, make }: PackageKind,
  contents: Contents,
  workplace: string,
  folder: string,
): Promise<Released> {
  const makeIn = (into: string) => {
    mkdirSync(into, { recursive: true });
    return make(contents, into);
  };
  const files = await Promise.all([
    makeIn(join(workplace, "one")),
    makeIn(join(workplace, "two", "elsewhere")),
  ]);
  return keepIfEqual(files, join(folder, nameOf(contents.version)));
}
