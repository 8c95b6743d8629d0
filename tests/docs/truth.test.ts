import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { LANGUAGES } from "../../src/languages.ts";
import { ENDPOINT_PATHS, readApiDescription } from "../fixtures/http/api-description.ts";
import { DOCS_PAGES, docsPath } from "../fixtures/docs/docs-pages.ts";
import { codesIn } from "../fixtures/http/html.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

// Nobody has set a base URL here: what a page shows has to come from where the server listens.
let server: TestServer;

beforeAll(async () => {
  server = await createTestServer();
});
afterAll(() => server.close());

/** A value that was not there when a text was put together. */
const HOLES = /null\/|(?<!\/dev)\/null\b|\bundefined\b|\bNaN\b|\[object /g;

const PATHS = [
  "/api/v1/openapi.json",
  ...LANGUAGES.flatMap((language) =>
    [...DOCS_PAGES.map(docsPath), "docs/search.json"].map((path) => `/${language}/${path}`),
  ),
];

describe("what a server says of itself without a base URL in its settings", () => {
  test.each(PATHS)("has no value missing in it: %s", async (path) => {
    const response = await server.get(path);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text.length).toBeGreaterThan(1_000);
    expect(text.match(HOLES)).toBe(null);
  });

  // Its own nulls are true: tests/api/openapi.test.ts holds the examples to their schemas.
  test.each(LANGUAGES)("shows the OpenAPI document's own examples in %s", async (language) => {
    const description = await readApiDescription(server);
    const page = await server.get(`/${language}/docs/reference`);
    const shown = (await codesIn(page)).filter((code) => code.startsWith("{"));
    expect(shown.map((code): unknown => JSON.parse(code))).toEqual(
      ENDPOINT_PATHS.flatMap((path) => description.examplesOf(path, 200)[0] ?? []),
    );
  });
});
