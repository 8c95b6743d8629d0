import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { NtExecutable } from "resedit";
import { definitionsFor, windowsSetup } from "../../../packaging/windows/setup.ts";
import { readBrand } from "../../../packaging/windows/brand.ts";
import { createTempFolder } from "../../fixtures/data/temp-folder.ts";
import { makePackage, smallProgram } from "../../fixtures/packaging/packages.ts";
import { testWith } from "../../fixtures/real-parts.ts";

/** https://learn.microsoft.com/en-us/windows/win32/debug/pe-format#machine-types */
const AMD64 = 0x8664;
const I386 = 0x14c;

let folder: ReturnType<typeof createTempFolder>;
beforeAll(() => {
  folder = createTempFolder();
});
afterAll(() => folder.remove());

describe("the setup program for Windows", () => {
  test("is told version and size in Windows' own forms", () => {
    expect(definitionsFor("1.2.3-rc.1", 2_049)).toMatchObject({
      VERSION: "1.2.3-rc.1",
      FOUR_NUMBERS: "1.2.3.0",
      KIBIBYTES: "3",
    });
  });

  testWith("makensis", Bun.which("makensis") !== null).each([
    // 32-bit code for x86, which Windows runs on arm64 too.
    { processor: "x64", machine: AMD64 },
    { processor: "arm64", machine: I386 },
  ] as const)(
    "names itself, has Marquee's icon and the program: $processor",
    async ({ processor, machine }) => {
      const own = join(folder.path, processor);
      mkdirSync(own);
      const contents = smallProgram(own, "1.2.3");
      const path = await makePackage(windowsSetup(processor, "zlib"), contents, own);
      expect(path).toEndWith(`/marquee-1.2.3-windows-${processor}-setup.exe`);
      const setup = await Bun.file(path).bytes();
      expect(NtExecutable.from(setup).newHeader.fileHeader.machine).toBe(machine);
      const { strings, icons } = readBrand(setup);
      expect(strings).toMatchObject({
        ProductName: "Marquee",
        FileDescription: "Marquee Setup",
        CompanyName: "Marquee contributors",
        FileVersion: "1.2.3",
        ProductVersion: "1.2.3",
      });
      expect(icons).toEqual([16, 20, 24, 32, 40, 48, 64, 128, 256]);
      const { script, files } = unpack(setup);
      expect(files).toContainEqual(Buffer.from(await Bun.file(contents.program).bytes()));
      for (const text of ["marquee.exe", "DisplayVersion", "1.2.3", "Marquee contributors"]) {
        expect(script.includes(Buffer.from(text, "utf16le"))).toBe(true);
      }
    },
  );
});

/**
 * What a setup program of NSIS holds that is compressed with zlib: its script with all texts, and the
 * files. https://github.com/NSIS-Dev/nsis/blob/master/Source/exehead/fileform.h
 */
function unpack(setup: Uint8Array): { script: Buffer; files: Buffer[] } {
  const bytes = Buffer.from(setup);
  const signature = Buffer.concat([
    Buffer.from([0xef, 0xbe, 0xad, 0xde]),
    Buffer.from("NullsoftInst"),
  ]);
  const at = bytes.indexOf(signature);
  // After the signature: the length of the script, and of all there is with these 28 bytes.
  const end = at - 4 + bytes.readUInt32LE(at + 20);
  const blocks: Buffer[] = [];
  // The last four bytes are a checksum.
  for (let next = at + 24; next < end - 4;) {
    const word = bytes.readUInt32LE(next);
    const length = word & 0x7fff_ffff;
    const block = bytes.subarray(next + 4, next + 4 + length);
    blocks.push(word === length ? block : inflateRawSync(block));
    next += 4 + length;
  }
  const [script = Buffer.alloc(0), ...files] = blocks;
  return { script, files };
}
