import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rpmFor, specOf } from "../../../packaging/linux/rpm.ts";
import { createTempFolder } from "../../fixtures/data/temp-folder.ts";
import {
  MADE_AT,
  makePackage,
  run,
  runAsRoot,
  smallProgram,
  systemdCallsOf,
} from "../../fixtures/packaging/packages.ts";
import { testWith } from "../../fixtures/real-parts.ts";

const isThere = Bun.which("rpmbuild") !== null && Bun.which("rpm") !== null;
const testWithRpm = testWith("rpm", isThere);

let folder: ReturnType<typeof createTempFolder>;
/** The path of the package of a version. */
const packages = new Map<string, string>();
beforeAll(async () => {
  folder = createTempFolder();
  if (!isThere) return;
  for (const version of ["0.1.0", "0.2.0"]) {
    const contents = smallProgram(folder.path, version);
    packages.set(version, await makePackage(rpmFor("x86_64"), contents, folder.path));
  }
});
afterAll(() => folder.remove());

const packageOf = (version: string): string => packages.get(version) ?? "";
const query = (format: string): string =>
  run(["rpm", "--query", "--package", `--queryformat=${format}`, packageOf("0.1.0")]).out;

describe("the spec file", () => {
  test("names version, licence and files", () => {
    const spec = specOf("1.2.3", ["usr/bin/marquee", "usr/share/licenses/marquee/OFL.txt"]);
    expect(spec).toContain("\nVersion: 1.2.3\n");
    expect(spec).toEndWith("/usr/bin/marquee\n%license /usr/share/licenses/marquee/OFL.txt\n");
  });

  test("puts a version before its release candidates", () => {
    expect(specOf("1.2.3-rc.1", [])).toContain("\nVersion: 1.2.3~rc.1\n");
    expect(rpmFor("aarch64").nameOf("1.2.3-rc.1")).toBe("marquee-1.2.3~rc.1-1.aarch64.rpm");
  });
});

describe("the package for Fedora", () => {
  testWithRpm("tells nothing of the machine that has built it", () => {
    const built = MADE_AT.getTime() / 1_000;
    expect(query("%{NAME} %{VERSION} %{RELEASE} %{ARCH} %{OS} %{BUILDHOST} %{BUILDTIME}")).toBe(
      `marquee 0.1.0 1 x86_64 linux marquee ${built}`,
    );
    expect(query("[%{REQUIRENAME}\n]")).toContain("libc.so.6(GLIBC_2.17)(64bit)\n");
    expect(query("[%{FILEMTIMES}\n]")).toBe(`${built}\n`.repeat(15));
  });

  testWithRpm("is made for the other processor too", async () => {
    const contents = smallProgram(folder.path, "0.3.0");
    const path = await makePackage(rpmFor("aarch64"), contents, folder.path);
    const how = ["--query", "--package", "--queryformat=%{ARCH}"];
    expect(run(["rpm", ...how, path]).out).toBe("aarch64");
  });

  testWithRpm("has the program, its page, unit, desktop entry, icons and licences", () => {
    const icons = [128, 16, 24, 256, 32, 48, 64].map((size) => `${size}x${size}/apps/marquee.png`);
    const files = query("[%{FILEMODES:perms} %{FILEUSERNAME} %{FILENAMES}\n]");
    expect(files.trim().split("\n").toSorted()).toEqual(
      [
        "-rwxr-xr-x root /usr/bin/marquee",
        "drwxr-xr-x root /usr/share/licenses/marquee",
        ...[
          "lib/systemd/system/marquee.service",
          "share/applications/marquee.desktop",
          ...[...icons, "scalable/apps/marquee.svg"].map((icon) => `share/icons/hicolor/${icon}`),
          "share/licenses/marquee/LICENSE",
          "share/licenses/marquee/OFL.txt",
          "share/man/man1/marquee.1.gz",
        ].map((path) => `-rw-r--r-- root /usr/${path}`),
      ].toSorted(),
    );
  });

  testWithRpm("restarts the service when it is upgraded, and never starts it by itself", () => {
    const calls = (tag: string, left: number) =>
      systemdCallsOf(query(`%{${tag}}`), [String(left)], folder.path);
    expect(calls("POSTIN", 1)).toEqual(["systemctl daemon-reload"]);
    expect(calls("PREUN", 1)).toEqual([]);
    expect(calls("PREUN", 0)).toEqual(["systemctl --no-reload disable --now marquee.service"]);
    expect(calls("POSTUN", 1)).toEqual([
      "systemctl daemon-reload",
      "systemctl try-restart marquee.service",
    ]);
    expect(calls("POSTUN", 0)).toEqual(["systemctl daemon-reload"]);
  });

  testWithRpm("is installed, upgraded and removed, and the data stay", () => {
    const root = join(folder.path, "system");
    const program = join(root, "usr/bin/marquee");
    const data = join(root, "var/lib/private/marquee");
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, "marquee.db"), "data");
    const rpm = (...words: string[]) => {
      // This root has no shell for the scripts.
      const how = [`--root=${root}`, "--noscripts", "--nodeps"];
      // Debian's rpm warns of itself.
      const { code, errors } = runAsRoot("rpm", ...how, ...words);
      expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
    };
    rpm("--install", "--ignorearch", packageOf("0.1.0"));
    expect(run([program]).out).toBe("marquee 0.1.0\n");
    rpm("--upgrade", "--ignorearch", packageOf("0.2.0"));
    expect(run([program]).out).toBe("marquee 0.2.0\n");
    rpm("--erase", "marquee");
    expect(existsSync(program)).toBe(false);
    expect(readFileSync(join(data, "marquee.db"), "utf8")).toBe("data");
  });
});
