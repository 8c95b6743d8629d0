import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DOCUMENTS } from "../fixtures/docs/documents.ts";
import { type Language, LANGUAGES, languageTag } from "../../src/languages.ts";
import type { SearchEntry } from "../../src/docs/browser/search.ts";
import { DOCS_PAGES, docsPath } from "../fixtures/docs/docs-pages.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

/** What a page says of itself and of others. */
interface Links {
  readonly anchors: readonly string[];
  /** Addresses that people follow. */
  readonly links: readonly string[];
  /** Addresses that browsers load by themselves. */
  readonly loaded: readonly string[];
  readonly images: readonly { readonly address: string; readonly alternative: string | null }[];
  readonly canonical: readonly string[];
  readonly translations: ReadonlyMap<string, string>;
  readonly switcher: ReadonlyMap<string, string>;
}

async function linksOf(page: Response): Promise<Links> {
  const anchors: string[] = [];
  const links: string[] = [];
  const loaded: string[] = [];
  const images: { address: string; alternative: string | null }[] = [];
  const canonical: string[] = [];
  const translations = new Map<string, string>();
  const switcher = new Map<string, string>();
  const collect = new HTMLRewriter()
    .on("[id]", { element: (element) => void anchors.push(element.getAttribute("id") ?? "") })
    .on("a", { element: (element) => void links.push(element.getAttribute("href") ?? "") })
    .on("nav.languages a", {
      element(element) {
        switcher.set(element.getAttribute("lang") ?? "", element.getAttribute("href") ?? "");
      },
    })
    .on("[src], [data-search], [data-try]", {
      element(element) {
        for (const name of ["src", "data-search", "data-try"]) {
          const address = element.getAttribute(name);
          if (address !== null) loaded.push(address);
        }
      },
    })
    .on("img", {
      element(element) {
        images.push({
          address: element.getAttribute("src") ?? "",
          alternative: element.getAttribute("alt"),
        });
      },
    })
    .on("link", {
      element(element) {
        const address = element.getAttribute("href") ?? "";
        const kind = element.getAttribute("rel");
        if (kind === "canonical") canonical.push(address);
        else if (kind === "alternate")
          translations.set(element.getAttribute("hreflang") ?? "", address);
        else loaded.push(address);
      },
    });
  await collect.transform(page).text();
  return { anchors, links, loaded, images, canonical, translations, switcher };
}

describe.each(["http://127.0.0.1:4747", "https://example.org/music"])("at %s", (baseUrl) => {
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, "");
  /** What stands before links is the same in each language. */
  const read: readonly Language[] = basePath === "" ? LANGUAGES : ["en"];
  let server: TestServer;
  const pages = new Map<string, Links>();

  beforeAll(async () => {
    server = await createTestServer({ baseUrl });
    for (const language of read) {
      for (const page of DOCS_PAGES) {
        const path = `${basePath}/${language}/${docsPath(page)}`;
        const response = await server.get(path);
        if (response.status !== 200) throw new Error(`${path} answers ${response.status}`);
        pages.set(path, await linksOf(response));
      }
    }
  });
  afterAll(() => server.close());

  const pageOf = (language: Language, page: string): Links => {
    const found = pages.get(`${basePath}/${language}/${docsPath(page)}`);
    if (!found) throw new Error(`there is no ${page} in ${language}`);
    return found;
  };

  /** What is wrong with a link on a page, if anything is. */
  async function mistakeIn(link: string, language: Language, page: string): Promise<string[]> {
    const from = `${new URL(baseUrl).origin}${basePath}/${language}/${docsPath(page)}`;
    const url = new URL(link, from);
    if (url.origin !== new URL(baseUrl).origin) {
      return url.protocol === "https:" ? [] : [`${link} is not https`];
    }
    if (!url.pathname.startsWith(`${basePath}/`)) return [`${link} lacks ${basePath}`];
    const anchor = url.hash.slice(1);
    const known = pages.get(url.pathname);
    if (known) {
      const leads = anchor === "" || known.anchors.includes(anchor);
      return leads ? [] : [`${link} names no part of its page`];
    }
    if (anchor !== "") return [`${link} names a part of a page that is not known here`];
    const { status, headers } = await server.get(url.pathname + url.search);
    // Whoever is not signed in is sent away from the dashboard, or asked to sign in.
    if (url.pathname === `${basePath}/${language}/dashboard`) {
      return [200, 303, 401].includes(status) ? [] : [`${link} answers ${status}`];
    }
    if (status === 401 && url.pathname.startsWith(`${basePath}/api/v1/`)) return [];
    return status === 200 ? [] : [`${link} answers ${status} ${headers.get("location") ?? ""}`];
  }

  describe.each(read)("the documentation in %s", (language) => {
    test.each(DOCS_PAGES)("leads somewhere with every link of %j", async (page) => {
      const { links, loaded } = pageOf(language, page);
      const all = [...new Set([...links, ...loaded])];
      const mistakes = await Promise.all(all.map((link) => mistakeIn(link, language, page)));
      expect(mistakes.flat()).toEqual([]);
      expect(links.length).toBeGreaterThan(DOCS_PAGES.length);
    });

    test.each(DOCS_PAGES)("names every part of %j once", (page) => {
      const { anchors } = pageOf(language, page);
      expect(anchors).toEqual([...new Set(anchors)]);
      expect(anchors.filter((anchor) => !/^[a-z0-9][a-z0-9_-]*$/.test(anchor))).toEqual([]);
    });

    test.each(DOCS_PAGES)("keeps %j in all languages for people and search engines", (page) => {
      const { canonical, translations, switcher } = pageOf(language, page);
      const path = docsPath(page);
      expect(canonical).toEqual([`${baseUrl}/${language}/${path}`]);
      expect(Object.fromEntries(translations)).toEqual({
        ...Object.fromEntries(
          LANGUAGES.map((other) => [languageTag(other), `${baseUrl}/${other}/${path}`]),
        ),
        "x-default": `${baseUrl}/en/${path}`,
      });
      expect(Object.fromEntries(switcher)).toEqual(
        Object.fromEntries(
          LANGUAGES.map((other) => [languageTag(other), `${basePath}/${other}/${path}`]),
        ),
      );
    });

    test("names its parts as English does, so that links survive a change of language", () => {
      for (const page of DOCS_PAGES) {
        expect(pageOf(language, page).anchors).toEqual(pageOf("en", page).anchors);
      }
    });

    test("describes every picture", () => {
      const pictures = DOCS_PAGES.flatMap((page) => pageOf(language, page).images).filter(
        ({ address }) => address.includes("/docs-pictures/"),
      );
      expect(pictures.length).toBeGreaterThan(4);
      for (const { alternative } of pictures) expect(alternative ?? "").toMatch(/\S+ \S+ \S+/);
    });

    test("finds with its search only parts that there are", async () => {
      const response = await server.get(`${basePath}/${language}/docs/search.json`);
      const entries = (await response.json()) as SearchEntry[];
      const mistakes = await Promise.all(
        entries.map(({ address }) => mistakeIn(address, language, "")),
      );
      expect(mistakes.flat()).toEqual([]);
      expect(new Set(entries.map(({ page }) => page)).size).toBe(DOCUMENTS.length);
      const raw = entries.filter(({ text, heading }) =>
        // Words such as `{{facts}}` stand for something; templates of other programs have spaces.
        /<\/?(a|code|em|h\d|li|p|pre|span|strong|t[dhr])\b|&\w+;|\{\{\w|<!--/.test(text + heading),
      );
      expect(raw).toEqual([]);
    });
  });

  test("there is nothing beside the pages", async () => {
    for (const path of [
      "/en/docs/nothing",
      "/en/docs/quick-start.md",
      "/en/docs/..%2fwidget",
      "/en/docs/__proto__",
      "/xx/docs",
      "/xx/docs/widget",
      "/docs-pictures/nothing.webp",
      "/docs-pictures/__proto__",
      "/docs-pictures/..%2f..%2fmain.ts",
    ]) {
      expect((await server.get(basePath + path)).status).toBe(404);
    }
  });
});
