import { existsSync } from "node:fs";
import { join } from "node:path";

/** The git commit that the sources come from. */
export interface Commit {
  /** The first seven digits of its hash, with `-dirty` when files differ from it. */
  readonly name: string;
  /** When it was made, in ISO 8601; unknown where git is missing. */
  readonly madeAt?: string;
}

/**
 * The commit of a project's folder, or `undefined` without git. The environment variable
 * `BUILD_COMMIT` names it where there is no git history, as in a container.
 */
export function commitOf(root: string): Commit | undefined {
  const given = process.env["BUILD_COMMIT"];
  if (given) return { name: given };
  // Without this check, git would use the repository of a parent folder.
  if (!existsSync(join(root, ".git"))) return undefined;
  const hash = git(root, "rev-parse", "HEAD");
  const seconds = git(root, "log", "-1", "--format=%ct");
  const changes = git(root, "status", "--porcelain");
  if (!hash || !seconds || changes === undefined) return undefined;
  return {
    name: hash.slice(0, 7) + (changes === "" ? "" : "-dirty"),
    madeAt: new Date(Number(seconds) * 1_000).toISOString(),
  };
}

function git(root: string, ...words: string[]): string | undefined {
  if (!Bun.which("git")) return undefined;
  const { success, stdout } = Bun.spawnSync(["git", "-C", root, ...words], { stderr: "ignore" });
  return success ? stdout.toString().trim() : undefined;
}
