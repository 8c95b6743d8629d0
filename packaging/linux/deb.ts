/** Packages for Debian and Ubuntu: https://www.debian.org/doc/debian-policy/ */
import { join } from "node:path";
import { type Contents, linuxVersion, type PackageKind, runTool } from "../package-kind.ts";
import { compressed, date, filesOf, FONTS_LICENCE, layOut, type PackagedFile } from "./contents.ts";

/** Debian's name for a processor. */
type Architecture = "amd64" | "arm64";

/** Debian wants a name with an address, and the project has no address. */
const MAINTAINER = "Marquee contributors <marquee@invalid>";
const SCRIPTS = ["postinst", "prerm", "postrm"];
const read = (name: string): Promise<string> => Bun.file(join(import.meta.dir, "deb", name)).text();

/** A package for Debian and its relatives. */
export const debFor = (architecture: Architecture): PackageKind => ({
  suffix: architecture === "amd64" ? "linux-x64" : "linux-arm64",
  tool: "dpkg-deb",
  nameOf: (version) => `marquee_${linuxVersion(version)}_${architecture}.deb`,
  async make(contents, folder) {
    const root = join(folder, "root");
    const files = [...(await filesOf(contents)), ...(await documents(contents))];
    layOut(files, root);
    layOut(await controlFiles(contents.version, architecture, files, root), join(root, "DEBIAN"));
    date(root, contents.madeAt);
    const path = join(folder, "marquee.deb");
    // The fastest setting of xz takes ten seconds.
    const how = ["--root-owner-group", "-Zxz", "-z1"];
    await runTool(["dpkg-deb", "--build", ...how, root, path], contents.madeAt, folder);
    return path;
  },
});

async function documents({ version, madeAt }: Contents): Promise<PackagedFile[]> {
  const licence = await Bun.file(join(import.meta.dir, "../../LICENSE")).text();
  const fontsLicence = await Bun.file(FONTS_LICENCE).text();
  const entry = `marquee (${linuxVersion(version)}) unstable; urgency=medium

  * Release ${version}.

 -- ${MAINTAINER}  ${madeAt.toUTCString().replace("GMT", "+0000")}
`;
  return [
    { path: "usr/share/doc/marquee/copyright", content: copyrightOf(licence, fontsLicence) },
    { path: "usr/share/doc/marquee/changelog.gz", content: compressed(entry) },
    { path: "usr/share/lintian/overrides/marquee", content: await read("lintian-overrides") },
  ];
}

/** https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/ */
function copyrightOf(licence: string, fontsLicence: string): string {
  const [, owner = "", terms = ""] = /^Copyright \(c\) (.*)\n\n([^]*)$/m.exec(licence) ?? [];
  const fontOwners = fontsLicence.matchAll(/^Copyright (\d.*)$/gm);
  const owners = [owner, ...[...fontOwners].map(([, fontOwner]) => fontOwner)];
  const indented = (text: string) => text.trimEnd().replace(/^$/gm, ".").replace(/^/gm, " ");
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Marquee
Comment:
 The program contains Bun, whose licences https://bun.com/docs/project/license tells, and packages
 that the list of components beside each release names with their licences.

Files: *
Copyright: ${owners.join("\n           ")}
License: Expat and OFL-1.1

License: Expat
${indented(terms)}

License: OFL-1.1
${indented(fontsLicence)}
`;
}

async function controlFiles(
  version: string,
  architecture: Architecture,
  files: readonly PackagedFile[],
  root: string,
): Promise<PackagedFile[]> {
  let kibibytes = 0;
  let sums = "";
  for (const { path } of files) {
    const file = Bun.file(join(root, path));
    kibibytes += Math.ceil(file.size / 1_024);
    sums += `${new Bun.CryptoHasher("md5").update(await file.bytes()).digest("hex")}  ${path}\n`;
  }
  return [
    { path: "control", content: controlOf(version, architecture, kibibytes) },
    { path: "md5sums", content: sums },
    ...(await Promise.all(
      SCRIPTS.map(async (path) => ({
        path,
        content: await read(path),
        isExecutable: true as const,
      })),
    )),
  ];
}

/** The control file; the size is that of the installed files in KiB. */
export const controlOf = (
  version: string,
  architecture: Architecture,
  kibibytes: number,
): string => `Package: marquee
Version: ${linuxVersion(version)}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.17)
Section: sound
Priority: optional
Description: now-playing API and stream overlay in one program
 Marquee gets the song that is playing from a player or service, draws a
 transparent overlay for OBS, answers chat bots and serves the same as JSON.
 .
 It brings a system service that is not enabled by itself.
`;
