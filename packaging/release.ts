/** Builds all files of a release into dist/release/. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../package.json";
import releases from "../src/cli/update/releases.json";
import { sign } from "./minisign.ts";
import { type Commit, commitOf } from "./commit.ts";
import { CompileError } from "./compile.ts";
import { compileTwice, prepareTree } from "./executables.ts";
import { writeManifests } from "./manifests.ts";
import { packAll, type Packed } from "./packages.ts";
import { checksums, keepIfEqual, type Released, ReleaseError } from "./released.ts";
import { createBom } from "./sbom.ts";
import { hostTarget, releaseName, type Target, TARGETS } from "./targets.ts";
import { type Candidate, tryAll } from "./try-out.ts";

interface ReleaseOptions {
  /** Builds for this machine's platform only. */
  readonly onlyHost: boolean;
  /** Whether the built executables are tried out. */
  readonly isTried: boolean;
  /** A file with a secret key of minisign, for the checksums. */
  readonly signWith: string | undefined;
}

/** What is built from, and where to. */
interface Build {
  /** Two folders with different paths that have the same sources. */
  readonly trees: readonly [string, string];
  readonly commit: Commit | undefined;
  /** The folder of the release. */
  readonly folder: string;
  /** Is told of each file as it is done. */
  tell(file: Released): void;
}

/** Returns the exit code. */
async function release({ onlyHost, isTried, signWith }: ReleaseOptions): Promise<number> {
  const root = dirname(import.meta.dir);
  const commit = commitOf(root);
  const host = await hostTarget();
  if (onlyHost && !host) throw new ReleaseError("Marquee is not released for this platform.");

  const folder = join(root, "dist", "release");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const workplace = mkdtempSync(join(tmpdir(), "marquee-release-"));
  try {
    const trees = [join(workplace, "first"), join(workplace, "second", "elsewhere")] as const;
    prepareTree(root, trees[0]);
    // Copied from the first tree, so that an edit in between does not make the two differ.
    prepareTree(trees[0], trees[1]);

    console.log(`marquee ${version}, ${commit ? `commit ${commit.name}` : "no commit known"}`);
    const files: Released[] = [];
    const tell = (file: Released) => {
      files.push(file);
      console.log(`${file.sha256}  ${String(file.bytes).padStart(11)} bytes  ${file.name}`);
    };
    const build = { trees, commit, folder, tell };
    const { built, missing } = await buildExecutables(build, onlyHost && host ? [host] : TARGETS);
    tell(await writeBom(build));

    const skipped: string[] = [];
    const note = (packed: Packed) => {
      if ("lacks" in packed) skipped.push(`  ${packed.name}: needs ${packed.lacks}`);
      else tell(packed);
    };
    const programs = new Map(built.map(({ target, path }) => [target.suffix, path]));
    const packing = { version, madeAt: commit?.madeAt, programs, folder, workplace };
    for await (const packed of packAll(packing)) note(packed);
    const manifesting = { version, from: releases.from, files: [...files], folder };
    for await (const written of writeManifests(manifesting)) note(written);

    await writeChecksums(files, folder, signWith);
    console.log(`All of these came out equal twice. They are in ${folder}.`);
    if (skipped.length > 0) console.log(["", "Left out:", ...skipped].join("\n"));
    const code = isTried ? await tryAll(built, (text) => console.log(`\n${text}`)) : 0;
    if (missing.length === 0) return code;
    console.error(
      ["", "Not built, because Bun could not compile for:", ...missing, ""].join("\n") +
        "Bun fetches another platform's executable from the npm registry. Run this again where it " +
        "is reached, or with --only-host.",
    );
    return 1;
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
}

/** Compiles for every target; `missing` says what Bun cannot compile for, a line each. */
async function buildExecutables(
  { trees, commit, folder, tell }: Build,
  targets: readonly Target[],
): Promise<{ built: Candidate[]; missing: string[] }> {
  const built: Candidate[] = [];
  const missing: string[] = [];
  const host = await hostTarget();
  for (const target of targets) {
    const name = releaseName(version, target);
    const path = join(folder, name);
    try {
      tell(await compileTwice(trees, target, commit?.name, path));
      built.push({ target, path });
    } catch (error) {
      // Another platform's Bun has to be downloaded, which may fail; this machine's is installed.
      if (!(error instanceof CompileError) || target === host) throw error;
      missing.push(`  ${name}: ${error.message.split("\n").at(-1)}`);
    }
  }
  return { built, missing };
}

/** Writes the SBOM, made from both trees. @throws {ReleaseError} when the two differ */
async function writeBom({ trees, commit, folder }: Build): Promise<Released> {
  const writeIn = async (tree: string) => {
    const path = join(tree, "dist", "bom.json");
    const bom = await createBom(tree, commit, Bun.version);
    await Bun.write(path, `${JSON.stringify(bom, null, 2)}\n`);
    return path;
  };
  const boms = [await writeIn(trees[0]), await writeIn(trees[1])] as const;
  return keepIfEqual(boms, join(folder, `marquee-${version}.cdx.json`));
}

/** Writes the list of checksums, and its signature with the secret key in a file. */
async function writeChecksums(
  files: readonly Released[],
  folder: string,
  signWith: string | undefined,
): Promise<void> {
  const list = checksums(files);
  await Bun.write(join(folder, "SHA256SUMS"), list);
  if (signWith === undefined) return;
  const [, secretKey = ""] = (await Bun.file(signWith).text()).split("\n");
  const signature = await sign(Buffer.from(list), secretKey, `marquee ${version}`);
  await Bun.write(join(folder, "SHA256SUMS.minisig"), signature);
}

if (import.meta.main) {
  try {
    const { values } = parseArgs({
      options: {
        "only-host": { type: "boolean", default: false },
        try: { type: "boolean", default: false },
        "sign-with": { type: "string" },
      },
    });
    process.exitCode = await release({
      onlyHost: values["only-host"],
      isTried: values.try,
      signWith: values["sign-with"],
    });
  } catch (error) {
    const kinds = [ReleaseError, CompileError];
    if (!(error instanceof Error) || !kinds.some((kind) => error instanceof kind)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
