import type { Io } from "../command.ts";
import type { RunSystemProgram } from "../system-program.ts";

/** A way in which a system starts a program when its user signs in. */
export interface Autostart {
  /** The system's name for it, such as `systemd`. */
  readonly how: string;
  /** @throws {AutostartError} when the system refuses */
  on(): Promise<void>;
  /** Returns whether it was on. @throws {AutostartError} */
  off(): Promise<boolean>;
  status(): Promise<AutostartStatus>;
}

export interface AutostartStatus {
  readonly on: boolean;
  /** The command line that is started, as the system stores it; `null` when there is none. */
  readonly command: string | null;
  /** Something that the user should know. */
  readonly note?: string;
}

export interface AutostartFacts {
  readonly environment: Io["environment"];
  /** Absolute path of the program. */
  readonly program: string;
  /** Absolute path of the data folder. */
  readonly data: string;
  readonly run: RunSystemProgram;
}

/** Marquee cannot be started by itself here. The message says why, and what to do. */
export class AutostartError extends Error {
  override readonly name = "AutostartError";
}

/** Runs a program of the system that must succeed. @throws {AutostartError} */
export async function mustRun(facts: AutostartFacts, command: readonly string[]): Promise<void> {
  const { code, out } = await facts.run(command);
  if (code === 0) return;
  throw new AutostartError(`${command.join(" ")} failed: ${out.trim() || `exit code ${code}`}`);
}
