/** Compiles the executable: `bun packaging/compile.ts` for this machine, into dist/. */
import { dirname, join } from "node:path";
import { commitOf } from "./commit.ts";

/** How every executable is compiled, whatever it is for. */
export const COMPILE_FLAGS = [
  "--compile",
  // What is loaded when first used stays a piece of its own, which an idle server never reads.
  "--splitting",
  "--minify",
  "--bytecode",
  "--format=esm",
  "--sourcemap=inline",
  "--compile-jit-policy=8",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
  // Elysia looks for it to check uploads, which Marquee has none of. Development tools bring it
  // along, and what they bring must not change the executable.
  "--external=file-type",
] as const;

export interface CompileOptions {
  /** The folder with `src` and `node_modules`. */
  readonly root: string;
  /** Its last name gets into the executable: equal names for equal bytes. */
  readonly outfile: string;
  /** Embedded for `--version`. */
  readonly commit: string | undefined;
  /** Bun's name of the platform; without it, this machine's. */
  readonly target?: string;
}

/** The compiler did not succeed; the message is its own words. */
export class CompileError extends Error {
  override readonly name = "CompileError";
}

/**
 * Writes an executable; Bun fetches its own for another platform the first time.
 * @throws {CompileError}
 */
export async function compile({ root, outfile, commit, target }: CompileOptions): Promise<string> {
  const child = Bun.spawn(
    [
      process.execPath,
      "build",
      "src/main.ts",
      ...COMPILE_FLAGS,
      ...(target ? [`--target=${target}`] : []),
      ...(commit ? ["--define", `BUILD_COMMIT=${JSON.stringify(commit)}`] : []),
      `--outfile=${outfile}`,
    ],
    { cwd: root, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
  const [told, complaints, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new CompileError((complaints || told).trim());
  return told.trimEnd();
}

if (import.meta.main) {
  const root = dirname(import.meta.dir);
  try {
    const told = await compile({
      root,
      outfile: join("dist", "marquee"),
      commit: commitOf(root)?.name,
    });
    console.log(told);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
