import { expect } from "bun:test";
import type { Page } from "playwright-core";
import {
  animationsOf,
  boxOf,
  held,
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
      await stage.plays({ ...titled(title), artists: ["Ada"] });
      const { page } = await stage.open("?hold=0&motion=full", { frozen: true });
      await page.clock.runFor(1_000);
      expect(await animationsOf(page)).toBe(0);
      expect(await page.getAttribute(".np-title", "data-np-overflow")).toBeNull();
    });
  }

  for (const [script, title] of Object.entries(longTitles)) {
    test(`holds, travels, holds and returns: ${script}`, async () => {
      await stage.plays({ ...titled(title), artists: ["Ada"] });
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

  for (const [script, title] of Object.entries(longTitles)) {
    test(`turns pages of whole words, the last with the end, and begins again: ${script}`, async () => {
      await stage.plays({ ...titled(title), artists: ["Ada"] });
      const { page } = await stage.open("?motion=full", { frozen: true });
      const side = RIGHT_TO_LEFT.includes(script) ? ("right" as const) : ("left" as const);
      const first = await pageShown(page);
      expect(await gapAt(page, side)).toBeCloseTo(0, -0.5);
      const shown: ShownPage[] = [];
      do {
        shown.push(await pageShown(page));
        await turnsPage(page);
      } while ((await pageShown(page)).transform !== first.transform && shown.length < 20);

      expect(shown.length).toBeGreaterThan(1);
      expect(await pageShown(page)).toEqual(first);
      for (const { cutCharacters, startGapPx, endGapPx } of shown) {
        expect(cutCharacters).toBe(0);
        expect(startGapPx).toBeGreaterThan(-2);
        expect(endGapPx).toBeGreaterThan(-2);
      }
      const seen = new Set(shown.flatMap(({ characters }) => characters));
      expect(seen.size).toBe(
        [...new Intl.Segmenter().segment(title.trim())].filter(
          ({ segment }) => segment.trim() !== "",
        ).length,
      );
      const last = shown.at(-1)?.characters ?? [];
      expect(Math.max(...last)).toBe(Math.max(...seen));
    });
  }

  test("rests three and a half seconds on a page, with nothing alive, and turns it in half a second", async () => {
    await stage.plays({ ...titled(LONG_TITLE), artists: ["Ada"] });
    const { page } = await stage.open("?motion=full&progress=0", { frozen: true });
    await page.clock.runFor(3_400);
    expect(await animationsOf(page)).toBe(0);
    await page.clock.runFor(200);
    const durationMs = await page.evaluate(() =>
      Number(document.getAnimations()[0]?.effect?.getComputedTiming().duration),
    );
    expect(durationMs).toBeGreaterThan(350);
    expect(durationMs).toBeLessThanOrEqual(500);
    await restsNow(page);
    await page.clock.runFor(3_400);
    expect(await animationsOf(page)).toBe(0);
    await page.clock.runFor(200);
    expect(await animationsOf(page)).toBe(1);
  });

  test("ends a turn by a timer, before the browser redraws its animation's end in the main thread", async () => {
    await stage.plays({ ...titled(LONG_TITLE), artists: ["Ada"] });
    const { page } = await stage.open("?motion=full", { frozen: true });
    const { transform } = await pageShown(page);
    await page.clock.runFor(3_600);
    await page.evaluate(() => document.getAnimations()[0]?.ready.then(() => {}));
    await page.clock.runFor(420);
    expect(await animationsOf(page)).toBe(0);
    await page.waitForFunction(
      (before) => document.querySelector<HTMLElement>(".np-title > *")?.style.transform !== before,
      transform,
    );
  });

  test("dissolves from the last page into the first in one animation", async () => {
    await stage.plays({ ...titled(LONG_TITLE), artists: ["Ada"] });
    const { page } = await stage.open("?motion=full", { frozen: true });
    const first = await pageShown(page);
    let last = first;
    let frames = await nextTurn(page);
    while (frames[1]?.opacity === undefined) {
      await turnsPage(page);
      last = await pageShown(page);
      frames = await nextTurn(page);
    }
    expect([...new Set(frames.map(({ transform }) => transform))]).toEqual([
      last.transform,
      first.transform,
    ]);
    const opacities = frames.map(({ opacity }) => Number(opacity));
    expect(Math.min(...opacities)).toBe(0);
    expect([opacities[0], opacities.at(-1)]).toEqual([1, 1]);
    await page.clock.runFor(220);
    // Its place is changed while it cannot be seen.
    expect(await pageShown(page)).toMatchObject({ transform: first.transform });
    expect(await animationsOf(page)).toBe(1);
  });

  test("pages a word that is longer than its place, character by character", async () => {
    await stage.plays({
      ...titled("Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch"),
      artists: ["Ada"],
    });
    const { page } = await stage.open("?motion=full", { frozen: true });
    const first = await pageShown(page);
    await turnsPage(page);
    const second = await pageShown(page);
    expect(first.cutCharacters + second.cutCharacters).toBe(0);
    expect(Math.min(...second.characters)).toBeGreaterThan(0);
    expect(Math.min(...second.characters)).toBeLessThanOrEqual(Math.max(...first.characters) + 1);
  });

  test("pages correctly in a card that the streamer's styles have scaled", async () => {
    await stage.plays({ ...titled(LONG_TITLE), artists: ["Ada"] });
    const { page } = await stage.open("?motion=full", { frozen: true });
    const plain = await pageShown(page);
    await page.addStyleTag({ content: ".np { transform: scale(0.5) }" });
    await stage.plays({ ...titled(`${LONG_TITLE}!`), artists: ["Ada"] });
    await titleIs(page, `${LONG_TITLE}!`);
    expect((await pageShown(page)).characters).toEqual(plain.characters);
  });

  test("travels once with marquee=once, then ends in an ellipsis until the next song", async () => {
    await stage.plays({ ...titled(LONG_TITLE), artists: ["Ada"] });
    const { page } = await stage.open("?motion=full&marquee=once", { frozen: true });
    await page.clock.runFor(3_100);
    const there = await travelOf(page);
    await arrives(page, there.toPx);
    await page.clock.runFor(3_100);
    expect(await travelOf(page)).toEqual({ fromPx: there.toPx, toPx: there.fromPx });
    await finishes(page);
    await page.waitForFunction(() => document.querySelector("[data-np-overflow]") === null);
    expect(await endsInEllipsis(page)).toBe(true);

    await stage.plays({ ...titled(LONG_TITLE), artists: ["Ada"], state: "paused" });
    await stateIs(page, "paused");
    await stage.plays({ ...titled(LONG_TITLE), artists: ["Ada"] });
    await stateIs(page, "playing");
    await page.clock.runFor(10_000);
    expect(await animationsOf(page)).toBe(0);

    await stage.plays({ track: { ...titled(LONG_TITLE).track, id: "again" }, artists: ["Ada"] });
    await page.waitForFunction(() => document.querySelector("[data-np-overflow]") !== null);
    await restsNow(page);
    await page.clock.runFor(3_100);
    expect(await animationsOf(page)).toBe(1);
  });

  for (const [motion, reducedMotion, moves] of [
    ["auto", "no-preference", true],
    ["auto", "reduce", false],
    ["full", "reduce", true],
    ["none", "no-preference", false],
  ] as const) {
    const does = moves ? "moves" : "rests";
    test(`${does} with motion=${motion} where the system says ${reducedMotion}`, async () => {
      await stage.plays(titled(LONG_TITLE));
      const { page } = await stage.open(`?hold=0&motion=${motion}`, {
        reducedMotion,
        ...held,
      });
      await page.clock.runFor(10);
      expect(await animationsOf(page)).toBe(moves ? 1 : 0);
      expect(await page.getAttribute("html", "data-np-motion")).toBe(moves ? "full" : "none");
      await stage.plays(titled("Short"));
      await titleIs(page, "Short");
      // One card and its words fade out, the others in.
      expect(await animationsOf(page)).toBe(moves ? 4 : 0);
    });
  }

  test("rests as soon as the system asks for less motion", async () => {
    await stage.plays(titled(LONG_TITLE));
    const { page } = await stage.open("?hold=0", { reducedMotion: "no-preference", frozen: true });
    await page.clock.runFor(10);
    expect(await animationsOf(page)).toBe(1);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await restsNow(page);
  });

  test("rests at the beginning while paused, ending in an ellipsis", async () => {
    await stage.plays({ ...titled(LONG_TITLE), artists: ["Ada"] });
    const { page } = await stage.open("?hold=0&motion=full", { frozen: true });
    await page.clock.runFor(10);
    expect(await animationsOf(page)).toBe(1);
    await stage.plays({ ...titled(LONG_TITLE), artists: ["Ada"], state: "paused" });
    await stateIs(page, "paused");
    await restsNow(page);
    await page.clock.runFor(10_000);
    expect(await animationsOf(page)).toBe(0);
    expect(await gapAt(page, "left")).toBeCloseTo(0, 1);
    expect(await endsInEllipsis(page)).toBe(true);
  });

  test("ends in an ellipsis where a page would hold a few letters", async () => {
    await stage.plays(titled(LONG_TITLE));
    const { page } = await stage.open("?theme=compact&motion=full&width=120&art=0", {
      frozen: true,
    });
    await page.waitForFunction(() => document.documentElement.dataset["npMotion"] === "full");
    expect((await boxOf(page, ".np-title")).width).toBeGreaterThan(0);
    expect(await page.getAttribute(".np-title", "data-np-overflow")).toBeNull();
    // One that travels can be read there.
    await page.goto(stage.address("?theme=compact&motion=full&width=120&art=0&marquee=auto"));
    await page.waitForFunction(() => document.querySelector(".np-title[data-np-overflow]"));
  });

  test("rests while the source is hidden", async () => {
    await stage.plays(titled(LONG_TITLE));
    const { page } = await stage.open("?hold=0&motion=full", { frozen: true });
    await page.clock.runFor(10);
    await setSourceVisible(page, false);
    await page.clock.runFor(10_000);
    expect(await animationsOf(page)).toBe(0);
  });

  test("measures again when a style is added", async () => {
    await stage.plays();
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
    await stage.plays({ ...titled("A title that has room at first"), artists: ["Ada"] });
    const { page } = await stage.open("?hold=0&motion=full&size=16&art=0", { frozen: true });
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
    await stage.plays({ ...titled("Ash"), artists: [LONG_TITLE] });
    const { page } = await stage.open("?hold=0&motion=full", { frozen: true });
    await page.clock.runFor(10);
    expect(await animationsOf(page)).toBe(1);
    expect(await page.getAttribute(".np-artist", "data-np-overflow")).toBe("both");
    expect(await page.getAttribute(".np-title", "data-np-overflow")).toBeNull();
  });

  test("begins anew with the next long title", async () => {
    await stage.plays({ ...titled(LONG_TITLE), artists: ["Ada"] });
    const { page } = await stage.open("?hold=0&motion=full", { frozen: true });
    await page.clock.runFor(10);
    await turnsPage(page);
    const next = `${LONG_TITLE}, again`;
    await stage.plays({ ...titled(next), artists: ["Ada"] });
    await titleIs(page, next);
    expect(await gapAt(page, "left")).toBeCloseTo(0, 1);
  });
});

/** How far the title's text stands from a side of its place, in pixels. */
function gapAt(page: Page, side: "left" | "right"): Promise<number> {
  return page.evaluate((which) => {
    const place = document.querySelector(".np-title") as Element;
    const text = place.firstElementChild as Element;
    const { paddingLeft, paddingRight } = getComputedStyle(place);
    const edgePx =
      which === "left" ? Number.parseFloat(paddingLeft) : -Number.parseFloat(paddingRight);
    return text.getBoundingClientRect()[which] - place.getBoundingClientRect()[which] - edgePx;
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
  await finishes(page);
  await page.waitForFunction((transform) => {
    const text = document.querySelector(".np-title")?.firstElementChild as HTMLElement;
    return text.style.transform === transform;
  }, `translateX(${atPx}px)`);
}

function finishes(page: Page): Promise<void> {
  return page.evaluate(() => {
    for (const animation of document.getAnimations()) animation.finish();
  });
}

/** Lets the page's rest pass; the frames of the turn that then begins. */
async function nextTurn(page: Page): Promise<ComputedKeyframe[]> {
  if ((await animationsOf(page)) === 0) await page.clock.runFor(3_550);
  return page.evaluate(async () => {
    const [animation] = document.getAnimations();
    await animation?.ready;
    return animation?.effect instanceof KeyframeEffect ? animation.effect.getKeyframes() : [];
  });
}

/** Lets the page's rest pass, and what moves or dissolves arrive. */
async function turnsPage(page: Page): Promise<void> {
  const { transform } = await pageShown(page);
  if ((await animationsOf(page)) === 0) await page.clock.runFor(3_600);
  await page.waitForFunction((before) => {
    for (const animation of document.getAnimations()) animation.finish();
    const text = document.querySelector(".np-title")?.firstElementChild as HTMLElement;
    return document.getAnimations().length === 0 && text.style.transform !== before;
  }, transform);
}

interface ShownPage {
  readonly transform: string;
  /** The characters that can be seen whole, counted without spaces. */
  readonly characters: readonly number[];
  /** How many are seen in part where the text does not fade out. */
  readonly cutCharacters: number;
  /** From the place's edges to the first and the last character that is seen. */
  readonly startGapPx: number;
  readonly endGapPx: number;
}

/** What of the title can be seen, as it rests. */
function pageShown(page: Page): Promise<ShownPage> {
  return page.evaluate(() => {
    const line = document.querySelector(".np-title") as HTMLElement;
    const text = line.firstElementChild as HTMLElement;
    const scale = text.getBoundingClientRect().width / text.offsetWidth;
    const paddingPx = Number.parseFloat(getComputedStyle(line).paddingLeft) * scale;
    const { left, right } = line.getBoundingClientRect();
    const place = { left: left + paddingPx, right: right - paddingPx };
    const { npOverflow: fades = "" } = line.dataset;
    const fadePx = (side: string) => (fades === side || fades === "both" ? 24 * scale : 0);
    const from = place.left + fadePx("left");
    const to = place.right - fadePx("right");
    const content = text.firstChild as Text;
    const whole: DOMRect[] = [];
    const characters: number[] = [];
    let cutCharacters = 0;
    const range = document.createRange();
    const all = [...new Intl.Segmenter().segment(content.data)];
    all
      .filter(({ segment }) => segment.trim() !== "")
      .forEach(({ index, segment }, number) => {
        range.setStart(content, index);
        range.setEnd(content, index + segment.length);
        const rect = range.getBoundingClientRect();
        if (rect.right <= from + 1.5 || rect.left >= to - 1.5) return;
        if (rect.left < from - 1.5 || rect.right > to + 1.5) {
          const isFading = rect.left < from ? from > place.left : to < place.right;
          if (!isFading) cutCharacters += 1;
        } else {
          characters.push(number);
          whole.push(rect);
        }
      });
    const gaps = [
      Math.min(...whole.map((rect) => rect.left)) - place.left,
      place.right - Math.max(...whole.map((rect) => rect.right)),
    ] as const;
    const isRightToLeft = getComputedStyle(text).direction === "rtl";
    return {
      transform: text.style.transform,
      characters,
      cutCharacters,
      startGapPx: gaps[isRightToLeft ? 1 : 0],
      endGapPx: gaps[isRightToLeft ? 0 : 1],
    };
  });
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
