import { describe, expect, test } from "bun:test";
import { languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { comparisonTable } from "../../src/docs/tables.ts";
import { rowsIn } from "../fixtures/http/html.ts";
import { sourceName } from "../../src/sources/connected-music.ts";
import { allSources } from "../fixtures/sources/all-sources.ts";

describe("the table of sources", () => {
  test("tells of each what it knows and how soon", () => {
    const rows = rowsIn(comparisonTable("en", allSources(), String));
    const row = (name: string) => rows.find(([first]) => first === name);
    expect(row("VLC")).toEqual([
      "VLC",
      "on your computer",
      "Marquee asks",
      "yes",
      "yes",
      "yes",
      "up to 1 s",
    ]);
    expect(row("Last.fm")?.slice(3)).toEqual(["no", "no", "yes", "up to 10 s"]);
    expect(row("Web Scrobbler")?.slice(1, 3)).toEqual(["in a browser", "it sends to Marquee"]);
    expect(row("Web Scrobbler")?.at(-1)).toBe("right away");
  });

  test.each(LANGUAGES)(
    "has a row for every source and a heading for every column in %s",
    (language) => {
      const [head, ...rows] = rowsIn(comparisonTable(language, allSources(), String));
      const { source, compare } = languages[language].docs;
      const { runs, reached, position, pause, cover, delay } = compare;
      expect(head).toEqual([source, runs, reached, position, pause, cover, delay]);
      const names = allSources().map((one) => sourceName(one, languages[language]));
      expect(rows.map(([name]) => name)).toEqual(names);
      for (const row of rows) expect(row.filter((cell) => cell === "")).toEqual([]);
    },
  );

  test("promises no source sooner than it asks", () => {
    for (const { id, pollsEveryMs = 0, facts } of allSources()) {
      const { delayMs = 0 } = facts;
      expect([id, delayMs]).toEqual([id, Math.max(delayMs, pollsEveryMs)]);
    }
  });
});
