import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createTestServer } from "../fixtures/servers/test-server.ts";

const folder = join(import.meta.dir, "../../src/docs/pictures");

test("a picture of the dashboard has a version for dark pages, which they ask for", async () => {
  const server = await createTestServer();
  const page = await (await server.get("/de/docs/sources")).text();
  const dark = "/docs-pictures/music-dark.webp";
  expect(page).toContain(
    `<picture><source srcset="${dark}" media="(prefers-color-scheme: dark)"><img src="/docs-pictures/music.webp"`,
  );
  expect((await server.get(dark)).headers.get("content-type")).toBe("image/webp");
});

test("no picture has more than 60 KB", () => {
  const large = readdirSync(folder).filter((file) => statSync(join(folder, file)).size > 60 * 1024);
  expect(large).toEqual([]);
});
