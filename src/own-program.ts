import { basename, join } from "node:path";

/** Whether Bun runs the source code, instead of a compiled program. */
export const isFromSource = (): boolean => /^bun(\.exe)?$/.test(basename(process.execPath));

/** The command that starts this program anew, with these words. */
export const ownCommand = (...words: readonly string[]): readonly string[] => [
  process.execPath,
  ...(isFromSource() ? [join(import.meta.dir, "main.ts")] : []),
  ...words,
];
