import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { languages } from "../../src/i18n/index.ts";
import { onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { coverOf, titled, withCover } from "../fixtures/browser/overlay-page.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";

const words = languages.en;
const { account } = words.dashboard;

const liveText = (page: Page, name: string) => page.locator(`[data-live-text="${name}"]`);

/** Waits until a part of the page says this. */
const says = (page: Page, name: string, text: string) =>
  liveText(page, name).filter({ hasText: text }).waitFor();

/** Marks what a page is now: a reload would take the mark away. */
const mark = (page: Page): Promise<unknown> =>
  page.evaluate(() => Object.assign(window, { isMarked: true }));
const isMarked = (page: Page): Promise<boolean> => page.evaluate(() => "isMarked" in window);

onTheDashboard("what is playing", (stage) => {
  const { test } = stage;

  test("changes on the page without a reload", async () => {
    await stage.plays();
    const { page, complaints } = await stage.open("overlay");
    expect(await liveText(page, "title").textContent()).toBe("Paper Lanterns");
    await mark(page);

    const cover = coverOf("cover", await patternPicture("png", 64));
    await stage.plays({
      ...titled("The Next One"),
      ...withCover(cover),
      artists: ["Ada & Grace", "Linus"],
      state: "paused",
      positionMs: 100_000,
    });
    await says(page, "title", "The Next One");
    await says(page, "artist", "Ada & Grace, Linus");
    await says(page, "label", words.widget.paused);
    const progress = page.locator("progress");
    expect(await progress.evaluate((bar: HTMLProgressElement) => bar.position)).toBe(0.5);
    const art = page.locator("[data-live-art]");
    await art.waitFor();
    expect(await art.getAttribute("src")).toMatch(/^\/art\/[\w-]+\/256\.webp$/);

    await stage.server.sourceOf(stage.ada).says(null);
    await says(page, "label", words.widget.nothingPlaying);
    await art.waitFor({ state: "hidden" });
    expect(await progress.isVisible()).toBe(false);
    expect(await isMarked(page)).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("has no bar while the position is not known", async () => {
    await stage.plays({ ...titled("Somewhere"), positionUnknown: true });
    const { page } = await stage.open("overlay");
    const progress = page.locator("progress");
    expect(await progress.isVisible()).toBe(false);
    await stage.plays({ ...titled("Begun"), positionMs: 0, positionUnknown: true });
    await progress.waitFor();
  });

  test("says that the server is gone, stays when a look is chosen then, and comes back by itself", async () => {
    await stage.plays();
    const { page } = await stage.open("overlay");
    await mark(page);
    await stage.plays(titled("Before the Restart"));
    await says(page, "title", "Before the Restart");
    const away = page.getByText(words.dashboard.away);
    expect(await away.isVisible()).toBe(false);
    const start = await stage.stopServer();
    await away.waitFor();
    const failed = page.waitForEvent("requestfailed", (request) => request.method() === "POST");
    await page.locator("[data-look] button").last().click();
    await failed;
    const again = page.waitForEvent("websocket");
    start();
    await again;
    await stage.plays(titled("After the Restart"));
    await says(page, "title", "After the Restart");
    await away.waitFor({ state: "hidden" });
    expect(await isMarked(page)).toBe(true);
  });

  test("says that a proxy passes on no sockets, where the server answers all the same", async () => {
    await stage.plays();
    const { page } = await stage.open("overlay");
    await page.routeWebSocket(/\/dashboard\/live$/, (socket) => socket.close());
    await page.reload();
    await page.getByText(words.dashboard.unfollowed).waitFor();
    expect(await page.getByText(words.dashboard.away).isVisible()).toBe(false);
  });

  test("gives way to the sign-in notice when this browser is signed out elsewhere", async () => {
    await stage.plays();
    const { page } = await stage.open("overlay");
    const otherBrowser = await stage.context({}, stage.ada);
    const elsewhere = await otherBrowser.newPage();
    await elsewhere.goto(stage.address("account"));
    await elsewhere.getByRole("button", { name: account.signOut }).nth(1).click();
    await elsewhere.getByText(account.signedOut, { exact: true }).waitFor();
    await page.getByRole("heading", { name: words.signIn.neededTitle }).waitFor();
    await page.getByRole("link", { name: words.signIn.how }).click();
    await page.waitForURL("**/en/sign-in");
  });
});
