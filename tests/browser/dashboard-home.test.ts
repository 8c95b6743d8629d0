import { expect } from "bun:test";
import { LANGUAGES } from "../../src/languages.ts";
import { languages } from "../../src/i18n/index.ts";
import { onTheDashboard } from "../fixtures/browser/dashboard-page.ts";
import { titled } from "../fixtures/browser/overlay-page.ts";
import { isThorough } from "../fixtures/thorough.ts";
import { overflowOf } from "../fixtures/browser/page-checks.ts";

const { home, privacy, gallery, widget } = languages.en.dashboard;

onTheDashboard("the control desk", (stage) => {
  const { test } = stage;
  const openDesk = async () => {
    await stage.server.accounts.users.welcome(stage.ada.user);
    await stage.plays();
    const watched = await stage.open("overlay");
    const title = watched.page.frameLocator(".scene iframe").locator(".np-title");
    await title.filter({ hasText: "Paper Lanterns" }).waitFor();
    return { ...watched, title };
  };

  test("hides the song that plays for good, and takes it back", async () => {
    const { page } = await openDesk();
    const overlay = (state: "idle" | "playing") =>
      page.frameLocator(".scene iframe").locator(`html[data-np-state="${state}"]`);
    await page.getByRole("button", { name: home.hide }).click();
    await page.getByText(home.hiddenByRules).waitFor();
    await overlay("idle").waitFor({ state: "attached" });
    expect(await page.getByRole("button", { name: home.hide }).isVisible()).toBe(false);
    await page.getByRole("button", { name: gallery.undo }).click();
    await overlay("playing").waitFor({ state: "attached" });
    expect(await page.getByRole("button", { name: home.hide }).isVisible()).toBe(true);
  });

  test("hides the song that came after the page was opened, not the one before", async () => {
    const { page } = await openDesk();
    await stage.plays(titled("Glass Gardens"));
    await page.locator(".song .title").filter({ hasText: "Glass Gardens" }).waitFor();
    await page.getByRole("button", { name: home.hide }).click();
    await page.getByText(home.hiddenByRules).waitFor();
    const { hiddenTitles } = stage.server.accounts.privacy.of(stage.ada.user.id);
    expect(hiddenTitles).toEqual(["Glass Gardens"]);
  });

  test("pauses and shares again, and follows a pause from elsewhere without a reload", async () => {
    const { page } = await openDesk();
    const again = page.getByRole("button", { name: privacy.resume });
    expect(await again.isVisible()).toBe(false);
    await page.getByText(home.pause).click();
    await page.getByRole("button", { name: privacy.pauseLong }).click();
    await again.waitFor();
    expect(await page.getByText(home.pause, { exact: true }).isVisible()).toBe(false);
    await stage.server.accounts.privacy.change(stage.ada.user, { pausedUntil: null });
    await page.getByText(home.pause, { exact: true }).waitFor();
    expect(await again.isVisible()).toBe(false);
  });

  test("offers pauses within the page on a phone and a tablet, in the longest words", async () => {
    await stage.server.accounts.users.welcome(stage.ada.user);
    await stage.plays();
    const { page } = await stage.open("overlay", { language: "fr" });
    await page.getByText(languages.fr.dashboard.home.pause, { exact: true }).click();
    await page.getByRole("button", { name: languages.fr.dashboard.privacy.pauseLong }).waitFor();
    for (const width of [320, 768]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await overflowOf(page)).toEqual([]);
    }
  });

  test("closes the choice of pauses by Escape, and by a click or the focus elsewhere", async () => {
    await stage.server.accounts.users.welcome(stage.ada.user);
    await stage.plays();
    const { page } = await stage.open("overlay");
    const opener = page.getByText(home.pause, { exact: true });
    const choice = page.getByRole("button", { name: privacy.pauseLong });
    const closings = [
      () => page.keyboard.press("Escape"),
      () => page.locator("h1").click(),
      () => page.getByRole("button", { name: home.test }).focus(),
    ];
    for (const close of closings) {
      await opener.click();
      await choice.waitFor();
      await close();
      await choice.waitFor({ state: "hidden" });
    }
    await opener.press("Enter");
    await choice.press("Escape");
    expect(await opener.evaluate((summary) => summary === document.activeElement)).toBe(true);
  });

  test("keeps the ways to other pages in one line, beside what is dragged or below it", async () => {
    await stage.server.accounts.users.welcome(stage.ada.user);
    for (const language of isThorough ? LANGUAGES : (["en"] as const)) {
      const { page } = await stage.open("overlay", { language });
      await page.locator(".handle [data-drag]").waitFor();
      for (const width of [768, 820, 1024]) {
        await page.setViewportSize({ width, height: 900 });
        const tops = await page
          .locator(".handle a")
          .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().top));
        expect(new Set(tops).size).toBe(1);
      }
    }
  });

  test("shows another look and a test track at once, on the page that is open", async () => {
    const { page, title } = await openDesk();
    await page.evaluate(() => Object.assign(window, { isMarked: true }));
    const cosy = page.getByRole("button", { name: "Cosy" });
    await cosy.click();
    await page.locator('.looks [aria-pressed="true"][aria-label="Cosy"]').waitFor();
    expect(await page.locator('.looks [aria-pressed="true"]').count()).toBe(1);
    const { height } = (await stage.server.accounts.widgets.first(stage.ada.user)).size ?? {};
    const handle = page.locator("[data-drag]");
    expect(await handle.getAttribute("data-height")).toBe(String(height));
    await page.getByRole("button", { name: home.test }).click();
    await title.filter({ hasText: widget.testTrack.title }).waitFor();
    expect(await page.evaluate(() => "isMarked" in window)).toBe(true);
  });

  test("leaves what it animates without end to the compositor", async () => {
    const { page } = await stage.open("overlay");
    await page.locator(".on-stream").waitFor();
    const animated = await page.evaluate(() =>
      document
        .getAnimations()
        .map(({ effect }) => effect as KeyframeEffect)
        .filter((effect) => effect.getTiming().iterations === Infinity)
        .map((effect) => effect.getKeyframes().flatMap((frame) => Object.keys(frame))),
    );
    const ofEveryKeyframe = ["offset", "computedOffset", "easing", "composite"];
    expect(animated).toHaveLength(1);
    expect(new Set(animated.flat())).toEqual(new Set([...ofEveryKeyframe, "opacity", "transform"]));
  });
});
