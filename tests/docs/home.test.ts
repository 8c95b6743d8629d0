import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { LANGUAGES } from "../../src/languages.ts";
import { DOCS_PAGES, docsPath } from "../fixtures/docs/docs-pages.ts";
import { attributeOf, unescapeHtml } from "../fixtures/http/html.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

describe("the documentation's home", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await createTestServer();
  });
  afterAll(() => server.close());

  test.each(LANGUAGES)(
    "has a card for every page, with whole sentences, in %s",
    async (language) => {
      const html = await (await server.get(`/${language}/docs`)).text();
      const list = /<ul class="cards">(.*?)<\/ul>/s.exec(html)?.[1] ?? "";
      const cards = [
        ...list.matchAll(/<a href="([^"]+)"><strong>([^<]+)<\/strong><span>([^<]+)<\/span>/g),
      ].map(([, address = "", title = "", text = ""]) => ({ address, title, text }));
      const pages = DOCS_PAGES.filter((page) => page !== "");
      expect(cards.map(({ address }) => address)).toEqual(
        pages.map((page) => `/${language}/${docsPath(page)}`),
      );
      for (const { address, title, text } of cards) {
        const page = await (await server.get(address)).text();
        expect(page).toContain(`<h1>${title}</h1>`);
        expect(unescapeHtml(text)).toMatch(/^\p{Lu}.*\.$/u);
      }
    },
  );

  test.each(LANGUAGES)(
    "describes its pages to search engines in the same words: %s",
    async (language) => {
      const home = unescapeHtml(await (await server.get(`/${language}/docs`)).text());
      for (const page of DOCS_PAGES.filter((one) => one !== "")) {
        const response = await server.get(`/${language}/${docsPath(page)}`);
        const description = await attributeOf(response, "meta[name=description]", "content");
        expect(home).toContain(`<span>${description}</span>`);
      }
    },
  );
});
