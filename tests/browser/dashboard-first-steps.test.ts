import { afterEach, beforeEach, describe, expect } from "bun:test";
import type { Locator } from "playwright-core";
import { en } from "../../src/i18n/en.ts";
import { currentChromium, openPage, watchPage } from "../fixtures/browser/chromium.ts";
import { sharedBrowser } from "../fixtures/browser/shared-browser.ts";
import { OBS_USER_AGENT } from "../fixtures/browser/dashboard-page.ts";
import { type MarqueeProcess, startMarquee } from "../fixtures/servers/marquee-process.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";

const test = testWith(currentChromium.name, currentChromium.isInstalled);

/** What somebody new may have to click until the overlay's address can be pasted into OBS. */
const MOST_CLICKS = 6;

describe("somebody who starts Marquee for the first time", () => {
  const browser = sharedBrowser(currentChromium);
  let marquee: MarqueeProcess;
  let folder: ReturnType<typeof createTempFolder>;

  beforeEach(async () => {
    folder = createTempFolder();
    marquee = await startMarquee({ folder: folder.path, fromSource: true });
  });
  afterEach(async () => {
    await marquee.stop();
    folder.remove();
  });

  test("has the overlay's address after two clicks, and sees OBS show it without a reload", async () => {
    const context = await browser().newContext({
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const { page, complaints, hosts } = watchPage(await context.newPage());
    const clicks: string[] = [];
    const click = async (locator: Locator) => {
      clicks.push((await locator.textContent()) ?? "");
      await locator.click();
    };

    await page.goto(marquee.ready["login_url"] ?? "");
    await click(page.getByRole("button", { name: en.signIn.confirm }));
    await page.getByRole("heading", { name: en.dashboard.firstSteps.title }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/en/dashboard");
    await click(page.getByRole("button", { name: en.parts.copy }));
    await page.getByRole("button", { name: en.parts.copied }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(marquee.ready["widget_url"] ?? "");
    expect(clicks).toEqual(["Sign in", "Copy"]);
    expect(clicks.length).toBeLessThanOrEqual(MOST_CLICKS);

    await page.evaluate(() => Object.assign(window, { isFirstLoad: true }));
    const step = page.locator("ol.steps > li").nth(1);
    await page.getByText(en.dashboard.nowPlaying.notOnStream).waitFor();
    expect(await step.getAttribute("class")).toBeNull();

    const obs = await openPage(browser(), { userAgent: OBS_USER_AGENT });
    await obs.page.goto(copied);
    // The demo follows the wall clock, and pauses for a few seconds of it.
    expect([en.widget.nowPlaying, en.widget.paused].map((state) => `${state} · Demo`)).toContain(
      (await obs.page.textContent(".np-label")) ?? "",
    );
    expect(await obs.page.textContent(".np-title")).not.toBe("");
    expect(await obs.page.locator(".np-card").isVisible()).toBe(true);

    await page.getByText(en.dashboard.nowPlaying.onStream).waitFor();
    expect(await step.getAttribute("class")).toBe("done");
    expect(await page.evaluate(() => "isFirstLoad" in window)).toBe(true);
    await obs.page.close();

    expect([...complaints, ...obs.complaints]).toEqual([]);
    expect([...hosts, ...obs.hosts]).toEqual(Array(2).fill(new URL(marquee.url).host));
    await context.close();
  });
});
