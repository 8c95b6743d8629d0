import { accessSync, constants } from "node:fs";
import { CommandError, type Io } from "../../control/execution.ts";
import type { RunSystemProgram } from "../system-program.ts";

/** A way in which a system starts a program when its user signs in. */
export interface Autostart {
  /** The system's name for it, such as `systemd`. */
  readonly how: string;
  /** @throws {CommandError} when the system refuses, or could not start the command line */
  on(): Promise<void>;
  /** Returns whether it was on. @throws {CommandError} */
  off(): Promise<boolean>;
  status(): Promise<AutostartStatus>;
}

export interface AutostartStatus {
  readonly on: boolean;
  /** The command line that is started, as one would type it; `null` when there is none. */
  readonly command: string | null;
  /** Why it is off although there is a command line, or something else that the user should know. */
  readonly note?: string;
}

export interface AutostartFacts {
  readonly environment: Io["environment"];
  /** Absolute path of the program. */
  readonly program: string;
  /** The flags with which it is started, besides those that every such start has. */
  readonly flags: readonly string[];
  readonly run: RunSystemProgram;
}

/** Runs a program of the system that must succeed. @throws {CommandError} */
export async function mustRun(facts: AutostartFacts, command: readonly string[]): Promise<void> {
  const { code, out } = await facts.run(command);
  if (code === 0) return;
  throw new CommandError(`${command.join(" ")} failed: ${out.trim() || `exit code ${code}`}`);
}

/** The words of a start without a browser. */
export const wordsOf = ({ program, flags }: AutostartFacts): string[] => [
  program,
  "serve",
  "--open",
  "never",
  ...flags,
];

/** Characters that are seen in no text, and would begin a line of their own in a system's file. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

/** @throws {CommandError} when no system could keep these words */
export function refuseControlCharacters(words: readonly string[]): void {
  const word = words.find((one) => CONTROL.test(one));
  if (word === undefined) return;
  throw new CommandError(
    `${JSON.stringify(word)} has a line break or another control character, which autostart cannot keep. Rename the file or folder, or change the setting.`,
  );
}

/**
 * The status of a stored command line.
 * @param words empty where there is none
 * @param isOn whether the system would start it
 * @param unstartable characters of the program's path with which the system cannot start it
 */
export function statusOf(
  words: readonly string[],
  isOn: boolean,
  unstartable?: RegExp,
): AutostartStatus {
  const [program] = words;
  if (program === undefined) return { on: false, command: null };
  const command = words.map(forShell).join(" ");
  const reason = whyNotStarted(program, unstartable);
  return { on: isOn && reason === undefined, command, ...(reason && { note: reason }) };
}

/** Why a program cannot be started by the system; `undefined` if it can. */
export function whyNotStarted(program: string, unstartable?: RegExp): string | undefined {
  const [character] = unstartable?.exec(program) ?? [];
  if (character !== undefined) {
    return `This system cannot start a program with ${character} in its path: ${program}. Rename the file or folder, and run "marquee autostart on" there.`;
  }
  try {
    accessSync(program, constants.X_OK);
    return undefined;
  } catch {
    return `${program} is gone or cannot be run. Run "marquee autostart on" with the program that you use.`;
  }
}

/** A word as one types it in a shell. */
const forShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
