import { afterEach, beforeEach, expect, test } from "bun:test";
import { ENTRIES, LEADING_TO, pathTo, type SectionName } from "../../src/html/section-paths.ts";
import { LANGUAGES } from "../../src/languages.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

let server: TestServer;
let browser: SignedIn;

beforeEach(async () => {
  server = await createTestServer({ baseUrl: "http://127.0.0.1:4747/music" });
  const ada = await server.addUser("ada");
  await server.sourceOf(ada).says(aPlayback());
  browser = await signIn(server, ada);
});
afterEach(() => server.close());

test.each(LANGUAGES)("old addresses lead to where their page is, in %s", async (language) => {
  for (const [path, section] of Object.entries(LEADING_TO)) {
    const answer = await browser.get(`/${language}/dashboard${path}?page=2&id=1`);
    const to = pathTo({ basePath: "/music", language }, section);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, `${to}?page=2&id=1`]);
  }
});

test("each page marks its entry in the navigation, and the settings one of their tabs", async () => {
  for (const sections of Object.values(ENTRIES)) {
    const [first] = sections;
    for (const section of sections as readonly SectionName[]) {
      const at = (name: SectionName) => pathTo({ basePath: "", language: "en" }, name);
      const marked: string[] = [];
      const collect = new HTMLRewriter().on(
        "nav.sections a[aria-current], nav[aria-label=Settings] a[aria-current]",
        {
          element(link) {
            const path = (link.getAttribute("href") ?? "").replace(/^\/music/, "");
            marked.push(`${path} ${link.getAttribute("aria-current")}`);
          },
        },
      );
      await collect.transform(await browser.get(at(section))).text();
      const isTab = first === "privacy";
      const entry = `${at(first)} ${first === section ? "page" : "true"}`;
      expect(marked).toEqual(isTab ? [entry, `${at(section)} page`] : [entry]);
    }
  }
});
