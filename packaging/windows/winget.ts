import { type Manifest, SUMMARY } from "../manifest.ts";
import { PUBLISHER, SETUP_PROCESSORS, setupName } from "./setup.ts";

const ID = "Marquee.Marquee";
const FORMAT = "1.12.0";
const LANGUAGE = "en-US";

/**
 * Three files for https://github.com/microsoft/winget-pkgs. They name the setup program: the plain
 * executable would get no entry in the Start menu.
 */
export const WINGET: Manifest = {
  name: "winget",
  needs: (version) => SETUP_PROCESSORS.map((processor) => setupName(version, processor)),
  textsFor({ version, homepage, address, sha256 }) {
    const text = (type: string, facts: object) => {
      const schema = `https://aka.ms/winget-manifest.${type}.${FORMAT}.schema.json`;
      const all = {
        PackageIdentifier: ID,
        PackageVersion: version,
        ...facts,
        ManifestType: type,
        ManifestVersion: FORMAT,
      };
      return `# yaml-language-server: $schema=${schema}\n${Bun.YAML.stringify(all, null, 2)}\n`;
    };
    return {
      [`${ID}.yaml`]: text("version", { DefaultLocale: LANGUAGE }),
      [`${ID}.installer.yaml`]: text("installer", {
        InstallerType: "nullsoft",
        Scope: "user",
        UpgradeBehavior: "install",
        // The name of its key in the list of installed apps.
        ProductCode: "Marquee",
        Installers: SETUP_PROCESSORS.map((processor) => {
          const setup = setupName(version, processor);
          return {
            Architecture: processor,
            InstallerUrl: address(setup),
            InstallerSha256: sha256(setup).toUpperCase(),
          };
        }),
      }),
      [`${ID}.locale.${LANGUAGE}.yaml`]: text("defaultLocale", {
        PackageLocale: LANGUAGE,
        Publisher: PUBLISHER,
        PackageName: "Marquee",
        PackageUrl: homepage,
        License: "MIT",
        ShortDescription: SUMMARY,
        Tags: ["music", "now-playing", "obs", "overlay", "streaming"],
      }),
    };
  },
};
