import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GROUPS, PAGES, SYSTEM_PAGES } from "../../src/docs/documents.ts";
import { languages } from "../../src/i18n/index.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { DOCS_PAGES, docsPath } from "../fixtures/docs/docs-pages.ts";
import { attributeOf, unescapeHtml } from "../fixtures/http/html.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const SENTENCE = /^\p{Lu}.*\.$/u;

let server: TestServer;
beforeAll(async () => {
  server = await createTestServer();
});
afterAll(() => server.close());

const textOf = async (path: string) => unescapeHtml(await (await server.get(path)).text());

describe.each(LANGUAGES)("the documentation's home in %s", (language) => {
  test("leads by goal, with a sentence for each", async () => {
    const html = await textOf(`/${language}/docs`);
    const list = /<ul class="cards">(.*?)<\/ul>/s.exec(html)?.[1] ?? "";
    const goals = [
      ...list.matchAll(/<a href="([^"]+)"><strong>([^<]+)<\/strong><span>([^<]+)<\/span>/g),
    ];
    expect(goals.map(([, , title]) => title)).toEqual(
      Object.values(languages[language].docs.goals).map(({ title }) => title),
    );
    for (const [, address = "", , text = ""] of goals) {
      expect((await server.get(address)).status).toBe(200);
      expect(text).toMatch(SENTENCE);
    }
  });

  test("has every page under its own title, in the order of the groups", async () => {
    const html = await textOf(`/${language}/docs`);
    const entries = [
      ...html.matchAll(/<dt><a href="([^"]+)">([^<]+)<\/a><\/dt><dd>([^<]+)<\/dd>/g),
    ].map(([, address = "", title = "", text = ""]) => ({ address, title, text }));
    expect(entries.map(({ address }) => address)).toEqual(
      PAGES.map((page) => `/${language}/${docsPath(page)}`),
    );
    for (const { address, title, text } of entries) {
      expect(await textOf(address)).toContain(`<h1>${title}</h1>`);
      expect(text).toMatch(SENTENCE);
    }
    const groups = GROUPS.map(({ name }) => `<h2>${languages[language].docs.groups[name]}</h2>`);
    expect(groups.filter((heading) => !html.includes(heading))).toEqual([]);
  });

  test("describes each page to search engines in one sentence of its own", async () => {
    const pages = DOCS_PAGES.filter((page) => page !== "");
    const descriptions = await Promise.all(
      pages.map(async (page) =>
        attributeOf(
          await server.get(`/${language}/${docsPath(page)}`),
          "meta[name=description]",
          "content",
        ),
      ),
    );
    for (const description of descriptions) expect(description).toMatch(SENTENCE);
    expect(new Set(descriptions).size).toBe(pages.length);
  });
});

describe("the quick start", () => {
  test.each(LANGUAGES)(
    "leads to a page for each system, from its old address, in %s",
    async (language) => {
      const html = await textOf(`/${language}/docs/quick-start`);
      const article = /<article>.*<\/article>/s.exec(html)?.[0] ?? "";
      for (const page of SYSTEM_PAGES)
        expect(article).toContain(`href="/${language}/docs/${page}"`);
      expect(SYSTEM_PAGES).toHaveLength(3);
    },
  );

  test.each(LANGUAGES)("shows what Windows asks, in its words in %s", async (language) => {
    const { picture, ...words } = languages[language].docs.smartscreen;
    const html = await textOf(`/${language}/docs/quick-start-windows`);
    expect(html).toContain(`role="img" aria-label="${picture}"`);
    const drawn = /<figure class="smartscreen".*?<\/figure>/s.exec(html)?.[0] ?? "";
    const shown = drawn.replace(/<[^>]+>/g, " ").replace(/ +/g, " ");
    expect(Object.values(words).filter((one) => !shown.includes(one))).toEqual([]);
    // The page names the buttons as the picture does.
    const read = html.replace(drawn, "");
    for (const name of [words.title, words.more, words.run]) expect(read).toContain(name);
  });
});

describe("the list of pages", () => {
  const opened = async (page: string) =>
    /<details( open)?>/.exec(await textOf(`/en/${docsPath(page)}`))?.[1] === " open";

  test("unfolds the sources where one of them is read", async () => {
    expect(await opened("sources")).toBe(true);
    expect(await opened("sources/vlc")).toBe(true);
    expect(await opened("widget")).toBe(false);
    expect(await opened("")).toBe(false);
  });

  test("folds what few readers need, but where one of these pages is read", async () => {
    const folded = async (page: string) =>
      [
        ...(await textOf(`/en/${docsPath(page)}`)).matchAll(
          /<details class="group"( open)?><summary id="group-(\w+)">/g,
        ),
      ].map(([, open, name]) => [name, open === " open"]);
    expect(await folded("widget")).toEqual([
      ["run", false],
      ["lookup", false],
    ]);
    expect(await folded("backup")).toEqual([
      ["run", true],
      ["lookup", false],
    ]);
    expect(await folded("reference")).toEqual([
      ["run", false],
      ["lookup", true],
    ]);
  });

  test("marks the page that is open", async () => {
    const html = await textOf("/en/docs/sources/vlc");
    expect(html.match(/<a href="[^"]+" aria-current="page">[^<]+/g)).toEqual([
      '<a href="/en/docs/sources/vlc" aria-current="page">VLC',
    ]);
  });

  test("leads from one page to the next, and from one source to the next", async () => {
    const ways = async (page: string) =>
      [...(await textOf(`/en/${docsPath(page)}`)).matchAll(/<a rel="(\w+)" href="([^"]+)"/g)].map(
        ([, rel, address]) => [rel, address],
      );
    expect(await ways("sources")).toEqual([
      ["prev", "/en/docs/quick-start"],
      ["next", "/en/docs/widget"],
    ]);
    expect(await ways("quick-start-macos")).toEqual([
      ["prev", "/en/docs/quick-start"],
      ["next", "/en/docs/sources"],
    ]);
    expect(await ways("sources/mpd")).toEqual([
      ["prev", "/en/docs/sources/spotify"],
      ["next", "/en/docs/sources/windows"],
    ]);
    expect(await ways("sources/demo")).toEqual([["prev", "/en/docs/sources/broadcast"]]);
  });
});
