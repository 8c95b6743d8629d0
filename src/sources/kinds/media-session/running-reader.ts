import type { Clock } from "../../../clock.ts";
import { NO_CRASH_REPORTS } from "../../../crash-reports.ts";
import { describeError } from "../../../log.ts";
import { LONGEST_LINE_BYTES, type ReaderLine, readLine } from "./reader-lines.ts";

export interface RunningReaderDeps {
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  /** The program and its words. */
  readonly command: readonly string[];
  /** How long it runs, in milliseconds. */
  readonly forMs: number;
  /** Gets each line that is one of the reader's. */
  receive(line: ReaderLine): void;
}

const SILENT_FOR_MS = 15_000;
/** A reader writes a line a change; more than this is a flood. */
const MOST_LINES = 200;
const MOST_BYTES = 48 * 1024 * 1024;
const COUNTED_FOR_MS = 5_000;

/**
 * Runs a reader and checks what it writes, until its time is over or the signal aborts. Resolves with a reason
 * if it has ended before, or was ended because it hung, wrote too much or nonsense.
 */
export async function runReader(
  { clock, command, forMs, receive }: RunningReaderDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  const spawned = spawnReader(command);
  if ("error" in spawned) return describeError(spawned.error);
  const { child } = spawned;
  const ended = Promise.withResolvers<string | undefined>();
  let hasEnded = false;
  const end = (reason?: string) => {
    hasEnded = true;
    ended.resolve(reason);
  };

  let cancelSilence = () => {};
  const awaitLine = () => {
    cancelSilence();
    cancelSilence = clock.after(SILENT_FOR_MS, () => end("it was silent for 15 seconds"));
  };
  const counted = { sinceMs: clock.monotonicMs(), lines: 0, bytes: 0 };
  const isFlood = (bytes: number): boolean => {
    const nowMs = clock.monotonicMs();
    if (nowMs - counted.sinceMs >= COUNTED_FOR_MS) {
      Object.assign(counted, { sinceMs: nowMs, lines: 0, bytes: 0 });
    }
    counted.lines += 1;
    counted.bytes += bytes;
    return counted.lines > MOST_LINES || counted.bytes > MOST_BYTES;
  };
  const read = async (): Promise<string> => {
    for await (const text of linesIn(child.stdout)) {
      if (hasEnded) break;
      if (isFlood(text.length)) return "it wrote too much";
      const line = readLine(text);
      if (!line) return "it wrote something unknown";
      awaitLine();
      receive(line);
    }
    return `it ended with exit code ${await child.exited}`;
  };

  const onAbort = () => end();
  signal.addEventListener("abort", onAbort);
  const cancelTime = forMs === Infinity ? () => {} : clock.after(forMs, onAbort);
  awaitLine();
  read().then(end, () => end("its lines could not be read"));
  const reason = await ended.promise;
  signal.removeEventListener("abort", onAbort);
  cancelTime();
  cancelSilence();
  child.kill(reason === undefined ? "SIGTERM" : "SIGKILL");
  return reason;
}

/** Its input is a pipe, so that it ends when this program does, however that ends. */
function spawnReader(command: readonly string[]) {
  try {
    const child = Bun.spawn([...command], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      windowsHide: true,
      env: { ...process.env, ...NO_CRASH_REPORTS },
    });
    return { child };
  } catch (error) {
    return { error };
  }
}

const NEWLINE = 10;

/** The lines of a stream, as they are complete. @throws for one that is longer than any that the reader writes */
async function* linesIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    let rest = chunk;
    for (;;) {
      const end = rest.indexOf(NEWLINE);
      const part = end === -1 ? rest : rest.subarray(0, end);
      length += part.length;
      if (length > LONGEST_LINE_BYTES) throw new Error("a line has no end");
      parts.push(part);
      if (end === -1) break;
      yield Buffer.concat(parts).toString("utf8");
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
  }
}
