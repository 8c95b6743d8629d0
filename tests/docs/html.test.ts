import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "bun";
import { HtmlValidate } from "html-validate";
import { SECTION_NAMES, sectionPath } from "../../src/html/section-paths.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { DOCS_PAGES, docsPath } from "../fixtures/docs/docs-pages.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { isThorough } from "../fixtures/thorough.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

const MOST_BYTES = 80 * 1024;

const validator = new HtmlValidate({ extends: ["html-validate:standard"], root: true });

let server: TestServer;
let browser: SignedIn;

beforeAll(async () => {
  server = await createTestServer();
  const ada = await server.addUser("ada");
  await server.addUser("grace", false);
  await server.sourceOf(ada).says(aPlayback());
  await server.accounts.keys.add(ada.user, "chat bot");
  browser = await signIn(server, ada);
});
afterAll(() => server.close());

const DASHBOARD = SECTION_NAMES.map(sectionPath);

const pathsIn = (language: string) =>
  ["", "sign-in", "nothing", ...DOCS_PAGES.map(docsPath), ...DASHBOARD].map(
    (path) => `/${language}/${path}`,
  );

describe("the HTML of a page", () => {
  /** Translations have the elements of the English pages, which other tests compare. */
  const paths = (isThorough ? LANGUAGES : ["en"]).flatMap(pathsIn);

  test.each(paths)("is valid: %s", async (path) => {
    const html = await (await browser.get(path)).text();
    const { results } = await validator.validateString(html);
    const mistakes = results.flatMap(({ messages }) =>
      messages.map(({ ruleId, message, line, column }) => {
        const place = html.split("\n")[line - 1]?.slice(Math.max(0, column - 40), column + 80);
        return `${ruleId}: ${message} at ${place}`;
      }),
    );
    expect(mistakes).toEqual([]);
  });

  test.each(LANGUAGES.flatMap(pathsIn))(
    "is light, and loads nothing from elsewhere: %s",
    async (path) => {
      const response = await browser.get(path);
      const policy = response.headers.get("content-security-policy") ?? "";
      const html = await response.text();
      expect(gzipSync(html).length).toBeLessThan(MOST_BYTES);
      const foreign: string[] = [];
      const collect = new HTMLRewriter().on("*", {
        element(element) {
          // Links, forms and what a page says of itself load nothing.
          const names = element.tagName === "link" ? ["href"] : ["src", "srcset", "data", "poster"];
          if (["canonical", "alternate"].includes(element.getAttribute("rel") ?? "")) return;
          for (const name of names) {
            const address = element.getAttribute(name) ?? "";
            if (/^([a-z]+:)?\/\//i.test(address)) foreign.push(address);
          }
        },
      });
      await collect.transform(new Response(html)).text();
      expect(foreign).toEqual([]);
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/https?:/);
    },
  );
});
