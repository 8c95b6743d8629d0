import { signIn } from "../fixtures/http/signed-in.ts";
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { languages } from "../../src/i18n/index.ts";
import type { Language } from "../../src/languages.ts";
import { currentChromium, type WatchedPage } from "../fixtures/browser/chromium.ts";
import { sharedPages } from "../fixtures/browser/shared-pages.ts";
import { DOCS_PAGES, docsPath } from "../fixtures/docs/docs-pages.ts";
import { type ListeningServer, startTestServer } from "../fixtures/servers/listening-server.ts";
import {
  AXE_LANGUAGES,
  axeViolations,
  overflowOf,
  rulesIn,
} from "../fixtures/browser/page-checks.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { testWith } from "../fixtures/real-parts.ts";

const test = testWith(currentChromium.name, currentChromium.isInstalled);

const DESKTOP = { width: 1280, height: 800 };
/** A small phone. */
const PHONE = { width: 360, height: 740 };
/** A sheet of A4 between its margins. */
const SHEET = { width: 718, height: 1047 };
/** The pages with most to get wrong: long tables, pictures, forms. */
const RICH_PAGES = ["commands", "widget", "sources/spotify", "reference"];

/** What can be read on a page and looks like a credential: in its text, fields, and hints. */
async function drawnSecrets(page: Page): Promise<string[]> {
  const drawn = await page.evaluate(() => {
    const fields = [...document.querySelectorAll("input, textarea")].map((field) =>
      (field instanceof HTMLInputElement && field.type !== "password") ||
      field instanceof HTMLTextAreaElement
        ? field.value
        : "",
    );
    const hints = [...document.querySelectorAll("[title], [alt], [placeholder]")].flatMap((one) =>
      ["title", "alt", "placeholder"].map((name) => one.getAttribute(name) ?? ""),
    );
    return [document.title, document.body.textContent ?? "", ...fields, ...hints];
  });
  return drawn.flatMap((text) => text.match(/\bmq[a-z]?_\w{8,}/g) ?? []);
}

describe("the documentation in a browser", () => {
  const shared = sharedPages(currentChromium, { viewport: DESKTOP });
  let server: ListeningServer;
  let ada: AddedUser;
  const opened: WatchedPage[] = [];

  beforeAll(async () => {
    server = await startTestServer({ settings: { rateLimitSeconds: "0" } });
    ada = await server.addUser("ada");
    await server.sourceOf(ada).says(aPlayback({ observedAtMs: performance.now() }));
  });
  afterAll(async () => {
    await server.stop();
  });
  afterEach(async () => {
    await shared.closeAll();
    for (const { complaints, hosts } of opened.splice(0)) {
      expect(complaints).toEqual([]);
      expect([...hosts]).toEqual([new URL(server.url).host]);
    }
  });

  const address = (language: Language, page: string) =>
    `${server.url}/${language}/${docsPath(page)}`;

  async function open(
    language: Language,
    page: string,
    options: BrowserContextOptions = {},
  ): Promise<WatchedPage> {
    const watched = await shared.open(options);
    opened.push(watched);
    await watched.page.goto(address(language, page));
    return watched;
  }

  test("finds parts without caring for case and accents, and leads to them", async () => {
    const { page } = await open("fr", "quick-start");
    const field = page.getByRole("searchbox", { name: languages.fr.docs.search });
    const results = page.locator("#results");
    for (const words of ["CLE SECRETE", "clé secrète"]) {
      await field.fill(words);
      const links = results.getByRole("link");
      await links.first().waitFor();
      const hrefs = await links.evaluateAll((all) => all.map((one) => one.getAttribute("href")));
      expect(hrefs).toContain("/fr/docs/security#the-secret-key");
    }
    await results.locator("a[href$='#the-secret-key']").click();
    await page.waitForURL(`${address("fr", "security")}#the-secret-key`);
    const top = await page
      .locator("#the-secret-key")
      .evaluate((one) => one.getBoundingClientRect().top);
    expect(top).toBeLessThan(DESKTOP.height / 2);
  });

  test("puts parts whose heading has the words first, and a page's own beginning on top", async () => {
    const { page } = await open("en", "");
    await page.getByRole("searchbox").fill("launcher file");
    const links = page.locator("#results a");
    await links.first().waitFor();
    expect(await links.first().innerText()).toBe("The launcher file");
    const sentence = page.locator("#results li").first().locator("p");
    expect(await sentence.innerText()).toMatch(/launcher file.*\.$/);
    expect(await sentence.locator("mark").allInnerTexts()).toContain("launcher");
    expect(await links.count()).toBeLessThanOrEqual(12);
    await page.keyboard.press("Enter");
    await page.waitForURL(/#the-launcher-file$/);
  });

  test("says when nothing is found, and nothing when nothing is asked", async () => {
    const { page } = await open("de", "api");
    const field = page.getByRole("searchbox");
    const results = page.locator("#results");
    await field.fill("xyzzy");
    await results.getByText(languages.de.docs.noResults).waitFor();
    await field.fill("");
    await page.waitForFunction(() => document.querySelector("#results")?.textContent === "");
  });

  test("copies examples as they stand", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page } = await open("es", "api", { permissions });
    const examples = page.locator(".example");
    const count = await examples.count();
    expect(count).toBeGreaterThan(5);
    for (const index of [0, count - 1]) {
      const example = examples.nth(index);
      await example.getByRole("button", { name: languages.es.docs.copy }).click();
      await example.getByRole("button", { name: languages.es.docs.copied }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toBe((await example.locator("code").textContent()) ?? "");
    }
  });

  /** Signs the browser of a page in as Ada, and loads the page again. */
  async function signInAsAda(page: Page): Promise<void> {
    const { cookie } = await signIn(server, ada, server.url);
    const [name = "", value = ""] = cookie.split("=");
    await page.context().addCookies([{ name, value, url: server.url }]);
    await page.reload();
  }

  test("copies a signed-in reader's own widget address, which it does not show", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page } = await open("en", "widget", { permissions });
    await signInAsAda(page);
    const examples = page.locator(".example", { hasText: "/widget/mqw_…" });
    const count = await examples.count();
    expect(count).toBe(2);
    for (let index = 0; index < count; index++) {
      const example = examples.nth(index);
      await example.getByRole("button", { name: languages.en.docs.copy }).click();
      await example.getByRole("button", { name: languages.en.docs.copied }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toContain(`${server.url}/en/widget/${ada.widgetToken}`);
      expect(await example.locator("code").innerText()).not.toContain(ada.widgetToken);
    }
    expect(await drawnSecrets(page)).toEqual([]);
  });

  /**
   * Shows another page in the place of this one, in less time than loading it takes. Its scripts do
   * not run. Resolves with whether it is there and has the same stylesheets.
   */
  const replaceWith = (page: Page, path: string): Promise<boolean> =>
    page.evaluate(async (at) => {
      const response = await fetch(at);
      const next = new DOMParser().parseFromString(await response.text(), "text/html");
      const sheetsOf = ({ head }: Document) =>
        [...head.querySelectorAll("link[rel=stylesheet]")].map((one) => one.getAttribute("href"));
      const isStyledTheSame = sheetsOf(document).join() === sheetsOf(next).join();
      document.body.replaceWith(document.adoptNode(next.body));
      return response.ok && isStyledTheSame;
    }, path);

  test("tries the API with a real key, a wrong one, and without the server", async () => {
    const { page, complaints } = await open("en", "reference");
    const form = page.locator("form[data-try$='/now-playing']");
    const answer = form.locator("[data-answer] code");
    const ask = async (key: string, part: string) => {
      await form.getByLabel(languages.en.reference.key).fill(key);
      await form.getByRole("button", { name: languages.en.reference.send }).click();
      await answer.filter({ hasText: part }).waitFor();
    };
    await ask(` ${ada.key} `, "200");
    expect(await answer.innerText()).toContain('"name": "Paper Lanterns"');
    expect(page.url()).toBe(address("en", "reference"));
    await ask("mq_wrong", "401");
    expect(await answer.innerText()).toContain('"error": "Invalid API key"');
    await page.context().setOffline(true);
    await ask(ada.key, languages.en.reference.unreachable);
    // The browser itself says that requests failed.
    expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
    complaints.length = 0;
  });

  test("shows a stream of events as it comes, until it is stopped", async () => {
    const { page } = await open("en", "reference");
    const { reference } = languages.en;
    const form = page.locator("form[data-try$='/events']");
    const answer = form.locator("[data-answer] code");
    await form.getByLabel(reference.key).fill(ada.key);
    await form.getByRole("button", { name: reference.send }).click();
    await answer.filter({ hasText: "Paper Lanterns" }).waitFor();
    await server.sourceOf(ada).says(null);
    await answer.filter({ hasText: '{"success":true,"data":null}' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await answer.innerText()).toStartWith("200 OK");
    await form.getByRole("button", { name: reference.stop }).click();
    await form.getByRole("button", { name: reference.send }).waitFor();
    await server.sourceOf(ada).says(aPlayback({ observedAtMs: performance.now() }));
    expect((await answer.innerText()).match(/event: now-playing/g)).toHaveLength(2);
  });

  test("makes whoever is signed in a key to try the API with, on the spot", async () => {
    const stranger = await open("en", "reference");
    const name = languages.en.reference.makeKey;
    expect(await stranger.page.getByRole("button", { name }).count()).toBe(0);

    const { page } = await open("en", "reference");
    await signInAsAda(page);
    const form = page.locator("form[data-try$='/user']");
    await form.getByRole("button", { name }).click();
    await form.getByRole("button", { name }).waitFor({ state: "hidden" });
    expect(await form.getByLabel(languages.en.reference.key).inputValue()).toMatch(/^mq_/);
    expect(await drawnSecrets(page)).toEqual([]);
    await form.getByRole("button", { name: languages.en.reference.send }).click();
    const answer = form.locator("[data-answer] code");
    await answer.filter({ hasText: '"username": "ada"' }).waitFor();
  });

  test("makes one key for two clicks, and says when the server is away", async () => {
    const { page, complaints } = await open("en", "reference");
    await signInAsAda(page);
    const button = page.locator("form[data-try$='/user'] [data-make-key]");
    const keys = async () => server.accounts.keys.list(ada.user).length;
    const before = await keys();
    await page.context().setOffline(true);
    await button.click();
    await button.filter({ hasText: languages.en.reference.unreachable }).waitFor();
    await page.context().setOffline(false);
    // The browser itself says that requests failed.
    expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
    complaints.length = 0;
    await button.evaluate((element: HTMLButtonElement) => {
      element.click();
      element.click();
    });
    await button.waitFor({ state: "hidden" });
    expect(await keys()).toBe(before + 1);
  });

  test("opens one stream for two clicks", async () => {
    const { page } = await open("en", "reference");
    const { reference } = languages.en;
    const form = page.locator("form[data-try$='/events']");
    let calls = 0;
    page.on("request", (request) => void (calls += request.url().endsWith("/events") ? 1 : 0));
    await form.getByLabel(reference.key).fill(ada.key);
    await form.evaluate((element: HTMLFormElement) => {
      element.requestSubmit();
      element.requestSubmit();
    });
    await form.getByRole("button", { name: reference.stop }).click();
    await form.getByRole("button", { name: reference.send }).waitFor();
    expect(calls).toBe(1);
  });

  const checkedByAxe = AXE_LANGUAGES.flatMap((language) =>
    RICH_PAGES.map((page) => [language, page] as const),
  );
  test.each(checkedByAxe)(
    "has nothing that axe finds wrong, light or dark: %s %s",
    async (language, name) => {
      const { page } = await open(language, name, { colorScheme: "light" });
      expect(await axeViolations(page, rulesIn(language))).toEqual([]);
      if (rulesIn(language)) return;
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await axeViolations(page, ["color-contrast", "link-in-text-block"])).toEqual([]);
    },
  );

  test.each([DESKTOP, PHONE])(
    "puts the cards of its home below the heading: %j",
    async (viewport) => {
      const { page } = await open("en", "", { viewport });
      const leftOf = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((one) => one.getBoundingClientRect().left);
      expect(await leftOf("article .cards a")).toBe(await leftOf("article h1"));
    },
  );

  test.each(AXE_LANGUAGES)("fits a small phone on every page: %s", async (language) => {
    const { page } = await open(language, "", { viewport: PHONE });
    for (const name of DOCS_PAGES) {
      if (RICH_PAGES.includes(name)) await page.goto(address(language, name));
      else expect(await replaceWith(page, address(language, name))).toBe(true);
      expect({ name, overflow: await overflowOf(page) }).toEqual({ name, overflow: [] });
    }
  });

  test.each(RICH_PAGES)("prints the whole page and only that: %s", async (name) => {
    const { page } = await open("de", name, { viewport: SHEET });
    const text = await page.locator("article h1").innerText();
    await page.emulateMedia({ media: "print", colorScheme: "light" });
    expect(await page.locator("article h1").innerText()).toBe(text);
    for (const part of ["header.site", "aside", "nav.languages"]) {
      expect(await page.locator(part).isVisible()).toBe(false);
    }
    // What scrolls on a screen is cut off on paper.
    const cut = await page
      .locator("article pre, article .table")
      .evaluateAll((all) =>
        all
          .filter((one) => one.scrollWidth > one.clientWidth + 1)
          .map((one) => one.textContent?.slice(0, 80)),
      );
    expect(cut).toEqual([]);
    const lines = page.locator("article pre code").first();
    expect(await lines.evaluate((one) => getComputedStyle(one).whiteSpace)).toBe("pre-wrap");
    expect(await page.locator(".example button").filter({ visible: true }).count()).toBe(0);
  });

  test("reads without script, and offers nothing that would need it", async () => {
    for (const name of ["widget", "reference"]) {
      const { page } = await open("pt", name, { javaScriptEnabled: false });
      expect(await page.locator("article h2").count()).toBeGreaterThan(1);
      expect(await page.locator("article table").first().isVisible()).toBe(true);
      expect(await page.locator(".search").isVisible()).toBe(false);
      expect(await page.locator("form.try, button").filter({ visible: true }).count()).toBe(0);
    }
  });

  test("can be reached and read by keyboard alone", async () => {
    const { page } = await open("en", "widget");
    const reached = new Set<string>();
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press("Tab");
      reached.add(
        await page.evaluate(() => {
          const { activeElement } = document;
          return activeElement?.closest("aside, article, header")?.tagName ?? "";
        }),
      );
    }
    expect([...reached]).toEqual(expect.arrayContaining(["HEADER", "ASIDE", "ARTICLE"]));
  });

  test("shows its pictures", async () => {
    const { page } = await open("en", "looks");
    const pictures = page.locator("article img");
    for (let index = 0; index < (await pictures.count()); index++) {
      await pictures.nth(index).scrollIntoViewIfNeeded();
      await page.waitForFunction(
        (at) => document.querySelectorAll<HTMLImageElement>("article img")[at]?.naturalWidth,
        index,
      );
    }
    expect(await pictures.count()).toBeGreaterThan(4);
  });
});
