import { existsSync, fstatSync, statSync } from "node:fs";
import type { Io } from "./execution.ts";

/** The facts that show whether standard output is written to a log. */
export interface OutputFacts {
  readonly environment: Io["environment"];
  /** The file that standard output is open on, as device and inode number: `8:42`. */
  readonly output: string | undefined;
  /** Whether files of a container engine show that this program runs in a container. */
  readonly hasContainerFile: boolean;
  /** Whether the container engine reads the output. */
  readonly speaksForContainer: boolean;
}

/** This process beside the container's first one, whose output the container engine reads. */
export interface ProcessFacts extends Pick<OutputFacts, "output"> {
  readonly pid: number;
  readonly parentPid: number;
  /** The output of the first process; `undefined` where this process must not see it. */
  readonly firstOutput: string | undefined;
  /** Whether the first process runs as another user. */
  readonly isFirstOfOther: boolean;
}

/** Whether a log keeps the output, so that printed secrets would stay readable. */
export function isOutputLogged(facts: OutputFacts): boolean {
  const { environment, output, hasContainerFile, speaksForContainer } = facts;
  // Podman and systemd-nspawn set `container`, and Kubernetes sets its service's address.
  if (environment["container"] || environment["KUBERNETES_SERVICE_HOST"]) return true;
  // Docker sets no variable. It logs only the output of the container's main process, not of
  // commands that a person runs inside the container.
  if (hasContainerFile && speaksForContainer) return true;
  // systemd sets this variable to the file that leads to the journal. Desktop terminals inherit
  // the variable too, but their output is another file.
  return output !== undefined && environment["JOURNAL_STREAM"] === output;
}

/**
 * Whether the container engine reads the output of a process. A process whose parent has ended is the
 * first one's child too, and tools start programs with a pipe or a file: so parentage alone says nothing.
 */
export function speaksForContainer(facts: ProcessFacts): boolean {
  const { pid, parentPid, output, firstOutput, isFirstOfOther } = facts;
  if (pid === 1) return true;
  if (firstOutput !== undefined) return output === firstOutput;
  // An init that is root may start the program as a user who must not see init's files.
  return parentPid === 1 && isFirstOfOther;
}

/** Whether files of a container engine show that this program runs in a container. */
const containerFileExists = (): boolean =>
  ["/.dockerenv", "/run/.containerenv"].some((path) => existsSync(path));

/** Whether this program runs in a container, whose engine starts and replaces it. */
export const isInContainer = (environment: Io["environment"]): boolean =>
  process.platform === "linux" && (Boolean(environment["container"]) || containerFileExists());

/** Reads the facts about this process. */
export function readOutputFacts(environment: Io["environment"]): OutputFacts {
  const output = identify(() => fstatSync(1));
  return {
    environment,
    output,
    hasContainerFile: containerFileExists(),
    speaksForContainer: speaksForContainer({
      output,
      pid: process.pid,
      parentPid: process.ppid,
      firstOutput: identify(() => statSync("/proc/1/fd/1")),
      isFirstOfOther: isOfOther("/proc/1"),
    }),
  };
}

/**
 * Whether nobody reads the output and nobody types: a desktop, or the user's service manager, has
 * started the program. A pipe has a reader.
 */
export function isUnattended(environment: Io["environment"]): boolean {
  const output = identify(() => fstatSync(1));
  const isJournal = output !== undefined && environment["JOURNAL_STREAM"] === output;
  return (isJournal || isNowhere(1)) && !isTypedIn();
}

/** Whether a standard stream leads nowhere: it is closed or the null device. */
function isNowhere(fileDescriptor: number): boolean {
  try {
    return fstatSync(fileDescriptor).rdev === statSync("/dev/null").rdev;
  } catch {
    return true;
  }
}

const isTypedIn = (): boolean => {
  try {
    return fstatSync(0).isCharacterDevice() && !isNowhere(0);
  } catch {
    return false;
  }
};

function isOfOther(path: string): boolean {
  try {
    return statSync(path).uid !== process.getuid?.();
  } catch {
    return false;
  }
}

function identify(look: () => { dev: number; ino: number }): string | undefined {
  try {
    const { dev, ino } = look();
    return `${dev}:${ino}`;
  } catch {
    // Output may be closed, and the details of another user's process cannot be read.
    return undefined;
  }
}
