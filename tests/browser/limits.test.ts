import { expect } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Language } from "../../src/languages.ts";
import { SECTION_NAMES, type SectionName } from "../../src/html/section-paths.ts";
import { type DashboardStage, onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import {
  AXE_LANGUAGES,
  axeViolations,
  overflowOf,
  rulesIn,
} from "../fixtures/browser/page-checks.ts";

/** What a page may ask of who looks at it, counted at first sight: before anything is unfolded. */

const CONTROLS = "a, button, input:not([type=hidden]), select, textarea, summary";
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const TALLEST_PX = 3_000;

/** The words of the page itself, without those of the navigation and the footer. */
const wordsOf = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const text = document.querySelector("main")?.innerText ?? "";
    return text.split(/\s+/).filter((word) => /\p{L}|\d/u.test(word)).length;
  });

/** How many controls can be seen, of those that begin above `belowPx`. */
const controlsOf = (page: Page, belowPx = Infinity): Promise<number> =>
  page.evaluate(
    ({ controls, below }) =>
      [...document.querySelectorAll(`main :is(${controls})`)].filter((element) => {
        const { top, right } = element.getBoundingClientRect();
        return (
          element.checkVisibility({ visibilityProperty: true }) &&
          right > 0 &&
          top + scrollY < below
        );
      }).length,
    { controls: CONTROLS, below: belowPx },
  );

const heightOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollHeight);

/** As long as a name may be, in one word. */
const LONGEST_NAME = "Donau".repeat(12);

/** Ten connections: five that work, five that nothing answers. */
async function connectTen({ server, ada }: DashboardStage): Promise<void> {
  const { connections } = server.accounts;
  for (let at = 1; at <= 5; at++) {
    await connections.connect(ada.user, "json", null, `Deck ${at}`);
    const address = { address: `127.0.0.1:${at}`, password: "" };
    const name = at === 5 ? LONGEST_NAME : `Room ${at}`;
    const { id } = await connections.connect(ada.user, "mpd", address, name);
    await connections.storeStatus(id, { state: "retrying", since: 1, reason: "unreachable" });
  }
}

onTheDashboard(
  "the dashboard at first sight",
  (stage) => {
    const { test } = stage;

    const openAll = async (
      language: Language,
      options: BrowserContextOptions,
      look: (page: Page, section: SectionName) => Promise<unknown>,
    ) => {
      const { page } = await stage.open("overlay", { language, ...options });
      for (const section of SECTION_NAMES) {
        await page.goto(stage.address(section, language));
        await look(page, section);
      }
      return page;
    };

    test.each(AXE_LANGUAGES)(
      "says little while nothing is connected yet, in %s",
      async (language) => {
        const words: Record<string, number> = {};
        await openAll(language, { viewport: DESK }, async (page, section) => {
          words[section] = await wordsOf(page);
        });
        const all = Object.values(words).reduce((sum, count) => sum + count, 0);
        expect(words["overlay"]).toBeLessThanOrEqual(60);
        expect(all).toBeLessThanOrEqual(800);
      },
    );

    test.each(AXE_LANGUAGES)("keeps ten connections in a short list, in %s", async (language) => {
      await connectTen(stage);
      const { page } = await stage.open("music", { language, viewport: DESK });
      expect(await wordsOf(page)).toBeLessThanOrEqual(250);
      expect(await controlsOf(page)).toBeLessThanOrEqual(40);
      expect(await axeViolations(page, rulesIn(language))).toEqual([]);
      const gapPx = await page.evaluate(() => {
        const [button, full] = ["main > .actions", "main > .actions + .hint"].map((part) =>
          document.querySelector(part)?.getBoundingClientRect(),
        );
        return (full?.top ?? 0) - (button?.bottom ?? 0);
      });
      expect(gapPx).toBeGreaterThan(8);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await overflowOf(page)).toEqual([]);
    });

    test("shows few controls of the editor at once", async () => {
      const { page } = await stage.open("widget", { query: "?id=1", viewport: DESK });
      expect(await controlsOf(page, DESK.height)).toBeLessThanOrEqual(25);
    });

    test.each(AXE_LANGUAGES)(
      "fits a phone with everything it can hold, in %s",
      async (language) => {
        await connectTen(stage);
        const { widgets } = stage.server.accounts;
        for (let at = 2; at <= 12; at++) {
          await widgets.add(stage.ada.user, { name: `Overlay ${at}`, kind: "overlay" });
        }
        const heights: Record<string, number> = {};
        const page = await openAll(language, { viewport: PHONE }, async (page, section) => {
          heights[section] = await heightOf(page);
        });
        for (const tab of ["design", "obs"]) {
          await page.goto(`${stage.address("widget", language)}?id=1&tab=${tab}`);
          heights[tab] = await heightOf(page);
        }
        expect(Object.entries(heights).filter(([, height]) => height > TALLEST_PX)).toEqual([]);
      },
    );
  },
  { realSources: true, connected: false },
);
