import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { search, type SearchEntry } from "../../src/docs/browser/search.ts";
import { renderMarkdown } from "../../src/docs/render-markdown.ts";
import { searchEntriesOf } from "../../src/docs/search-index.ts";
import { type Language, LANGUAGES } from "../../src/languages.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

/** What people write, and the page that has to be among the first results. */
const ASKED: Readonly<Record<Language, readonly (readonly [words: string, page: string])[]>> = {
  en: [
    ["two PCs", "two-computers"],
    ["nothing is shown", "troubleshooting"],
  ],
  fr: [
    ["deux PC", "two-computers"],
    ["rien ne s'affiche", "troubleshooting"],
  ],
  es: [
    ["dos PC", "two-computers"],
    ["no se muestra nada", "troubleshooting"],
  ],
  pt: [
    ["dois PCs", "two-computers"],
    ["nada aparece", "troubleshooting"],
  ],
  de: [
    ["zwei PCs", "two-computers"],
    ["nichts wird angezeigt", "troubleshooting"],
  ],
};
/** Names, which are the same in every language. */
const NAMES = [
  ["YouTube", "sources/webscrobbler"],
  ["Apple Music", "sources/cider"],
  ["SmartScreen", "quick-start-windows"],
] as const;
const FIRST_RESULTS = 5;

describe("the search", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await createTestServer();
  });
  afterAll(() => server.close());

  const cases = LANGUAGES.flatMap((language) =>
    [...NAMES, ...ASKED[language]].map(([words, page]) => [language, words, page] as const),
  );
  test.each(cases)("in %s finds %j on the page %s", async (language, words, page) => {
    const response = await server.get(`/${language}/docs/search.json`);
    const entries = (await response.json()) as SearchEntry[];
    const first = search(entries, words).slice(0, FIRST_RESULTS);
    const pages = first.map(({ address }) => address.replace(/#.*/, ""));
    expect(pages).toContain(`/${language}/docs/${page}`);
  });
});

const entriesOf = (markdown: string) =>
  searchEntriesOf(
    "en",
    "",
    "words",
    renderMarkdown(markdown, {
      linkTo: (href) => href,
      darkOf: () => undefined,
      example: (code) => code,
      replace: () => undefined,
    }),
  );

describe("a comment with other words", () => {
  const entries = entriesOf(
    "<!-- search: whole page -->\n\n# Title\n\nText.\n\n## Part\n\n<!-- search: dual PC & more -->\n\nMore.",
  );

  test("belongs to its part, and before the title to the page", () => {
    expect(entries.map(({ address, keywords }) => [address, keywords])).toEqual([
      ["/en/docs/words", "whole page"],
      ["/en/docs/words#part", "dual PC & more"],
    ]);
  });

  test("is found, but not shown", () => {
    expect(search(entries, "dual pc").map(({ heading }) => heading)).toEqual(["Part"]);
    expect(JSON.stringify(entries.map(({ heading, text }) => heading + text))).not.toContain(
      "dual",
    );
  });

  test("is the only HTML that is not shown as text", () => {
    expect(entriesOf("# Title\n\n<!-- note -->\n\nText.")[0]?.text).toBe("<!-- note --> Text.");
  });
});

describe("search", () => {
  const entry = (heading: string, text: string): SearchEntry => ({
    page: "A page",
    heading,
    address: "/",
    text,
    keywords: "",
  });

  test("puts headings first, and wants every word", () => {
    const entries = [entry("One", "a cat’s song"), entry("A cat", "a song")];
    expect(search(entries, "CAT song").map(({ heading }) => heading)).toEqual(["A cat", "One"]);
    expect(search(entries, "cat dog")).toEqual([]);
    expect(search(entries, "cat's").map(({ heading }) => heading)).toEqual(["One"]);
    expect(search(entries, "  ")).toEqual([]);
  });

  const shown = (text: string, words: string) =>
    search([entry("Part", text)], words)[0]
      ?.sentence.map(({ text: piece, isFound }) => (isFound ? `[${piece}]` : piece))
      .join("");

  test("shows the sentence that has most of the words, and marks them", () => {
    const text = "A cat sleeps. The café of a CAT, in Rome. Nothing else.\nA row · of a table";
    expect(shown(text, "cafe cat")).toBe("The [café] of a [CAT,] in Rome.");
    expect(shown(text, "table")).toBe("A row · of a [table]");
    expect(shown(text, "part")).toBe("A cat sleeps.");
    expect(shown("Listens on 127.0.0.1. See it.", "listens")).toBe("[Listens] on 127.0.0.1.");
  });

  test("shows of a long sentence the part around the first word", () => {
    const long = `${"before ".repeat(40)}needle ${"behind ".repeat(40)}.`;
    expect(shown(long, "needle")).toMatch(/^…(before ){5,8}\[needle\]( behind){9,14}…$/);
    expect(shown(long, "before")).toMatch(/^\[before\] .*…$/);
  });
});

test("the index has a line for each paragraph, item and row", () => {
  const markdown = "# T\n\nOne.\n\n- Two\n- Three\n\n| A | B |\n| - | - |\n| c | d |\n";
  expect(entriesOf(markdown)[0]?.text.split("\n")).toEqual([
    "One.",
    "Two",
    "Three",
    "A · B",
    "c · d",
  ]);
});
