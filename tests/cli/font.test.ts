import { beforeEach, expect, test } from "bun:test";
import { LARGEST_FONT } from "../../src/looks/fonts.ts";
import { fontOfSize, wideFont } from "../fixtures/fonts/fonts.ts";
import { useCommandLine } from "../fixtures/servers/command-line.ts";

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

test.each([
  ["missing.woff2", undefined, "can’t be read"],
  ["text.woff2", "no font", "WOFF2"],
  ["large.woff2", fontOfSize(LARGEST_FONT + 9), "1 MB"],
])("a file that is no font is refused: %s", async (name, content, reason) => {
  if (content !== undefined) await Bun.write(path(name), content);
  const { code, errors } = await marquee("font", "add", "ada", "Wide", path(name));
  expect([code, errors]).toEqual([2, expect.stringContaining(reason)]);
});
