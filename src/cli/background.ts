import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ResolvedConfig } from "../config.ts";
import { NO_CRASH_REPORTS, wasStartedAnew } from "../crash-reports.ts";
import { createFolder } from "../db/open.ts";
import { answersAt } from "./healthcheck.ts";
import {
  isServerRunning,
  NotRunningError,
  readRunningFacts,
  type RunningFacts,
} from "./server-lock.ts";

/** What the server in the background logs, in the data folder. */
export const LOG_FILE = "marquee.log";
const LONGEST_LOG_BYTES = 1024 * 1024;
const STARTS_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 50;

/**
 * Whether a person has started this program without a terminal, by a double click: then nobody reads
 * what is printed, and a window that stays open would be in the way.
 */
export async function isStartedWithoutTerminal(): Promise<boolean> {
  if (process.platform !== "win32") return false;
  const { consoleProcesses } = await import("./windows-desktop.ts");
  const own = wasStartedAnew(process.env) ? 2 : 1;
  return consoleProcesses() <= own;
}

/**
 * Starts the server in a process that outlives this one, and resolves when it answers.
 * @param flags the flags of this start
 * @throws {NotRunningError} with the reason, when it ends instead
 */
export async function startInBackground(
  { config }: ResolvedConfig,
  flags: readonly string[],
): Promise<RunningFacts> {
  const { data } = config;
  createFolder(data);
  const path = join(data, LOG_FILE);
  const log = openSync(path, sizeOf(path) > LONGEST_LOG_BYTES ? "w" : "a", 0o600);
  const beforeBytes = sizeOf(path);
  const child = Bun.spawn(
    [process.execPath, "serve", ...flags, "--open", "never", "--data", data],
    // What a first start prints is for a person, and nobody could read it.
    {
      stdin: "ignore",
      stdout: "ignore",
      stderr: log,
      detached: true,
      windowsHide: true,
      env: { ...process.env, ...NO_CRASH_REPORTS },
    },
  );
  closeSync(log);
  child.unref();
  const giveUpAtMs = performance.now() + STARTS_WITHIN_MS;
  while (performance.now() < giveUpAtMs) {
    const facts = isServerRunning(data) ? readRunningFacts(data) : undefined;
    if (facts && (await answersAt(facts.listens))) return facts;
    if (child.exitCode !== null) throw new NotRunningError(lastWords(path, beforeBytes));
    await Bun.sleep(LOOK_EVERY_MS);
  }
  throw new NotRunningError(`Marquee did not start in time. See ${path}.`);
}

/** What a program has logged before its end, as its own sentences. */
function lastWords(path: string, fromByte: number): string {
  const text = readFileSync(path).subarray(fromByte).toString("utf8");
  const sentences = text.match(/^marquee: .*$/gm)?.map((line) => line.slice("marquee: ".length));
  return sentences?.join("\n") ?? `Marquee could not start. See ${path}.`;
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
