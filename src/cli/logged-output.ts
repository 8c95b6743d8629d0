import { existsSync, fstatSync, statSync } from "node:fs";
import type { Io } from "./command.ts";

/** What tells whether standard output ends up in a log. */
export interface OutputFacts {
  readonly environment: Io["environment"];
  /** Which open file standard output is: its device and number, `8:42`. */
  readonly output: string | undefined;
  /** Whether this program runs where a container engine has left its mark. */
  readonly isInContainer: boolean;
  /** Whether it is the first process there, was started by it, or writes to where that one does. */
  readonly speaksForContainer: boolean;
}

/** Whether a log keeps what is printed, so that secrets in it would outlive their moment. */
export function isOutputLogged(facts: OutputFacts): boolean {
  const { environment, output, isInContainer, speaksForContainer } = facts;
  // Podman and systemd-nspawn say so to what they start, and Kubernetes says where it is.
  if (environment["container"] || environment["KUBERNETES_SERVICE_HOST"]) return true;
  // Docker says nothing. Whoever works inside a container by hand is not logged, only what the
  // container was started for is.
  if (isInContainer && speaksForContainer) return true;
  // systemd names the journal's end of standard output. It is inherited: a desktop's terminals
  // have the variable too, but write elsewhere.
  return output !== undefined && environment["JOURNAL_STREAM"] === output;
}

/** Reads the facts about this process. */
export function readOutputFacts(environment: Io["environment"]): OutputFacts {
  const output = identify(() => fstatSync(1));
  return {
    environment,
    output,
    isInContainer: ["/.dockerenv", "/run/.containerenv"].some((path) => existsSync(path)),
    speaksForContainer:
      process.pid === 1 ||
      process.ppid === 1 ||
      (output !== undefined && output === identify(() => statSync("/proc/1/fd/1"))),
  };
}

function identify(look: () => { dev: number; ino: number }): string | undefined {
  try {
    const { dev, ino } = look();
    return `${dev}:${ino}`;
  } catch {
    // Output may be closed, and another account's process shows nothing of itself.
    return undefined;
  }
}
