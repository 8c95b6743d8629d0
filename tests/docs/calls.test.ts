import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { LANGUAGES } from "../../src/languages.ts";
import { callsTable, factsTable, leavesList } from "../../src/docs/tables.ts";
import { languages } from "../../src/i18n/index.ts";
import { codesIn, rowsIn } from "../fixtures/http/html.ts";
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

const sourceNamed = (id: string) => {
  const source = allSources().find((one) => one.id === id);
  if (!source) throw new Error(`there is no source ${id}`);
  return source;
};

describe("the page of a source", () => {
  test("has its facts, what commands call it, and its options", () => {
    expect(rowsIn(factsTable("en", sourceNamed("vlc")))).toEqual([
      ["Where it runs", "on your computer"],
      ["How Marquee gets it", "Marquee asks"],
      ["Position", "yes"],
      ["Pause", "yes"],
      ["Cover", "yes"],
      ["Delay", "up to 1 s"],
      ["Volume", "yes"],
      ["Command", "marquee connect … vlc"],
      ["Options", "--url --password-file"],
    ]);
    expect(rowsIn(factsTable("en", sourceNamed("demo"))).at(-1)).toEqual(["Options", "none"]);
  });

  test("says whom Marquee contacts for it", async () => {
    const spotify = leavesList("en", sourceNamed("spotify"));
    expect(await codesIn(new Response(spotify))).toEqual([
      "api.spotify.com",
      "accounts.spotify.com",
    ]);
    expect(spotify).toContain("<li>https addresses of covers that it names</li>");
    for (const language of LANGUAGES) {
      expect(leavesList(language, sourceNamed("demo"))).toBe(
        `<p>${languages[language].docs.calls.nobody}</p>\n`,
      );
    }
  });
});
