import { writeSync } from "node:fs";

/** What a command had to tell could not be written: the reader is gone or the disk is full. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/**
 * Writes a line to a file descriptor before it returns, and finds out whether that worked; the
 * console would lose a key that is shown once in silence.
 * (`process.stdout` would load Node's streams and terminal, 5 MB of idle memory.)
 * @throws {OutputError}
 */
export function writeLine(fileDescriptor: number, line: string): void {
  let rest = Buffer.from(`${line}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fileDescriptor, rest));
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code !== "EAGAIN") {
        throw new OutputError(
          "The result could not be written. What was asked for is done, but nobody has seen what it printed.",
          { cause: error },
        );
      }
      // A slow reader's pipe is full: it gets a moment.
      Bun.sleepSync(5);
    }
  }
}

/** Whether standard output is a terminal. Only the question loads what can answer it, 2.5 MB. */
export function isTerminal(): boolean {
  return process.getBuiltinModule("node:tty").isatty(1);
}
