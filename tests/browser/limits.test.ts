import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { LANGUAGES } from "../../src/languages.ts";
import { onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { axeViolations, overflowOf, rulesIn } from "../fixtures/browser/page-checks.ts";

/** What a page may ask of who looks at it, counted at first sight: before anything is unfolded. */

const CONTROLS = "a, button, input:not([type=hidden]), select, textarea, summary";

interface FirstSight {
  readonly words: number;
  readonly controls: number;
  readonly height: number;
}

const firstSight = (page: Page): Promise<FirstSight> =>
  page.evaluate((controls) => {
    const isSeen = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      element.getBoundingClientRect().right > 0;
    return {
      words: document.body.innerText.split(/\s+/).filter((word) => /\p{L}|\d/u.test(word)).length,
      controls: [...document.querySelectorAll(controls)].filter(isSeen).length,
      height: document.documentElement.scrollHeight,
    };
  }, CONTROLS);

onTheDashboard(
  "the page of music with ten connections",
  (stage) => {
    const { test } = stage;

    test.each(LANGUAGES)("keeps within its limits in %s", async (language) => {
      const { connections } = stage.server.accounts;
      for (let at = 1; at <= 5; at++) {
        await connections.connect(stage.ada.user, "json", null, `Deck ${at}`);
        const address = { address: `127.0.0.1:${at}`, password: "" };
        const { id } = await connections.connect(stage.ada.user, "mpd", address, `Room ${at}`);
        await connections.storeStatus(id, { state: "retrying", since: 1, reason: "unreachable" });
      }
      const { page } = await stage.open("music", { language });
      const wide = await firstSight(page);
      expect(wide.words).toBeLessThanOrEqual(250);
      expect(wide.controls).toBeLessThanOrEqual(40);
      expect(await axeViolations(page, rulesIn(language))).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect((await firstSight(page)).height).toBeLessThanOrEqual(3_000);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await overflowOf(page)).toEqual([]);
    });
  },
  { realSources: true, connected: false },
);
