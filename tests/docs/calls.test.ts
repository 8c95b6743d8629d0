import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { LANGUAGES } from "../../src/languages.ts";
import { callsTable } from "../../src/docs/tables.ts";
import { rowsIn } from "../fixtures/http/html.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";
import { allSources } from "../fixtures/sources/all-sources.ts";

describe("the table of what leaves the machine", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await createTestServer();
  });
  afterAll(() => server.close());

  test("names services, entered addresses and servers of covers", () => {
    const rows = rowsIn(callsTable("en", allSources()));
    const row = (name: string) => rows.find(([first]) => first === name)?.[1];
    expect(row("Spotify")).toBe(
      "api.spotify.com, accounts.spotify.com, https addresses of covers that it names",
    );
    expect(row("ListenBrainz (reader)")).toBe("api.listenbrainz.org");
    expect(row("MPD")).toBe("the address that was entered");
    expect(row("Web Scrobbler")).toBe("https addresses of covers that it names");
  });

  test.each(LANGUAGES)(
    "has a row for every source that calls somebody, in %s",
    async (language) => {
      const page = await (await server.get(`/${language}/docs/privacy`)).text();
      expect(page).toContain(callsTable(language, allSources()));
      const [, ...rows] = rowsIn(callsTable(language, allSources()));
      const calling = allSources().filter(({ facts }) => facts.calls.length > 0);
      expect(rows.map(([name]) => name)).toEqual(calling.map(({ name }) => name));
      for (const row of rows) expect(row.filter((cell) => cell === "")).toEqual([]);
    },
  );
});
