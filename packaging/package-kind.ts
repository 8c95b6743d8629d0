import { ReleaseError } from "./released.ts";

/** What a package is made of. */
export interface Contents {
  readonly version: string;
  /** When the commit was made: the time of every file inside. */
  readonly madeAt: Date;
  /** Path of the executable. */
  readonly program: string;
}

/** A kind of package, for one platform. */
export interface PackageKind {
  /** How the name of the executable inside ends, such as `linux-x64`. */
  readonly suffix: string;
  /** The program that makes it. */
  readonly tool: string;
  /** The name of the package's file. */
  nameOf(version: string): string;
  /**
   * Makes it in an empty folder, and returns its path there.
   * @throws {ReleaseError} when the tool fails
   */
  make(contents: Contents, folder: string): Promise<string>;
}

/**
 * Runs a program that makes a package; `home` is a folder without settings of a user.
 * @throws {ReleaseError} with its words, when it fails
 */
export async function runTool(
  command: readonly string[],
  madeAt: Date,
  home: string,
): Promise<void> {
  const child = Bun.spawn([...command], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: {
      ...process.env,
      HOME: home,
      LC_ALL: "C",
      TZ: "UTC",
      SOURCE_DATE_EPOCH: String(Math.floor(madeAt.getTime() / 1_000)),
    },
  });
  const said = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  const words = (await Promise.all(said)).join("").trim();
  if ((await child.exited) !== 0) throw new ReleaseError(`${command[0]} failed:\n${words}`);
}

/** A version as the package managers of Linux order it: `1.2.0~rc.1` comes before `1.2.0`. */
export const linuxVersion = (version: string): string => version.replace("-", "~");
