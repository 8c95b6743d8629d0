/** Packages for Fedora, openSUSE and their relatives: https://rpm.org/docs/ */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { linuxVersion, type PackageKind, runTool } from "../package-kind.ts";
import { date, filesOf, FONTS_LICENCE, layOut } from "./contents.ts";

/** The name that these systems have for a processor. */
type Architecture = "x86_64" | "aarch64";

const LICENCES = "usr/share/licenses/marquee";

/** What has to be said so that the program stays whole, and the package is the same each time. */
const MACROS: Readonly<Record<string, string>> = {
  // They would strip the program, and its own code would be cut off with that.
  __os_install_post: "%{nil}",
  debug_package: "%{nil}",
  _build_id_links: "none",
  source_date_epoch_from_changelog: "0",
  use_source_date_epoch_as_buildtime: "1",
  clamp_mtime_to_source_date_epoch: "1",
  _buildhost: "marquee",
  _binary_payload: "w3.zstdio",
  _rpmfilename: "marquee.rpm",
};

/** A package for Fedora and its relatives. */
export const rpmFor = (architecture: Architecture): PackageKind => ({
  suffix: architecture === "x86_64" ? "linux-x64" : "linux-arm64",
  tool: "rpmbuild",
  nameOf: (version) => `marquee-${linuxVersion(version)}-1.${architecture}.rpm`,
  async make(contents, folder) {
    const root = join(folder, "root");
    const licence = join(import.meta.dir, "../../LICENSE");
    const files = [
      ...(await filesOf(contents)),
      { path: `${LICENCES}/LICENSE`, content: { copyOf: licence } },
      { path: `${LICENCES}/OFL.txt`, content: { copyOf: FONTS_LICENCE } },
    ];
    layOut(files, root);
    date(root, contents.madeAt);
    const spec = join(folder, "marquee.spec");
    writeFileSync(
      spec,
      specOf(
        contents.version,
        files.map(({ path }) => path),
      ),
    );
    const top = join(folder, "rpmbuild");
    mkdirSync(top);
    const macros = { ...MACROS, _topdir: top, _rpmdir: folder, laid_out: root };
    const defines = Object.entries(macros).flatMap(([name, is]) => ["--define", `${name} ${is}`]);
    await runTool(
      ["rpmbuild", "-bb", "--quiet", `--target=${architecture}-linux`, ...defines, spec],
      contents.madeAt,
      folder,
    );
    return join(folder, "marquee.rpm");
  },
});

/** The spec file; the files lie below `%{laid_out}` and are named from there. */
export const specOf = (version: string, paths: readonly string[]): string => `Name: marquee
Version: ${linuxVersion(version)}
Release: 1
Summary: Now-playing API and stream overlay in one program
License: MIT AND OFL-1.1
# Found out by itself, it would be another one on each machine that builds this.
AutoReqProv: no
Requires: libc.so.6(GLIBC_2.17)(64bit)

%description
Marquee gets the song that is playing from a player or service, draws a
transparent overlay for OBS, answers chat bots and serves the same as JSON.

It brings a system service that is not enabled by itself.

%install
cp -a "%{laid_out}/." "%{buildroot}/"

%post
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload >/dev/null 2>&1 || :
fi

%preun
# 0 packages stay: this is no upgrade.
if [ "$1" -eq 0 ] && [ -d /run/systemd/system ]; then
    systemctl --no-reload disable --now marquee.service >/dev/null 2>&1 || :
fi

%postun
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload >/dev/null 2>&1 || :
    # After an upgrade, it is restarted if it runs.
    if [ "$1" -ge 1 ]; then
        systemctl try-restart marquee.service >/dev/null 2>&1 || :
    fi
fi

%files
%dir /${LICENCES}
${paths.map((path) => `${dirname(path) === LICENCES ? "%license " : ""}/${path}\n`).join("")}`;
