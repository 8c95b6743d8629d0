import { win32 } from "node:path";
import type { RunSystemProgram } from "../system-program.ts";
import { readValues, settingText } from "../windows-registry.ts";

/** The entry that the setup program makes in Windows' list of installed apps. */
const ENTRY = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Marquee`;

/**
 * Writes the version of a program into Windows' list of installed apps, if the setup program has
 * installed it there; winget compares this version too. Returns whether the list is right.
 * @param program absolute path of the program
 */
export async function showVersion(
  program: string,
  version: string,
  run: RunSystemProgram,
): Promise<boolean> {
  const folder = (await readValues(ENTRY, run)).get("InstallLocation");
  // Another copy of the program, such as one on a USB stick, has no entry.
  if (folder === undefined || !isSameFolder(folder, win32.dirname(program))) return true;
  return (await run(settingText(ENTRY, "DisplayVersion", version))).code === 0;
}

const isSameFolder = (one: string, other: string): boolean =>
  win32.resolve(one).toLowerCase() === win32.resolve(other).toLowerCase();
