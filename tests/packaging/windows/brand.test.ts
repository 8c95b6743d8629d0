import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { NtExecutable, NtExecutableResource } from "resedit";
import { brand, readBrand, TemplateError } from "../../../packaging/windows/brand.ts";

const icon = await Bun.file(
  join(import.meta.dir, "../../../packaging/windows/marquee.ico"),
).bytes();
const given = { version: "1.2.3", icon };

/** A Windows program without code, as Bun's: with a manifest, or another one. */
function programWith(manifest: string): Uint8Array {
  const executable = NtExecutable.createEmpty(false, false);
  const resources = NtExecutableResource.from(executable);
  const bin = new TextEncoder().encode(manifest).buffer;
  resources.entries.push({ type: 24, id: 1, lang: 1033, codepage: 1200, bin });
  resources.outputResource(executable);
  return new Uint8Array(executable.generate());
}

const MANIFEST = "<assembly><asmv3:windowsSettings></asmv3:windowsSettings></assembly>";

describe("Bun's program for Windows", () => {
  test("gets Marquee's name, version and icon", () => {
    const { strings, icons } = readBrand(brand(programWith(MANIFEST), given));
    expect(strings).toMatchObject({
      ProductName: "Marquee",
      FileDescription: "Marquee",
      CompanyName: "Marquee contributors",
      OriginalFilename: "marquee.exe",
      FileVersion: "1.2.3.0",
      ProductVersion: "1.2.3.0",
    });
    expect(icons).toEqual([16, 20, 24, 32, 40, 48, 64, 128, 256]);
  });

  test("opens no console of its own", () => {
    expect(readBrand(brand(programWith(MANIFEST), given)).manifest).toMatch(
      /<asmv3:windowsSettings>\s*<consoleAllocationPolicy [^>]*>detached<\/consoleAllocationPolicy>\s*<\/asmv3:windowsSettings>/,
    );
  });

  test("comes out with the same bytes each time", () => {
    const program = programWith(MANIFEST);
    expect(Bun.hash(brand(program, given))).toBe(Bun.hash(brand(program, given)));
  });

  test("is refused when it is not the one that is known", () => {
    expect(() => brand(programWith("<assembly></assembly>"), given)).toThrow(TemplateError);
  });
});
