import { closeSync, constants, readFileSync } from "node:fs";
import { join } from "node:path";
import { NO_CRASH_REPORTS, wasStartedAnew } from "../crash-reports.ts";
import { createFolder } from "../db/data-folder.ts";
import { makeAnew, openOwnFile } from "../own-file.ts";
import { answersAt } from "./healthcheck.ts";
import { CommandError, type Io } from "../control/execution.ts";
import { hasTerminal } from "./output.ts";
import { isServerRunning, readRunningFacts, type RunningFacts } from "../control/folder-lock.ts";

/** What the server in the background logs, in the data folder. */
const LOG_FILE = "marquee.log";
const LONGEST_LOG_BYTES = 1024 * 1024;
const STARTS_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 50;

/**
 * Whether a person has started this program without a terminal, by a double click: then nobody reads
 * what is printed, and a window that stays open would be in the way.
 * @param opens whether it is `marquee open`, which an icon on a Linux desktop runs. Other starts
 * without a terminal are a service manager's.
 */
export async function isStartedByClick(
  opens: boolean,
  environment: Io["environment"],
): Promise<boolean> {
  if (process.platform === "linux") {
    const hasDisplay = Boolean(environment["DISPLAY"] || environment["WAYLAND_DISPLAY"]);
    return opens && hasDisplay && !hasTerminal();
  }
  if (process.platform !== "win32") return false;
  const { consoleProcesses } = await import("./windows-desktop.ts");
  const own = wasStartedAnew(process.env) ? 2 : 1;
  return consoleProcesses() <= own;
}

/**
 * Starts the server in a process that outlives this one, and resolves when it answers.
 * @param data the folder
 * @param flags the flags of this start, without the folder
 * @throws {CommandError} with the reason, when it ends instead
 */
export async function startInBackground(
  data: string,
  flags: readonly string[],
): Promise<RunningFacts> {
  createFolder(data);
  const path = join(data, LOG_FILE);
  const log = openLog(path);
  const beforeBytes = Bun.file(path).size;
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
    if (child.exitCode !== null) throw new CommandError(lastWords(path, beforeBytes));
    await Bun.sleep(LOOK_EVERY_MS);
  }
  throw new CommandError(`Marquee did not start in time. See ${path}.`);
}

/** @throws {CommandError} when the folder is not writable */
function openLog(path: string): number {
  try {
    const isLong = Bun.file(path).size > LONGEST_LOG_BYTES;
    const log = isLong ? undefined : openOwnFile(path, constants.O_WRONLY | constants.O_APPEND);
    return log ?? makeAnew(path);
  } catch (cause) {
    throw new CommandError(
      `Marquee cannot write to ${path}. Choose a data folder you may write to with --data or MARQUEE_DATA.`,
      { cause },
    );
  }
}

/** What a program has logged before its end, as its own sentences. */
function lastWords(path: string, fromByte: number): string {
  const text = readFileSync(path).subarray(fromByte).toString("utf8");
  const sentences = text.match(/^marquee: .*$/gm)?.map((line) => line.slice("marquee: ".length));
  return sentences?.join("\n") ?? `Marquee could not start. See ${path}.`;
}

/** Shows what went wrong to somebody who sees no terminal. Does nothing where that is not possible. */
export async function showError(text: string): Promise<void> {
  if (process.platform === "win32") {
    const windows = await import("./windows-desktop.ts");
    return windows.showError(text);
  }
  const notifier = Bun.which("notify-send");
  if (notifier) Bun.spawn([notifier, "--icon=marquee", "Marquee", text]).unref();
}
