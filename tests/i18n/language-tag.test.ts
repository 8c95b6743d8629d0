import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Language } from "../../src/languages.ts";
import { attributeOf } from "../fixtures/http/html.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

let server: TestServer;
let browser: SignedIn;
beforeEach(async () => {
  server = await createTestServer();
  browser = await signIn(server, await server.addUser("ada"));
});
afterEach(() => server.close());

const TAGS: Readonly<Record<Language, string>> = {
  en: "en",
  fr: "fr",
  es: "es",
  pt: "pt-BR",
  de: "de",
};

describe.each(Object.entries(TAGS))("pages under /%s/", (language, tag) => {
  // The demo is an overlay.
  test.each(["", "docs", "docs/api", "docs/reference", "demo", "sign-in", "nothing/here"])(
    `say that they are in ${tag}: %j`,
    async (path) => {
      expect(await attributeOf(await server.get(`/${language}/${path}`), "html", "lang")).toBe(tag);
    },
  );

  test(`say that they are in ${tag} in the dashboard, too`, async () => {
    const page = await browser.get(`/${language}/dashboard/settings/account`);
    expect(await attributeOf(page.clone(), "html", "lang")).toBe(tag);
    expect(await attributeOf(page, `option[value="${language}"]`, "lang")).toBe(tag);
  });

  test(`are named ${tag} to search engines and in the list of languages`, async () => {
    const page = await server.get("/en/docs/api");
    const address = `/${language}/docs/api`;
    const toSearchEngines = `link[rel="alternate"][hreflang="${tag}"]`;
    expect(await attributeOf(page.clone(), toSearchEngines, "href")).toEndWith(address);
    expect(await attributeOf(page, `nav.languages a[lang="${tag}"]`, "href")).toBe(address);
  });
});
