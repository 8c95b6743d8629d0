import type { Clock } from "../../../clock.ts";
import { once } from "../../../once.ts";
import { ownCommand } from "../../../own-program.ts";
import { READER_COMMAND } from "./reader-command.ts";
import type { ReaderProcess, ReaderProcessDeps } from "./reader-process.ts";

/** How a system's media sessions are read. */
export type MediaReader = Pick<ReaderProcessDeps, "command" | "replaceAfterMs">;

/** Whether a script that runs for long frees all that it reads is not known. */
const SCRIPT_RUNS_MS = 3_600_000;

/** The way of this system. */
export async function readerHere(): Promise<MediaReader> {
  if (process.platform === "darwin") {
    const { default: script } = await import("./macos/read-sessions.jxa", {
      with: { type: "text" },
    });
    return {
      command: ["/usr/bin/osascript", "-l", "JavaScript", "-e", script],
      replaceAfterMs: SCRIPT_RUNS_MS,
    };
  }
  return { command: ownCommand(READER_COMMAND), replaceAfterMs: Infinity };
}

/** The one process of this server that reads media sessions, made when it is first asked for. */
export const oneReader = (
  clock: Clock,
  mediaReader: () => Promise<MediaReader>,
): (() => Promise<ReaderProcess>) =>
  once(async () => {
    const { createReaderProcess } = await import("./reader-process.ts");
    return createReaderProcess({ clock, ...(await mediaReader()) });
  });
