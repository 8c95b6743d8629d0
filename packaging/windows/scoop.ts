import { type Manifest, SUMMARY } from "../manifest.ts";

const executable = (version: string, processor: string): string =>
  `marquee-${version}-windows-${processor}.exe`;

/** A file for a bucket of Scoop: https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests */
export const SCOOP: Manifest = {
  name: "Scoop",
  needs: (version) => [executable(version, "x64"), executable(version, "arm64")],
  textsFor({ version, homepage, address, sha256 }) {
    const fileFor = (processor: string) => {
      const name = executable(version, processor);
      // What comes after "#/" is the name that the file gets.
      return { url: `${address(name)}#/marquee.exe`, hash: sha256(name) };
    };
    const manifest = {
      version,
      description: SUMMARY,
      homepage,
      license: "MIT",
      architecture: { "64bit": fileFor("x64"), arm64: fileFor("arm64") },
      bin: "marquee.exe",
      shortcuts: [["marquee.exe", "Marquee", "open"]],
    };
    return { "marquee.json": `${JSON.stringify(manifest, null, 4)}\n` };
  },
};
