/** Builds all files of a release into dist/release/. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import packageJson from "../package.json";
import { commitOf } from "./commit.ts";
import { CompileError } from "./compile.ts";
import { compileTwice, prepareTree } from "./executables.ts";
import { packAll } from "./packages.ts";
import { checksums, type Released, ReleaseError, keepIfEqual } from "./released.ts";
import { createBom } from "./sbom.ts";
import { sign, SignatureError } from "../src/cli/update/minisign.ts";
import { hostTarget, releaseName, TARGETS } from "./targets.ts";
import { type Candidate, tryAll } from "./try-out.ts";

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
    const skipped: string[] = [];
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
    const writeBom = async (tree: string) => {
      const file = join(tree, "dist", "bom.json");
      const bom = await createBom(tree, commit, Bun.version);
      await Bun.write(file, `${JSON.stringify(bom, null, 2)}\n`);
      return file;
    };
    const boms = [await writeBom(trees[0]), await writeBom(trees[1])] as const;
    tell(await keepIfEqual(boms, join(folder, `marquee-${version}.cdx.json`)));
    const programs = new Map(built.map(({ target, path }) => [target.suffix, path]));
    const packing = { version, madeAt: commit?.madeAt, programs, folder, workplace };
    for await (const packed of packAll(packing)) {
      if ("lacks" in packed) skipped.push(`  ${packed.name}: needs ${packed.lacks}`);
      else tell(packed);
    }
    const list = checksums(files);
    await Bun.write(join(folder, "SHA256SUMS"), list);
    if (signWith !== undefined) {
      const [, secretKey = ""] = (await Bun.file(signWith).text()).split("\n");
      const signature = await sign(Buffer.from(list), secretKey, `marquee ${version}`);
      await Bun.write(join(folder, "SHA256SUMS.minisig"), signature);
    }
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
