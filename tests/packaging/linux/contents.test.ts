import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { date, filesOf, layOut } from "../../../packaging/linux/contents.ts";
import { iconPictures } from "../../../packaging/linux/icons.ts";
import { createTempFolder } from "../../fixtures/data/temp-folder.ts";
import { MADE_AT, run, smallProgram } from "../../fixtures/packaging/packages.ts";
import { testWith } from "../../fixtures/real-parts.ts";

let folder: ReturnType<typeof createTempFolder>;
let root: string;
beforeEach(async () => {
  folder = createTempFolder();
  root = join(folder.path, "root");
  layOut(await filesOf(smallProgram(folder.path, "1.2.3")), root);
  date(root, MADE_AT);
});
afterEach(() => folder.remove());
const read = (path: string) => Bun.file(join(root, path)).text();

describe("what a package for Linux installs", () => {
  test("is dated by the commit, folders too", () => {
    for (const path of ["", "usr", "usr/bin", "usr/bin/marquee"]) {
      expect(statSync(join(root, path)).mtime).toEqual(MADE_AT);
      expect(statSync(join(root, path)).mode & 0o777).toBe(0o755);
    }
  });

  test("has a unit that starts the installed program", async () => {
    const unit = await read("usr/lib/systemd/system/marquee.service");
    expect(unit).toContain("\nExecStart=/usr/bin/marquee serve\n");
    expect(unit).toContain("\nDocumentation=man:marquee(1)\n");
    expect(unit).not.toMatch(/\/usr\/local|sudo install/);
  });

  test("has a manual page of this version", async () => {
    const page = await Bun.file(join(root, "usr/share/man/man1/marquee.1.gz")).bytes();
    const text = new TextDecoder().decode(Bun.gunzipSync(page));
    expect(text).toStartWith('.TH MARQUEE 1 "2026-01-02" "Marquee 1.2.3" ');
    expect(text).not.toContain("@");
  });

  test("has icons in the sizes that their folders are for", async () => {
    const pictures = await iconPictures();
    expect(pictures.map(({ size }) => size)).toEqual([16, 24, 32, 48, 64, 128, 256]);
    for (const { size, png } of pictures) {
      expect(Buffer.from(png).toString("latin1", 1, 4)).toBe("PNG");
      expect(Buffer.from(png).readUInt32BE(16)).toBe(size);
    }
  });

  testWith("desktop-file-validate", Bun.which("desktop-file-validate") !== null)(
    "has a desktop entry that is valid",
    () => {
      const path = join(root, "usr/share/applications/marquee.desktop");
      expect(run(["desktop-file-validate", path])).toEqual({ code: 0, out: "", errors: "" });
    },
  );
});
