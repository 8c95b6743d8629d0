import { writeSync } from "node:fs";
import { errorCode } from "../error-code.ts";
import { CommandError, type Io } from "../control/execution.ts";

/** A command's output could not be written: the reader is gone or the disk is full. */
export class OutputError extends CommandError {}

/**
 * Writes a line to a file descriptor synchronously, and throws if that fails. The console would
 * ignore the error, and a key that is shown only once would be lost.
 * (`process.stdout` would load Node's streams and terminal code: 5 MB of idle memory.)
 * @throws {OutputError}
 */
export function writeLine(fileDescriptor: number, line: string): void {
  let rest = Buffer.from(`${line}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fileDescriptor, rest));
    } catch (error) {
      if (errorCode(error) !== "EAGAIN") {
        throw new OutputError(
          "The output could not be written. The command has done its work, but nobody has seen what it printed.",
          { cause: error },
        );
      }
      // The pipe of a slow reader is full: wait a little.
      Bun.sleepSync(5);
    }
  }
}

/**
 * The same output for what can be shown again, such as a list: a reader that has left, as `head`
 * does, has seen enough.
 */
export const untilReaderLeaves = (io: Io): Io => ({
  ...io,
  out(line) {
    try {
      io.out(line);
    } catch (error) {
      if (!(error instanceof OutputError) || errorCode(error.cause) !== "EPIPE") throw error;
    }
  },
});

/** Whether standard input, output or error is a terminal. */
export function hasTerminal(): boolean {
  const { isatty } = process.getBuiltinModule("node:tty");
  return [0, 1, 2].some(isatty);
}

/** Whether standard output is a terminal. The first call loads a module that takes 2.5 MB. */
export function isTerminal(): boolean {
  return process.getBuiltinModule("node:tty").isatty(1);
}
