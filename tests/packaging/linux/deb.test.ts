import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { controlOf, debFor } from "../../../packaging/linux/deb.ts";
import { createTempFolder } from "../../fixtures/data/temp-folder.ts";
import {
  makePackage,
  run,
  runAsRoot,
  smallProgram,
  systemdCallsOf,
} from "../../fixtures/packaging/packages.ts";
import { testWith } from "../../fixtures/real-parts.ts";

const testWithDpkg = testWith("dpkg", Bun.which("dpkg") !== null);
const testWithLintian = testWith("lintian", Bun.which("lintian") !== null);

let folder: ReturnType<typeof createTempFolder>;
/** Of two versions, the second of which is an upgrade. */
let packages: readonly string[];
beforeAll(async () => {
  folder = createTempFolder();
  if (!Bun.which("dpkg-deb")) return;
  packages = [];
  for (const version of ["0.1.0", "0.2.0"]) {
    const contents = smallProgram(folder.path, version);
    packages = [...packages, await makePackage(debFor("amd64"), contents, folder.path)];
  }
});
afterAll(() => folder.remove());

const older = 0;
const newer = 1;
const packageAt = (index: number): string => packages[index] ?? "";
const scriptOf = (name: string): string => run(["dpkg-deb", "--info", packageAt(older), name]).out;

describe("the control file", () => {
  test("names version, processor, size and the library that Bun needs", () => {
    const control = controlOf("1.2.3", "arm64", 4_567);
    expect(control).toContain("\nVersion: 1.2.3\nArchitecture: arm64\n");
    expect(control).toContain("\nInstalled-Size: 4567\nDepends: libc6 (>= 2.17)\n");
  });

  test("puts a version before its release candidates", () => {
    expect(controlOf("1.2.3-rc.1", "amd64", 1)).toContain("\nVersion: 1.2.3~rc.1\n");
    expect(debFor("amd64").nameOf("1.2.3-rc.1")).toBe("marquee_1.2.3~rc.1_amd64.deb");
  });
});

describe("the package for Debian", () => {
  testWithDpkg("has the program, its page, unit, desktop entry, icons and licence", () => {
    const { out } = run(["dpkg-deb", "--contents", packageAt(older)], { TZ: "UTC" });
    const files = out.matchAll(/^(-\S+) (\S+) +\d+ (\S+ \S+) \.(\S+)$/gm);
    const found = [...files].map(([, mode, owner, at, path]) => `${mode} ${owner} ${at} ${path}`);
    const file = "-rw-r--r-- root/root 2026-01-02 03:04";
    const icons = [128, 16, 24, 256, 32, 48, 64].map((size) => `${size}x${size}/apps/marquee.png`);
    expect(found).toEqual([
      "-rwxr-xr-x root/root 2026-01-02 03:04 /usr/bin/marquee",
      `${file} /usr/lib/systemd/system/marquee.service`,
      `${file} /usr/share/applications/marquee.desktop`,
      `${file} /usr/share/doc/marquee/changelog.gz`,
      `${file} /usr/share/doc/marquee/copyright`,
      ...[...icons, "scalable/apps/marquee.svg"].map(
        (icon) => `${file} /usr/share/icons/hicolor/${icon}`,
      ),
      `${file} /usr/share/lintian/overrides/marquee`,
      `${file} /usr/share/man/man1/marquee.1.gz`,
    ]);
  });

  testWithDpkg("has the licences of the program and of its fonts", () => {
    const root = join(folder.path, "extracted");
    run(["dpkg-deb", "--extract", packageAt(older), root]);
    const copyright = readFileSync(join(root, "usr/share/doc/marquee/copyright"), "utf8");
    expect(copyright).toMatch(
      /\nCopyright: 2026 The Marquee authors\n +2022 The Bricolage Grotesque Project Authors .*\n/,
    );
    expect(copyright).toMatch(/\nLicense: Expat\n Permission is hereby granted/);
    expect(copyright).toMatch(/\nLicense: OFL-1.1\n[^]+\n SIL OPEN FONT LICENSE Version 1.1/);
  });

  testWithLintian("gives Debian's checker nothing to say", () => {
    const { out, errors, code } = run(["lintian", "--allow-root", packageAt(older)]);
    expect({ out, errors, code }).toEqual({ out: "", errors: "", code: 0 });
  });

  testWithDpkg("restarts the service when it is upgraded, and never starts it by itself", () => {
    const reload = "systemctl --system daemon-reload";
    const calls = (name: string, ...words: string[]) =>
      systemdCallsOf(scriptOf(name), words, folder.path);
    expect(calls("postinst", "configure", "")).toEqual([reload]);
    expect(calls("postinst", "configure", "0.0.9")).toEqual([
      reload,
      "deb-systemd-invoke try-restart marquee.service",
    ]);
    expect(calls("prerm", "upgrade", "0.2.0")).toEqual([]);
    expect(calls("prerm", "remove")).toEqual(["deb-systemd-invoke stop marquee.service"]);
    expect(calls("postrm", "remove")).toEqual([reload]);
  });

  testWithDpkg("is installed, upgraded, removed and purged, and the data live until then", () => {
    const root = join(folder.path, "system");
    const at = (path: string) => join(root, path);
    for (const path of ["var/lib/dpkg/updates", "var/lib/dpkg/info", "var/lib/private/marquee"]) {
      mkdirSync(at(path), { recursive: true });
    }
    writeFileSync(at("var/lib/dpkg/status"), "");
    writeFileSync(at("var/lib/private/marquee/marquee.db"), "data");
    symlinkSync("private/marquee", at("var/lib/marquee"));
    const dpkg = (...words: string[]) => {
      const where = [`--root=${root}`, "--force-script-chrootless", "--force-depends"];
      const { code, errors } = runAsRoot("dpkg", ...where, "--log=/dev/null", ...words);
      expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
    };
    const versionThere = () => run([at("usr/bin/marquee")]).out;

    dpkg("--install", packageAt(older));
    expect(versionThere()).toBe("marquee 0.1.0\n");
    expect(existsSync(at("etc/systemd"))).toBe(false);
    dpkg("--install", packageAt(newer));
    expect(versionThere()).toBe("marquee 0.2.0\n");
    dpkg("--remove", "marquee");
    expect(existsSync(at("usr/bin/marquee"))).toBe(false);
    expect(readFileSync(at("var/lib/marquee/marquee.db"), "utf8")).toBe("data");
    dpkg("--purge", "marquee");
    expect(existsSync(at("var/lib/private/marquee"))).toBe(false);
    expect(() => lstatSync(at("var/lib/marquee"))).toThrow(/ENOENT/);
  });
});
