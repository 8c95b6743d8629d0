/**
 * Marquee's name, icon and version for its Windows program. They go into Bun's own program before
 * anything is compiled into it: a compiled one has a section of Bun's at its end that no tool can
 * move. https://learn.microsoft.com/en-us/windows/win32/menurc/resource-file-formats
 */
import { Data, NtExecutable, NtExecutableResource, Resource } from "resedit";

const ENGLISH_US = 1033;
const UNICODE = 1200;
const TYPES = { icon: 3, iconGroup: 14, version: 16, manifest: 24 } as const;

/**
 * A double click on Windows 11 24H2 and later opens no console; in a terminal everything is as
 * before. https://learn.microsoft.com/en-us/windows/console/console-allocation-policy
 */
const NO_CONSOLE_OF_ITS_OWN =
  '<consoleAllocationPolicy xmlns="http://schemas.microsoft.com/SMI/2024/WindowsSettings">detached</consoleAllocationPolicy>';

/** Bun's program for Windows is not the one that is known. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

export interface Brand {
  /** Such as `0.1.0`. */
  readonly version: string;
  /** An `.ico` file with its pictures. */
  readonly icon: Uint8Array;
}

/** Returns Bun's program with Marquee's name, icon, version and manifest. @throws {TemplateError} */
export function brand(template: Uint8Array, { version, icon }: Brand): Uint8Array {
  const executable = NtExecutable.from(template, { ignoreCert: true });
  const resources = NtExecutableResource.from(executable);
  resources.entries = resources.entries.filter(
    ({ type }) => ![TYPES.icon, TYPES.iconGroup, TYPES.version].some((one) => one === type),
  );
  const pictures = Data.IconFile.from(icon).icons.map(({ data }) => data);
  Resource.IconGroupEntry.replaceIconsForResource(resources.entries, 1, ENGLISH_US, pictures);
  versionOf(version).outputToResourceEntries(resources.entries);
  const manifest = resources.entries.find(({ type }) => type === TYPES.manifest);
  const text = manifest && new TextDecoder().decode(manifest.bin);
  if (!manifest || !text?.includes("</asmv3:windowsSettings>")) {
    throw new TemplateError("Bun's program for Windows has another manifest than the known one.");
  }
  const changed = text.replace(
    "</asmv3:windowsSettings>",
    `  ${NO_CONSOLE_OF_ITS_OWN}\n    </asmv3:windowsSettings>`,
  );
  manifest.bin = new TextEncoder().encode(changed).buffer;
  resources.outputResource(executable, false, true);
  return new Uint8Array(executable.generate());
}

function versionOf(version: string): Resource.VersionInfo {
  const info = Resource.VersionInfo.createEmpty();
  info.lang = ENGLISH_US;
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => Number.parseInt(part));
  info.setFileVersion(major, minor, patch, 0, ENGLISH_US);
  info.setProductVersion(major, minor, patch, 0, ENGLISH_US);
  info.setStringValues(
    { lang: ENGLISH_US, codepage: UNICODE },
    {
      ProductName: "Marquee",
      // The Task Manager and the firewall show this one.
      FileDescription: "Marquee",
      CompanyName: "Marquee contributors",
      OriginalFilename: "marquee.exe",
      InternalName: "marquee",
      LegalCopyright: "MIT License",
      FileVersion: `${version}.0`,
      ProductVersion: `${version}.0`,
    },
  );
  return info;
}

/** What a Windows program tells of itself. */
export interface Told {
  readonly strings: Readonly<Record<string, string>>;
  /** Edge lengths of the icon's pictures, in pixels. */
  readonly icons: readonly number[];
  readonly manifest: string;
}

/** Reads the resources of a Windows program. */
export function readBrand(program: Uint8Array): Told {
  const resources = NtExecutableResource.from(NtExecutable.from(program, { ignoreCert: true }));
  const [info] = Resource.VersionInfo.fromEntries(resources.entries);
  const [language] = info?.getAllLanguagesForStringValues() ?? [];
  const [group] = Resource.IconGroupEntry.fromEntries(resources.entries);
  const manifest = resources.entries.find(({ type }) => type === TYPES.manifest);
  return {
    strings: info && language ? info.getStringValues(language) : {},
    icons: (group?.icons ?? []).map(({ width }) => width || 256),
    manifest: manifest ? new TextDecoder().decode(manifest.bin) : "",
  };
}
