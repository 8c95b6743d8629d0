import { expect, test } from "bun:test";
import { basePathOf, baseUrlOf, widgetAddress } from "../src/addresses.ts";
import { resolveConfig } from "../src/config.ts";

const urlOf = (flags: Record<string, string>) => baseUrlOf(resolveConfig(flags, {}).config, 4747);

test.each([
  [{}, "http://127.0.0.1:4747"],
  [{ host: "0.0.0.0" }, "http://127.0.0.1:4747"],
  [{ host: "::" }, "http://127.0.0.1:4747"],
  [{ host: "::1" }, "http://[::1]:4747"],
  [{ host: "192.168.1.5" }, "http://192.168.1.5:4747"],
  [{ host: "::1", baseUrl: "https://example.org/music/" }, "https://example.org/music"],
])("a server with %o is reached at %s", (flags, url) => {
  expect(urlOf(flags as Record<string, string>)).toBe(url);
});

test.each([
  ["https://example.org", ""],
  ["https://example.org/music", "/music"],
  ["http://127.0.0.1:4747", ""],
])("pages of a server at %s stand below the path %j", (baseUrl, path) => {
  expect(basePathOf(baseUrl)).toBe(path);
  expect(widgetAddress(basePathOf(baseUrl), "fr", "T")).toBe(`${path}/fr/widget/T`);
  expect(widgetAddress(baseUrl, "fr", "T")).toBe(`${baseUrl}/fr/widget/T`);
});
