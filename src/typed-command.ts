import { basename, isAbsolute } from "node:path";
import { isFromSource } from "./own-program.ts";
import { RUN_FROM_SOURCE } from "./version.ts";

/** What people type to run this program, as they did: `./marquee`, or the command that runs the sources. */
export function typedCommand(): string {
  if (isFromSource()) return RUN_FROM_SOURCE;
  return quoted(process.argv0);
}

/** A word as all shells read it, of Windows too. */
export const quoted = (word: string): string => (word.includes(" ") ? `"${word}"` : word);

/** The same for strangers, who must not see in which folder it lies. */
export const publicCommand = (): string =>
  !isFromSource() && isAbsolute(process.argv0) ? basename(process.argv0) : typedCommand();
