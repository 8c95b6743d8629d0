import { expect } from "bun:test";
import type { Page } from "playwright-core";
import {
  animationsOf,
  inEveryEngine,
  LONG_TITLE,
  restsNow,
  setSourceVisible,
  stateIs,
  titled,
  titleIs,
} from "../fixtures/browser/overlay-page.ts";

const longTitles: Readonly<Record<string, string>> = {
  Latin: LONG_TITLE,
  emoji: "🎻🎶👩‍🚀🌙☀️ ".repeat(12),
  "Chinese, Japanese and Korean": "夜の庭で会いましょう 안녕하세요 月亮代表我的心 ".repeat(4),
  Arabic: "ضوء القمر على الماء في ليلة صيف طويلة ".repeat(4),
  Hebrew: "אור הירח על המים בלילה ".repeat(5),
};
const shortTitles: Readonly<Record<string, string>> = {
  Latin: "Ash",
  emoji: "🎻🌙",
  "Chinese, Japanese and Korean": "夜の庭",
  Arabic: "ضوء القمر",
};
const RIGHT_TO_LEFT = ["Arabic", "Hebrew"];

inEveryEngine("the marquee", (stage) => {
  const { test } = stage;

  for (const [script, title] of Object.entries(shortTitles)) {
    test(`leaves a short title alone: ${script}`, async () => {
      await stage.hears({ ...titled(title), artists: ["Ada"] });
      const { page } = await stage.open("?hold=0&motion=full", { frozen: true });
      await page.clock.runFor(1_000);
      expect(await animationsOf(page)).toBe(0);
      expect(await page.getAttribute(".np-title", "data-np-overflow")).toBeNull();
    });
  }

  for (const [script, title] of Object.entries(longTitles)) {
    test(`holds, travels, holds and returns: ${script}`, async () => {
      await stage.hears({ ...titled(title), artists: ["Ada"] });
      const { page } = await stage.open("?hold=3&motion=full&marquee=auto", { frozen: true });
      const isRightToLeft = RIGHT_TO_LEFT.includes(script);
      const ends = isRightToLeft ? (["right", "left"] as const) : (["left", "right"] as const);

      await page.clock.runFor(2_900);
      expect(await animationsOf(page)).toBe(0);
      expect(await gapAt(page, ends[0])).toBeCloseTo(0, -0.5);
      await page.clock.runFor(200);
      const there = await travelOf(page);
      expect(Math.sign(there.toPx - there.fromPx)).toBe(isRightToLeft ? 1 : -1);

      await arrives(page, there.toPx);
      expect(await gapAt(page, ends[1])).toBeCloseTo(0, -0.5);
      await page.clock.runFor(2_900);
      expect(await animationsOf(page)).toBe(0);
      await page.clock.runFor(200);
      expect(await travelOf(page)).toEqual({ fromPx: there.toPx, toPx: there.fromPx });
      await arrives(page, there.fromPx);
      expect(await gapAt(page, ends[0])).toBeCloseTo(0, -0.5);
    });
  }

  for (const [motion, reducedMotion, moves] of [
    ["auto", "no-preference", true],
    ["auto", "reduce", false],
    ["full", "no-preference", true],
    ["full", "reduce", true],
    ["none", "no-preference", false],
    ["none", "reduce", false],
  ] as const) {
    const does = moves ? "moves" : "rests";
    test(`${does} with motion=${motion} where the system says ${reducedMotion}`, async () => {
      await stage.hears(titled(LONG_TITLE));
      const { page } = await stage.open(`?hold=0&motion=${motion}`, {
        reducedMotion,
        frozen: true,
      });
      await page.clock.runFor(10);
      expect(await animationsOf(page)).toBe(moves ? 1 : 0);
      expect(await page.getAttribute("html", "data-np-motion")).toBe(moves ? "full" : "none");
      await stage.hears(titled("Short"));
      await titleIs(page, "Short");
      expect(await animationsOf(page)).toBe(moves ? 1 : 0);
    });
  }

  test("rests as soon as the system asks for less motion", async () => {
    await stage.hears(titled(LONG_TITLE));
    const { page } = await stage.open("?hold=0", { reducedMotion: "no-preference", frozen: true });
    await page.clock.runFor(10);
    expect(await animationsOf(page)).toBe(1);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await restsNow(page);
  });

  test("rests at the beginning while paused, ending in an ellipsis", async () => {
    await stage.hears({ ...titled(LONG_TITLE), artists: ["Ada"] });
    const { page } = await stage.open("?hold=0&motion=full", { frozen: true });
    await page.clock.runFor(10);
    expect(await animationsOf(page)).toBe(1);
    await stage.hears({ ...titled(LONG_TITLE), artists: ["Ada"], state: "paused" });
    await stateIs(page, "paused");
    await restsNow(page);
    await page.clock.runFor(10_000);
    expect(await animationsOf(page)).toBe(0);
    expect(await gapAt(page, "left")).toBe(0);
    expect(await endsInEllipsis(page)).toBe(true);
  });

  test("rests while the source is hidden", async () => {
    await stage.hears(titled(LONG_TITLE));
    const { page } = await stage.open("?hold=0&motion=full", { frozen: true });
    await page.clock.runFor(10);
    await setSourceVisible(page, false);
    await page.clock.runFor(10_000);
    expect(await animationsOf(page)).toBe(0);
  });

  test("measures again when a style is added", async () => {
    await stage.hears();
    const { page } = await stage.open("?hold=0&motion=full", { frozen: true });
    await page.clock.runFor(10);
    expect(await animationsOf(page)).toBe(0);
    await page.addStyleTag({ content: ".np-title { font-size: 70px }" });
    await page.waitForFunction(() =>
      document.querySelector(".np-title")?.hasAttribute("data-np-overflow"),
    );
    await page.clock.runFor(10);
    expect(await animationsOf(page)).toBe(1);
  });

  test("measures again when the source is resized", async () => {
    await stage.hears({ ...titled("A title that has room at first"), artists: ["Ada"] });
    const { page } = await stage.open("?hold=0&motion=full&size=16", { frozen: true });
    await page.clock.runFor(10);
    expect(await animationsOf(page)).toBe(0);
    await page.setViewportSize({ width: 220, height: 120 });
    await page.waitForFunction(() =>
      document.querySelector(".np-title")?.hasAttribute("data-np-overflow"),
    );
    await page.clock.runFor(10);
    expect(await animationsOf(page)).toBe(1);
    await page.setViewportSize({ width: 500, height: 120 });
    await restsNow(page);
  });

  test("moves the artist by itself when only the artist is too long", async () => {
    await stage.hears({ ...titled("Ash"), artists: [LONG_TITLE] });
    const { page } = await stage.open("?hold=0&motion=full", { frozen: true });
    await page.clock.runFor(10);
    expect(await animationsOf(page)).toBe(1);
    expect(await page.getAttribute(".np-artist", "data-np-overflow")).toBe("");
    expect(await page.getAttribute(".np-title", "data-np-overflow")).toBeNull();
  });

  test("begins anew with the next long title", async () => {
    await stage.hears({ ...titled(LONG_TITLE), artists: ["Ada"] });
    const { page } = await stage.open("?hold=0&motion=full", { frozen: true });
    await page.clock.runFor(10);
    await arrives(page, (await travelOf(page)).toPx);
    const next = `${LONG_TITLE}, again`;
    await stage.hears({ ...titled(next), artists: ["Ada"] });
    await titleIs(page, next);
    expect(await gapAt(page, "left")).toBe(0);
  });
});

/** How far the title's text stands from a side of its place, in pixels. */
function gapAt(page: Page, side: "left" | "right"): Promise<number> {
  return page.evaluate((which) => {
    const place = document.querySelector(".np-title") as Element;
    const text = place.firstElementChild as Element;
    return text.getBoundingClientRect()[which] - place.getBoundingClientRect()[which];
  }, side);
}

/** Where the one animation that is alive comes from and goes to. */
function travelOf(page: Page): Promise<{ fromPx: number; toPx: number }> {
  return page.evaluate(() => {
    const [animation, ...others] = document.getAnimations();
    if (!animation || others.length > 0) throw new Error(`${others.length + 1} animations`);
    const [fromPx = Number.NaN, toPx = Number.NaN] = (animation.effect as KeyframeEffect)
      .getKeyframes()
      .map(({ transform }) => Number.parseFloat(String(transform).slice("translateX(".length)));
    return { fromPx, toPx };
  });
}

/** Lets the animation arrive without waiting for it. */
async function arrives(page: Page, atPx: number): Promise<void> {
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) animation.finish();
  });
  await page.waitForFunction((transform) => {
    const text = document.querySelector(".np-title")?.firstElementChild as HTMLElement;
    return text.style.transform === transform;
  }, `translateX(${atPx}px)`);
}

/** Whether the title is longer than its place, and shortened by the browser. */
function endsInEllipsis(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const text = document.querySelector(".np-title")?.firstElementChild as HTMLElement;
    return (
      text.scrollWidth > text.clientWidth && getComputedStyle(text).textOverflow === "ellipsis"
    );
  });
}
