/** Builds all files of a release into dist/release/. */
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import packageJson from "../package.json";
import { type Commit, commitOf } from "./commit.ts";
import { compile, CompileError, INPUTS } from "./compile.ts";
import { createBom } from "./sbom.ts";
import { sign, SignatureError } from "../src/cli/update/minisign.ts";
import { hostTarget, releaseName, type Target, TARGETS } from "./targets.ts";
import { attempt, attemptTable, type Candidate } from "./try-out.ts";

/** A file of the release could not be built correctly. */
export class ReleaseError extends Error {
  override readonly name = "ReleaseError";
}

export interface Released {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Copies the sources to an empty folder and installs the production dependencies there. */
export function prepareTree(root: string, into: string): void {
  for (const input of INPUTS) cpSync(join(root, input), join(into, input), { recursive: true });
  const { success, stderr } = Bun.spawnSync(
    [process.execPath, "install", "--production", "--omit=peer", "--frozen-lockfile", "--silent"],
    { cwd: into },
  );
  if (!success) throw new ReleaseError(`Packages cannot be installed:\n${stderr.toString()}`);
}

/**
 * Compiles for a target in two folders with different paths and separate packages, and keeps the
 * first result as `path`.
 * @throws {ReleaseError} when their bytes differ
 * @throws {CompileError} when Bun cannot compile for the target
 */
export async function compileTwice(
  trees: readonly [string, string],
  target: Target,
  commit: string | undefined,
  path: string,
): Promise<Released> {
  const compileIn = async (root: string) => {
    const folder = join(root, "dist", target.bun);
    const file = join(folder, target.suffix.endsWith(".exe") ? "marquee.exe" : "marquee");
    await compile({ root, outfile: file, commit, target: target.bun });
    return { file, sha256: await sha256Of(file) };
  };
  // One after the other: the first may download the Bun that the second uses too.
  const first = await compileIn(trees[0]);
  const second = await compileIn(trees[1]);
  if (first.sha256 !== second.sha256) {
    throw new ReleaseError(
      `${basename(path)} differs between two builds: ${first.sha256} and ${second.sha256}`,
    );
  }
  renameSync(first.file, path);
  rmSync(dirname(second.file), { recursive: true });
  return { name: basename(path), bytes: Bun.file(path).size, sha256: first.sha256 };
}

async function sha256Of(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const bytes of Bun.file(path).stream()) hash.update(bytes);
  return hash.digest("hex");
}

/** Writes the SBOM, made from both trees. @throws {ReleaseError} when the two differ */
async function writeBom(
  trees: readonly [string, string],
  commit: Commit | undefined,
  path: string,
): Promise<Released> {
  const [first, second] = await Promise.all(
    trees.map(async (root) => JSON.stringify(await createBom(root, commit, Bun.version), null, 2)),
  );
  if (first !== second) throw new ReleaseError(`${basename(path)} differs between two builds.`);
  await Bun.write(path, `${first}\n`);
  return { name: basename(path), bytes: Bun.file(path).size, sha256: await sha256Of(path) };
}

/** Checksums in the format that `sha256sum -c` reads. */
export const checksums = (files: readonly Released[]): string =>
  files
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .sort((one, other) => (one.slice(66) < other.slice(66) ? -1 : 1))
    .join("");

/** Tries out every executable that this machine can run, prints results, returns the exit code. */
export async function tryAll(
  candidates: readonly Candidate[],
  tell: (text: string) => void,
  stepWithinMs?: number,
): Promise<number> {
  const rows = [];
  for (const candidate of candidates) {
    const workplace = mkdtempSync(join(tmpdir(), "marquee-try-"));
    try {
      const made = await attempt(candidate, workplace, stepWithinMs);
      rows.push({ name: basename(candidate.path), ...made });
    } finally {
      rmSync(workplace, { recursive: true, force: true });
    }
  }
  tell(attemptTable(rows));
  return rows.some(({ outcome }) => outcome === "fails") ? 1 : 0;
}

interface ReleaseOptions {
  /** Builds for this machine's platform only. */
  readonly onlyHost: boolean;
  /** Whether the built executables are tried out. */
  readonly isTried: boolean;
  /** A file with a secret key of minisign, for the checksums. */
  readonly signWith: string | undefined;
}

/** Returns the exit code. */
async function release({ onlyHost, isTried, signWith }: ReleaseOptions): Promise<number> {
  const root = dirname(import.meta.dir);
  const { version } = packageJson;
  const commit = commitOf(root);
  const host = await hostTarget();
  if (onlyHost && !host) throw new ReleaseError("Marquee is not released for this platform.");
  const targets = onlyHost && host ? [host] : TARGETS;

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
    const missing: string[] = [];
    const built: Candidate[] = [];
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
    tell(await writeBom(trees, commit, join(folder, `marquee-${version}.cdx.json`)));
    const list = checksums(files);
    await Bun.write(join(folder, "SHA256SUMS"), list);
    if (signWith !== undefined) {
      const [, secretKey = ""] = (await Bun.file(signWith).text()).split("\n");
      const signature = await sign(Buffer.from(list), secretKey, `marquee ${version}`);
      await Bun.write(join(folder, "SHA256SUMS.minisig"), signature);
    }
    console.log(`All of these came out equal twice. They are in ${folder}.`);
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
    const kinds = [ReleaseError, CompileError, SignatureError];
    if (!(error instanceof Error) || !kinds.some((kind) => error instanceof kind)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
