import { beforeEach, expect, test } from "bun:test";
import { LARGEST_PICTURE } from "../../src/artwork/uploaded-picture.ts";
import { LARGEST_FONT } from "../../src/looks/fonts.ts";
import { fontOfSize, wideFont } from "../fixtures/fonts/fonts.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";

const { marquee, documentsOf, path } = useCommandLine();

beforeEach(async () => {
  await documentsOf("user", "add", "ada");
});

test("a font is added from a file, listed and removed", async () => {
  await Bun.write(path("wide.woff2"), wideFont());
  const [font] = await documentsOf("font", "add", "ada", "Wide One", path("wide.woff2"));
  expect(font).toEqual({ id: expect.any(String), name: "Wide One" });
  expect(await documentsOf("font", "list", "ada")).toMatchObject([font ?? {}]);
  await documentsOf("font", "remove", "ada", String(font?.["id"]));
  expect(await documentsOf("font", "list", "ada")).toEqual([]);
});

test("a stand-in cover is set from a file, replaced and removed", async () => {
  await Bun.write(path("logo.png"), await patternPicture("png", 300));
  const [first] = await documentsOf("cover", "set", "ada", path("logo.png"));
  expect(first).toEqual({ id: expect.any(String) });
  const [second] = await documentsOf("cover", "set", "ada", path("logo.png"));
  expect(second).not.toEqual(first ?? {});
  expect(await documentsOf("cover", "remove", "ada")).toEqual([{ username: "ada" }]);
  expect((await marquee("cover", "remove", "ada")).errors).toContain("no stand-in cover");
});

const FONT = ["font", "add", "ada", "Wide"];
const COVER = ["cover", "set", "ada"];

test.each<[words: string[], name: string, content: string | Uint8Array | undefined, says: string]>([
  [FONT, "missing.woff2", undefined, "can’t be read"],
  [FONT, "text.woff2", "no font", "WOFF2"],
  [FONT, "large.woff2", fontOfSize(LARGEST_FONT + 9), "1 MB"],
  [COVER, "missing.png", undefined, "can’t be read"],
  [COVER, "text.png", "no picture", "PNG, JPEG or WebP"],
  [COVER, "large.png", new Uint8Array(LARGEST_PICTURE + 9), "1 MB"],
])("%j refuses the file %s", async (words, name, content, says) => {
  if (content !== undefined) await Bun.write(path(name), content);
  const { code, errors } = await marquee(...words, path(name));
  expect([code, errors]).toEqual([2, expect.stringContaining(says)]);
});
