import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { fill, languages } from "../../src/i18n/index.ts";
import { editedOptions } from "../../src/pages/dashboard/editor-query.ts";
import type { OptionKind } from "../../widget/options.ts";
import { onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { coverOf, hiddenIs, titled, titleIs, withCover } from "../fixtures/browser/overlay-page.ts";
import { unfold } from "../fixtures/browser/page-checks.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";

const words = languages.en;
const { account, widget } = words.dashboard;

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
    await stage.hears();
    const { page, complaints } = await stage.open("nowPlaying");
    expect(await liveText(page, "title").textContent()).toBe("Paper Lanterns");
    await mark(page);

    const cover = coverOf("cover", await patternPicture("png", 64));
    await stage.hears({
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
  }, 20_000);

  test("has no bar while the position is not known", async () => {
    await stage.hears({ ...titled("Somewhere"), positionUnknown: true });
    const { page } = await stage.open("nowPlaying");
    const progress = page.locator("progress");
    expect(await progress.isVisible()).toBe(false);
    await stage.hears({ ...titled("Begun"), positionMs: 0, positionUnknown: true });
    await progress.waitFor();
  }, 20_000);

  test("comes back by itself after the server was gone", async () => {
    await stage.hears();
    const { page } = await stage.open("nowPlaying");
    await mark(page);
    await stage.hears(titled("Before the Restart"));
    await says(page, "title", "Before the Restart");
    const start = await stage.stopServer();
    const again = page.waitForEvent("websocket");
    start();
    await again;
    await stage.hears(titled("After the Restart"));
    await says(page, "title", "After the Restart");
    expect(await isMarked(page)).toBe(true);
  }, 20_000);

  test("gives way to the sign-in notice when this browser is signed out elsewhere", async () => {
    await stage.hears();
    const { page } = await stage.open("nowPlaying");
    const elsewhere = await stage.open("account");
    const first = elsewhere.page.getByRole("button", { name: account.signOut }).nth(1);
    await first.click();
    await elsewhere.page.getByText(account.signedOut, { exact: true }).waitFor();
    await page.getByRole("heading", { name: words.signIn.neededTitle }).waitFor();
    await page.getByRole("link", { name: words.signIn.how }).click();
    await page.waitForURL("**/en/sign-in");
  }, 20_000);
});

onTheDashboard("the widget's editor", (stage) => {
  const { test } = stage;

  const address = (page: Page) => page.locator('.preview [data-follows="address"] code');
  /** Waits until the preview shows the overlay with this query. */
  const previews = (page: Page, query: string) =>
    page.waitForFunction((wanted) => {
      const frame = document.querySelector<HTMLIFrameElement>("[data-preview]");
      const inner = frame?.contentDocument;
      return inner?.location.search === wanted && inner.readyState === "complete";
    }, query);

  /** A control of each kind, and what it then adds to the address. */
  const changes: readonly [
    kind: OptionKind["kind"],
    act: (page: Page) => Promise<unknown>,
    query: string,
  ][] = [
    ["choice", (page) => page.locator("[name=theme][value=vinyl]").check(), "theme=vinyl"],
    ["colour", (page) => page.locator("#option-bg").fill("#ff8800"), "bg=ff8800"],
    [
      "font",
      (page) => page.locator("#option-font").fill("Georgia, serif"),
      "font=Georgia%2C+serif",
    ],
    ["number", (page) => page.locator("#option-radius").fill("12"), "radius=12"],
    ["switch", (page) => page.locator("#option-art").uncheck(), "art=0"],
    [
      "text",
      (page) => page.locator("#option-idleText").fill("À bientôt & co"),
      "idleText=%C3%80+bient%C3%B4t+%26+co",
    ],
  ];

  test("shows a change of every kind at once, in the preview and in the address", async () => {
    const kinds = new Set(editedOptions.map(([, { type }]) => type.kind));
    expect(changes.map(([kind]) => kind)).toEqual([...kinds].toSorted());
    const { page, complaints } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    await mark(page);
    let query = "?";
    for (const [, act, added] of changes) {
      await act(page);
      query += (query === "?" ? "" : "&") + added;
      expect(await address(page).textContent()).toBe(stage.overlay(query));
      expect(new URL(page.url()).search).toBe(query.replace("?", "?id=1&"));
      await previews(page, `${query}&demo=1`);
    }
    const inside = page.frameLocator("[data-preview]").locator("html");
    expect(await inside.getAttribute("data-np-theme")).toBe("vinyl");
    await page.locator("[name=language][value=fr]").check();
    const french = stage.overlay(query).replace("/en/", "/fr/");
    expect(await address(page).textContent()).toBe(french);
    expect(await isMarked(page)).toBe(true);
    await page.reload();
    expect(await address(page).textContent()).toBe(french);
    expect(complaints).toEqual([]);
  }, 20_000);

  test("says beside a control what is wrong with it, and leaves it out", async () => {
    const { page } = await stage.open("widget", { query: "?id=1" });
    await unfold(page);
    const radius = page.locator("#option-radius");
    await radius.fill("1000");
    const mistake = page.locator("#option-radius-mistake");
    expect(await mistake.isVisible()).toBe(true);
    expect(await radius.getAttribute("aria-describedby")).toBe("option-radius-mistake");
    expect(await address(page).textContent()).toBe(stage.overlay());
    await radius.fill("10");
    expect(await mistake.isVisible()).toBe(false);
    expect(await address(page).textContent()).toBe(stage.overlay("?radius=10"));
  }, 20_000);

  test("shows a picture of one's own behind the overlay, which goes nowhere", async () => {
    const { page, complaints, hosts } = await stage.open("widget", { query: "?id=1" });
    const requests: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET") requests.push(request.url());
    });
    const buffer = Buffer.from(await patternPicture("png", 64));
    const file = { name: "scene.png", mimeType: "image/png", buffer };
    await page.getByLabel(widget.ownPicture).setInputFiles(file);
    const screen = page.locator("[data-screen]");
    const shown = await screen.evaluate((element) => getComputedStyle(element).backgroundImage);
    expect(shown).toStartWith(`url("blob:${stage.server.url}/`);
    const sidePx = await page.evaluate(async (source) => {
      const image = new Image();
      image.src = source.slice(5, -2);
      await image.decode();
      return image.naturalWidth;
    }, shown);
    expect(sidePx).toBe(64);
    expect(requests).toEqual([]);
    expect([...hosts].filter((host) => host !== "")).toEqual([new URL(stage.server.url).host]);
    expect(complaints).toEqual([]);
  }, 20_000);

  test("copies what stands beside each button", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page } = await stage.open("widget", { permissions, query: "?id=1&theme=bar" });
    await page.locator("[name=position][value=br]").check();
    const copyables = page.locator(".copyable");
    const count = await copyables.count();
    const copied: string[] = [];
    for (let index = 0; index < count; index++) {
      const button = copyables.nth(index).getByRole("button");
      await button.click();
      await button.filter({ hasText: words.parts.copied }).waitFor();
      copied.push(await page.evaluate(() => navigator.clipboard.readText()));
    }
    expect(copied).toEqual(await copyables.locator("code").allTextContents());
    expect(copied[0]).toBe(stage.overlay("?theme=bar&position=br"));
    expect(copied.slice(2, 4)).toEqual(["1000", "120"]);
  }, 20_000);

  test("shows a test track in an open overlay, and says so without a reload", async () => {
    await stage.hears();
    const { page } = await stage.open("widget", { query: "?id=1" });
    const send = page.getByRole("button", { name: widget.test });
    const outcome = page.locator("[data-test-outcome]");
    await mark(page);
    await send.click();
    await outcome.filter({ hasText: widget.testUnseen }).waitFor();

    const obs = await stage.openInObs(stage.overlay());
    await titleIs(obs.page, "Paper Lanterns");
    await page.getByText(words.dashboard.nowPlaying.onStream, { exact: true }).waitFor();
    await send.click();
    await outcome.filter({ hasText: fill(widget.testSent, { count: "1" }) }).waitFor();
    await titleIs(obs.page, widget.testTrack.title);
    expect(await isMarked(page)).toBe(true);
  }, 20_000);

  test("makes an open overlay go dark when the address is replaced", async () => {
    await stage.hears();
    const before = stage.overlay("?theme=bar");
    const obs = await stage.openInObs(before);
    await titleIs(obs.page, "Paper Lanterns");
    const { page } = await stage.open("widget", { query: "?id=1&theme=bar" });
    await page.locator("[name=position][value=br]").check();
    await page.getByText(widget.rotate, { exact: true }).click();
    await page.getByRole("button", { name: widget.rotateGo }).click();
    await page.getByText(widget.rotated, { exact: true }).waitFor();
    await hiddenIs(obs.page, true);
    const after = (await address(page).textContent()) ?? "";
    expect(after).not.toBe(before);
    expect(after).toEndWith("?theme=bar&position=br");

    await obs.page.goto(after);
    await titleIs(obs.page, "Paper Lanterns");
    const old = await obs.page.goto(before);
    expect(old?.status()).toBe(404);
    expect(await obs.page.locator("body").isVisible()).toBe(false);
  }, 20_000);
});
