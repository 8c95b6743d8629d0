/** Compiles the executable: `bun packaging/compile.ts` for this machine, into dist/. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import packageJson from "../package.json";
import { commitOf } from "./commit.ts";
import { signMacho } from "./macos/macho.ts";
import { isForMac, templateOf } from "./targets.ts";
import { brand } from "./windows/brand.ts";

/** All files that the executable is built from, besides installed packages. */
export const INPUTS = [
  "src",
  "widget",
  "drizzle",
  "package.json",
  "bun.lock",
  "bunfig.toml",
  "tsconfig.json",
];

/** Compiler flags for every platform. */
export const COMPILE_FLAGS = [
  "--compile",
  // Code that is imported on first use stays a separate chunk, which an idle server never loads.
  "--splitting",
  // Not minified: Elysia reads the text of handlers, and would wait for nearly each as for a promise.
  "--bytecode",
  "--format=esm",
  "--sourcemap=inline",
  "--compile-jit-policy=8",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
  // Elysia uses it, if installed, to check uploads, and Marquee has no uploads. Development tools
  // may install it, and they must not change the executable.
  "--external=file-type",
] as const;

export interface CompileOptions {
  /** The folder with `src` and `node_modules`. */
  readonly root: string;
  /** Its file name becomes part of the executable: equal bytes need equal file names. */
  readonly outfile: string;
  /** Embedded for `--version`. */
  readonly commit: string | undefined;
  /** Bun's name for the platform; by default this machine's. */
  readonly target?: string;
  /** A folder for the source maps, which the executable has inside too; without it they are deleted. */
  readonly maps?: string;
}

/** The compiler failed; the message is the compiler's own. */
export class CompileError extends Error {
  override readonly name = "CompileError";
}

/**
 * Writes an executable. For another platform, Bun downloads that platform's Bun the first time. One
 * for macOS is signed, as macOS requires.
 * @throws {CompileError}
 */
export async function compile({
  root,
  outfile,
  commit,
  target,
  maps,
}: CompileOptions): Promise<string> {
  const path = resolve(root, outfile);
  mkdirSync(dirname(path), { recursive: true });
  // Bun also writes a source map beside the executable for each part of it. Their names change with
  // their content, so they would pile up.
  const workplace = mkdtempSync(join(dirname(path), ".compile-"));
  const built = join(workplace, basename(path));
  try {
    const branded = await brandedProgram(target, workplace);
    const child = Bun.spawn(
      [
        process.execPath,
        "build",
        "src/main.ts",
        ...COMPILE_FLAGS,
        ...(target ? [`--target=${target}`] : []),
        ...(branded ? [`--compile-executable-path=${branded}`] : []),
        ...(commit ? ["--define", `BUILD_COMMIT=${JSON.stringify(commit)}`] : []),
        `--outfile=${built}`,
      ],
      { cwd: root, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
    );
    const [told, complaints, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (code !== 0) throw new CompileError((complaints || told).trim());
    if (isForMac(target ?? `bun-${process.platform}-`)) {
      await Bun.write(built, signMacho(await Bun.file(built).bytes()));
    }
    renameSync(built, path);
    if (maps !== undefined) {
      rmSync(maps, { recursive: true, force: true });
      cpSync(workplace, maps, { recursive: true });
    }
    return told.trimEnd().replaceAll(built, outfile);
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
}

/** Where Bun's own programs of other platforms are kept between builds. */
const TEMPLATES = join(tmpdir(), `marquee-templates-${Bun.version}`);

/**
 * Writes Bun's program for a platform with Marquee's name and icon into a folder, and returns its
 * path; `undefined` where a program has no such things.
 * @throws {CompileError} when Bun cannot get its program, or it is not the known one
 */
async function brandedProgram(
  target: string | undefined,
  into: string,
): Promise<string | undefined> {
  const template = templateOf(target);
  if (!template) return undefined;
  const path = join(TEMPLATES, `${template.name}-v${Bun.version}`);
  if (!existsSync(path)) {
    // Compiling anything makes Bun fetch it.
    const source = join(into, "nothing.ts");
    writeFileSync(source, "");
    const { success, stderr } = Bun.spawnSync(
      [process.execPath, "build", "--compile", `--target=${target}`, source, "--outfile=nothing"],
      { cwd: into, env: { ...process.env, BUN_INSTALL_CACHE_DIR: TEMPLATES } },
    );
    if (!success) throw new CompileError(stderr.toString().trim());
  }
  const bytes = await Bun.file(path).bytes();
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  if (sha256 !== template.sha256) {
    rmSync(path);
    throw new CompileError(`${path} is not Bun's program as it is known: its SHA-256 is ${sha256}`);
  }
  const icon = await Bun.file(join(import.meta.dir, "windows", "marquee.ico")).bytes();
  const branded = join(into, "template.exe");
  await Bun.write(branded, brand(bytes, { version: packageJson.version, icon }));
  return branded;
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
