import { basename, dirname, join } from "node:path";

/** Whether Bun runs the source code, instead of a compiled program. */
export const isFromSource = (): boolean => /^bun(\.exe)?$/.test(basename(process.execPath));

/** How the JSX of pages is compiled. Bun reads no other than that of the folder in which it is started. */
const OWN_TSCONFIG = join(import.meta.dir, "../tsconfig.json");
const WITH_OWN_TSCONFIG = `--tsconfig-override=${OWN_TSCONFIG}`;

/** Whether Bun compiles the source code otherwise than it is written for. */
export const isMiscompiled = (): boolean =>
  isFromSource() &&
  process.cwd() !== dirname(OWN_TSCONFIG) &&
  !process.execArgv.includes(WITH_OWN_TSCONFIG);

/** The command that starts this program anew, with these words. */
export const ownCommand = (...words: readonly string[]): readonly string[] => [
  process.execPath,
  ...(isFromSource() ? [WITH_OWN_TSCONFIG, join(import.meta.dir, "main.ts")] : []),
  ...words,
];
