import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test";
import type { Page, PageScreenshotOptions } from "playwright-core";
import { currentChromium } from "../fixtures/browser/chromium.ts";
import { sharedPages } from "../fixtures/browser/shared-pages.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { type ListeningServer, startTestServer } from "../fixtures/servers/listening-server.ts";

const test = testWith(currentChromium.name, currentChromium.isInstalled);

/** The card's rounded corner leaves this much of its frame's corner empty, in pixels. */
const EMPTY_PX = 2;

describe("the home page in a browser", () => {
  const pages = sharedPages(currentChromium);
  let server: ListeningServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(async () => {
    await server.stop();
  });

  afterEach(() => pages.closeAll());

  test.each(["light", "dark"] as const)(
    "shows the overlay over the scene, and nothing around its card: %s desktop",
    async (colorScheme) => {
      const { page, complaints } = await pages.open({ colorScheme });
      await page.goto(`${server.url}/en/`);
      const card = page.frameLocator(".scene iframe").locator(".np-card");
      await card.waitFor();
      const frame = await page.locator(".scene iframe").boundingBox();
      if (!frame) throw new Error("the overlay's frame is not shown");
      const { x, y, width, height } = frame;
      const corner = { x, y, width: EMPTY_PX, height: EMPTY_PX };
      const middle = { x: x + width / 2, y: y + height / 2, width: EMPTY_PX, height: EMPTY_PX };

      const shown = { corner: await pixels(page, corner), middle: await pixels(page, middle) };
      await page.addStyleTag({ content: ".scene iframe { visibility: hidden }" });
      expect(await pixels(page, corner)).toBe(shown.corner);
      expect(await pixels(page, middle)).not.toBe(shown.middle);
      expect(complaints).toEqual([]);
    },
  );
});

/** A part of what is on the screen, to be compared. */
async function pixels(page: Page, clip: PageScreenshotOptions["clip"] & object): Promise<string> {
  return (await page.screenshot({ clip })).toString("base64");
}
