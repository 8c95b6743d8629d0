import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { AUR } from "../../packaging/linux/aur.ts";
import { folderOf, homepageOf, writeManifests } from "../../packaging/manifests.ts";
import { PACKAGES, type Packed } from "../../packaging/packages.ts";
import { releaseName, TARGETS } from "../../packaging/targets.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { run } from "../fixtures/packaging/packages.ts";
import { testWith } from "../fixtures/real-parts.ts";

const FROM = "https://example.org/marquee/";
/** All files of a release; each has a checksum of its own. */
const files = [
  ...TARGETS.map((target) => releaseName("1.2.3", target)),
  ...PACKAGES.map(({ nameOf }) => nameOf("1.2.3")),
].map((name) => ({ name, bytes: 1, sha256: sha256Of(name) }));

function sha256Of(name: string): string {
  return new Bun.CryptoHasher("sha256").update(name).digest("hex");
}

const written = (from: string, given: typeof files, into: string): Promise<Packed[]> =>
  Array.fromAsync(writeManifests({ version: "1.2.3", from, files: given, folder: into }));

let folder: ReturnType<typeof createTempFolder>;
let release: string;
let made: readonly Packed[];
beforeAll(async () => {
  folder = createTempFolder();
  release = join(folder.path, "release");
  made = await written(FROM, files, release);
});
afterAll(() => folder.remove());
const read = (name: string) => Bun.file(join(release, name)).text();

describe("the manifests of a release", () => {
  test("are written beside its files, and listed with them", () => {
    const names = [
      "Marquee.Marquee.yaml",
      "Marquee.Marquee.installer.yaml",
      "Marquee.Marquee.locale.en-US.yaml",
      "marquee.json",
      "marquee.rb",
      "PKGBUILD",
    ];
    expect(made.map(({ name }) => name)).toEqual(names);
    expect(readdirSync(release).toSorted()).toEqual(names.toSorted());
  });

  test("are left out, with the reason, where nobody knows the address or a file is missing", async () => {
    const nowhere = join(folder.path, "nowhere");
    const lacks = "the address of releases, in src/cli/update/releases.json";
    expect(await written("", files, nowhere)).toEqual(
      ["winget", "Scoop", "Homebrew", "PKGBUILD"].map((name) => ({ name, lacks })),
    );
    const someFiles = files.filter(({ name }) => !/setup|arm64/.test(name));
    expect(await written(FROM, someFiles, nowhere)).toEqual([
      { name: "winget", lacks: "marquee-1.2.3-windows-x64-setup.exe" },
      { name: "Scoop", lacks: "marquee-1.2.3-windows-arm64.exe" },
      { name: "Homebrew", lacks: "marquee-1.2.3-macos-arm64" },
      { name: "PKGBUILD", lacks: "marquee_1.2.3_arm64.deb" },
    ]);
  });

  test("name files that stay where they are when a newer version comes", () => {
    const newest = "https://github.com/ada/marquee/releases/latest/download";
    expect(folderOf(newest, "1.2.3")).toBe(
      "https://github.com/ada/marquee/releases/download/v1.2.3",
    );
    expect(homepageOf(newest)).toBe("https://github.com/ada/marquee");
    expect(folderOf(FROM, "1.2.3")).toBe("https://example.org/marquee");
  });
});

describe("winget's manifests", () => {
  test("install the setup program for one user", async () => {
    const id = { PackageIdentifier: "Marquee.Marquee", PackageVersion: "1.2.3" };
    const installers = ["x64", "arm64"].map((processor) => {
      const name = `marquee-1.2.3-windows-${processor}-setup.exe`;
      return {
        Architecture: processor,
        InstallerUrl: `https://example.org/marquee/${name}`,
        InstallerSha256: sha256Of(name).toUpperCase(),
      };
    });
    expect(Bun.YAML.parse(await read("Marquee.Marquee.yaml"))).toEqual({
      ...id,
      DefaultLocale: "en-US",
      ManifestType: "version",
      ManifestVersion: "1.12.0",
    });
    expect(Bun.YAML.parse(await read("Marquee.Marquee.installer.yaml"))).toEqual({
      ...id,
      InstallerType: "nullsoft",
      Scope: "user",
      UpgradeBehavior: "install",
      ProductCode: "Marquee",
      Installers: installers,
      ManifestType: "installer",
      ManifestVersion: "1.12.0",
    });
    expect(Bun.YAML.parse(await read("Marquee.Marquee.locale.en-US.yaml"))).toMatchObject({
      ...id,
      PackageLocale: "en-US",
      Publisher: "Marquee contributors",
      PackageName: "Marquee",
      License: "MIT",
      ShortDescription: "Now-playing API and stream overlay in one program",
      ManifestType: "defaultLocale",
    });
  });

  test("name the schema that they follow", async () => {
    expect(await read("Marquee.Marquee.installer.yaml")).toStartWith(
      "# yaml-language-server: $schema=https://aka.ms/winget-manifest.installer.1.12.0.schema.json\n",
    );
  });
});

describe("Scoop's manifest", () => {
  test("gives the executable its name, and a shortcut that opens it", async () => {
    const manifest = JSON.parse(await read("marquee.json"));
    const name = "marquee-1.2.3-windows-x64.exe";
    expect(manifest).toMatchObject({
      version: "1.2.3",
      license: "MIT",
      bin: "marquee.exe",
      shortcuts: [["marquee.exe", "Marquee", "open"]],
    });
    expect(Object.keys(manifest.architecture)).toEqual(["64bit", "arm64"]);
    expect(manifest.architecture["64bit"]).toEqual({
      url: `https://example.org/marquee/${name}#/marquee.exe`,
      hash: sha256Of(name),
    });
  });
});

describe("Homebrew's formula", () => {
  test("names each system's executable with its checksum", async () => {
    const formula = await read("marquee.rb");
    const found = formula.matchAll(/url "https:\/\/example\.org\/marquee\/(.*)"\n +sha256 "(.*)"/g);
    expect([...found].map(([, name, sha256]) => [name, sha256])).toEqual(
      ["macos-arm64", "macos-x64", "linux-arm64", "linux-x64"].map((suffix) => {
        const name = `marquee-1.2.3-${suffix}`;
        return [name, sha256Of(name)];
      }),
    );
    expect(formula.match(/^ *(class|def|on_\w+|service|test)\b.*$/gm)).toHaveLength(10);
    expect(formula.match(/^ *end$/gm)).toHaveLength(10);
  });
});

describe("the build script for Arch Linux", () => {
  testWith("bash", Bun.which("bash") !== null)("is read by bash as it is meant", async () => {
    const path = join(release, "PKGBUILD");
    const shown = '"$pkgname $pkgver ${arch[*]} ${options[*]} $source_x86_64 $sha256sums_aarch64"';
    const { code, out, errors } = run(["bash", "-euc", `. "$0"; echo ${shown}`, path]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(out).toBe(
      "marquee-bin 1.2.3 x86_64 aarch64 !strip " +
        "https://example.org/marquee/marquee_1.2.3_amd64.deb " +
        `${sha256Of("marquee_1.2.3_arm64.deb")}\n`,
    );
  });

  test("gives a release candidate a version that comes before the release's", () => {
    const texts = AUR.textsFor({
      version: "1.2.3-rc.1",
      homepage: FROM,
      address: String,
      sha256: String,
    });
    expect(texts["PKGBUILD"]).toContain("\npkgver=1.2.3rc.1\n");
  });
});
