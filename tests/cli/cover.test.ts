import { beforeEach, expect, test } from "bun:test";
import { LARGEST_PICTURE } from "../../src/artwork/uploaded-picture.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";

const { marquee, documentsOf, path } = useCommandLine();

beforeEach(async () => {
  await documentsOf("user", "add", "ada");
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

test.each([
  ["missing.png", undefined, "can’t be read"],
  ["text.png", "no picture", "PNG, JPEG or WebP"],
  ["large.png", new Uint8Array(LARGEST_PICTURE + 9), "1 MB"],
])("a file that is no picture is refused: %s", async (name, content, reason) => {
  if (content !== undefined) await Bun.write(path(name), content);
  const { code, errors } = await marquee("cover", "set", "ada", path(name));
  expect([code, errors]).toEqual([2, expect.stringContaining(reason)]);
});
