import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { PackageKind } from "../../packaging/package-kind.ts";
import { packAll, PACKAGES, packTwice } from "../../packaging/packages.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { MADE_AT, smallProgram } from "../fixtures/packaging/packages.ts";

let folder: ReturnType<typeof createTempFolder>;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => folder.remove());

/** A kind of package whose file says what the function says of its folder. */
const kindThat = (says: (folder: string) => string, tool = "sh"): PackageKind => ({
  suffix: "linux-x64",
  tool,
  nameOf: (version) => `marquee-${version}.package`,
  async make(_, into) {
    const path = join(into, "package");
    await Bun.write(path, says(into));
    return path;
  },
});

const allOf = (kind: PackageKind, madeAt: string | undefined, suffix = "linux-x64") => {
  const { program } = smallProgram(folder.path, "1.2.3");
  const programs = new Map([[suffix, program]]);
  const workplace = join(folder.path, "workplace");
  const packing = { version: "1.2.3", madeAt, programs, folder: folder.path, workplace };
  return Array.fromAsync(packAll(packing, [kind]));
};

describe("the packages of a release", () => {
  test("are named as the systems that install them expect", () => {
    expect(PACKAGES.map(({ nameOf }) => nameOf("1.2.3"))).toEqual([
      "marquee_1.2.3_amd64.deb",
      "marquee_1.2.3_arm64.deb",
      "marquee-1.2.3-1.x86_64.rpm",
      "marquee-1.2.3-1.aarch64.rpm",
      "marquee-1.2.3-windows-x64-setup.exe",
      "marquee-1.2.3-windows-arm64-setup.exe",
    ]);
  });

  test("are made of the executables that were built", async () => {
    const kind = kindThat(() => "same");
    const [made] = await allOf(kind, MADE_AT.toISOString());
    expect(made).toMatchObject({ name: "marquee-1.2.3.package", bytes: 4 });
    expect(readdirSync(folder.path)).toContain("marquee-1.2.3.package");
    expect(await allOf(kind, MADE_AT.toISOString(), "macos-x64")).toEqual([]);
  });

  test("are left out, with the reason, where something is missing", async () => {
    const name = "marquee-1.2.3.package";
    const lacks = "the time of the commit, which git tells";
    expect(await allOf(kindThat(String), undefined)).toEqual([{ name, lacks }]);
    const kind = kindThat(String, "no-such-tool");
    expect(await allOf(kind, MADE_AT.toISOString())).toEqual([{ name, lacks: "no-such-tool" }]);
  });

  test("are refused when two of them differ", async () => {
    const contents = smallProgram(folder.path, "1.2.3");
    const workplace = join(folder.path, "workplace");
    const packing = packTwice(kindThat(String), contents, workplace, folder.path);
    await expect(packing).rejects.toThrow(/^marquee-1.2.3.package differs between two builds/);
    expect(readdirSync(folder.path)).not.toContain("marquee-1.2.3.package");
  });
});
