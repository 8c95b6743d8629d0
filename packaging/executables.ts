import { cpSync } from "node:fs";
import { join } from "node:path";
import { compile, INPUTS } from "./compile.ts";
import { keepIfEqual, type Released, ReleaseError } from "./released.ts";
import type { Target } from "./targets.ts";

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
    const name = target.suffix.endsWith(".exe") ? "marquee.exe" : "marquee";
    const file = join(root, "dist", target.bun, name);
    await compile({ root, outfile: file, commit, target: target.bun });
    return file;
  };
  // One after the other: the first may download the Bun that the second uses too.
  return keepIfEqual([await compileIn(trees[0]), await compileIn(trees[1])], path);
}
