import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { definitionsFor, windowsSetup } from "../../../packaging/windows/setup.ts";
import { readBrand } from "../../../packaging/windows/brand.ts";
import { createTempFolder } from "../../fixtures/data/temp-folder.ts";
import { makePackage, smallProgram } from "../../fixtures/packaging/packages.ts";
import { testWith } from "../../fixtures/real-parts.ts";

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

  testWith("makensis", Bun.which("makensis") !== null)(
    "names itself, has Marquee's icon, and comes out with the same bytes each time",
    async () => {
      const contents = smallProgram(folder.path, "1.2.3");
      const path = await makePackage(windowsSetup("zlib"), contents, folder.path);
      expect(path).toEndWith("/marquee-1.2.3-windows-x64-setup.exe");
      const { strings, icons } = readBrand(await Bun.file(path).bytes());
      expect(strings).toMatchObject({
        ProductName: "Marquee",
        FileDescription: "Marquee Setup",
        CompanyName: "Marquee contributors",
        FileVersion: "1.2.3",
        ProductVersion: "1.2.3",
      });
      expect(icons).toEqual([16, 20, 24, 32, 40, 48, 64, 128, 256]);
    },
  );
});
