/**
 * On Windows and macOS a crash of Bun sends a report to its vendor, unless the environment forbids it
 * before the program starts; what a program changes later has no effect. So it starts itself anew.
 */

/** The environment in which a program of ours sends nothing. */
export const NO_CRASH_REPORTS = { BUN_ENABLE_CRASH_REPORTING: "0", DO_NOT_TRACK: "1" } as const;

/** Who has started this process anew. */
const STARTED_ANEW_BY = "STARTED_ANEW_BY";

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a crash of this process would send a report. */
export const wouldSendReports = (platform: NodeJS.Platform, environment: Environment): boolean =>
  (platform === "win32" || platform === "darwin") &&
  environment["BUN_ENABLE_CRASH_REPORTING"] !== NO_CRASH_REPORTS.BUN_ENABLE_CRASH_REPORTING;

/**
 * Replaces this process by one that sends no reports. Windows cannot replace a process: there this one
 * waits for the other, and ends with its exit code.
 * @param words the command that starts this program with the same words
 */
export async function startAnew(
  words: readonly string[],
  platform: NodeJS.Platform,
  environment: Environment,
): Promise<never> {
  const env = { ...environment, ...NO_CRASH_REPORTS, [STARTED_ANEW_BY]: String(process.pid) };
  const [program = process.execPath] = words;
  if (platform !== "win32") process.execve?.(program, [...words], env);
  // Windows sends Ctrl+C to both, and this one has to stay for the exit code.
  process.on("SIGINT", () => {});
  const child = Bun.spawn([...words], { stdio: ["inherit", "inherit", "inherit"], env });
  process.exit(await child.exited);
}

/** Whether the process that started this one is the same program, which only waits. */
export const wasStartedAnew = (environment: Environment): boolean =>
  environment[STARTED_ANEW_BY] === String(process.ppid);
