import { join } from "node:path";
import { type PackageKind, runTool } from "../package-kind.ts";

/** Who stands in the list of installed apps. */
export const PUBLISHER = "Marquee contributors";

/** The processors that have a setup program. */
export const SETUP_PROCESSORS = ["x64", "arm64"] as const;

type Processor = (typeof SETUP_PROCESSORS)[number];

/**
 * NSIS's names for the setup's own code. It has none for arm64, where every Windows runs 32-bit
 * programs for x86; those for x64 need Windows 11.
 */
const NSIS_TARGETS: Readonly<Record<Processor, string>> = {
  x64: "amd64-unicode",
  arm64: "x86-unicode",
};

/** The name of the setup program of a version. */
export const setupName = (version: string, processor: Processor): string =>
  `marquee-${version}-windows-${processor}-setup.exe`;

/** How the setup program is compressed: lzma is smaller, zlib faster. */
type Compressor = "lzma" | "zlib";

/** A setup program for Windows, which NSIS makes: https://nsis.sourceforge.io/Docs/ */
export const windowsSetup = (processor: Processor, compressor: Compressor): PackageKind => ({
  suffix: `windows-${processor}.exe`,
  tool: "makensis",
  nameOf: (version) => setupName(version, processor),
  async make(contents, folder) {
    // NSIS warns of plain "setup.exe", for which Windows loads what lies beside it.
    const path = join(folder, "marquee-setup.exe");
    const given = {
      ...definitionsFor(contents.version, Bun.file(contents.program).size),
      TARGET: NSIS_TARGETS[processor],
      COMPRESSOR: compressor,
      PROGRAM: contents.program,
      ICON: join(import.meta.dir, "marquee.ico"),
      OUTPUT: path,
    };
    const definitions = Object.entries(given).map(([name, value]) => `-D${name}=${value}`);
    const script = join(import.meta.dir, "setup.nsi");
    const how = ["-NOCONFIG", "-WX", "-V2", "-INPUTCHARSET", "UTF8"];
    await runTool(["makensis", ...how, ...definitions, script], contents.madeAt, folder);
    return path;
  },
});

/** What the script is told about a program of so many bytes. */
export function definitionsFor(version: string, bytes: number): Readonly<Record<string, string>> {
  return {
    VERSION: version,
    // Windows knows no release candidates.
    FOUR_NUMBERS: `${version.replace(/-.*/, "")}.0`,
    PUBLISHER,
    KIBIBYTES: String(Math.ceil(bytes / 1_024)),
  };
}
