import { expect } from "bun:test";
import type { Page } from "playwright-core";
import {
  animationsOf,
  boxOf,
  coverOf,
  held,
  inOldestEngine,
  LONG_TITLE,
  setSourceVisible,
  styleOf,
  titled,
  titleIs,
  withCover,
} from "../fixtures/browser/overlay-page.ts";
import { shotOf } from "../fixtures/browser/screenshots.ts";
import { solidPicture } from "../fixtures/sources/pictures.ts";

const red = coverOf("red", solidPicture("#c02050"));
const blue = coverOf("blue", solidPicture("#2050c0"));

inOldestEngine("the change from one track to the next", (stage) => {
  const { test } = stage;

  test("dissolves within half a second, and is never more or less opaque than one card", async () => {
    await stage.plays({ ...titled("First"), artists: ["Ada"], ...withCover(red) });
    const { page } = await stage.open("?motion=full&radius=0&opacity=90", held);
    const { page: reader } = await stage.openBlank();
    const before = await opacities(page, reader);
    expect(before.panel).toBeCloseTo(0.9, 1);
    const place = await boxOf(page, ".np-card");
    await stage.plays({ ...titled("Second"), artists: ["Ada"], ...withCover(blue) });
    await titleIs(page, "Second");
    expect(await copies(page)).toEqual(["First"]);
    for (const share of [0.05, 0.3, 0.5, 0.8]) {
      expect(await fadesTo(page, share)).toBeLessThanOrEqual(500);
      const { panel, cover } = await opacities(page, reader);
      expect(panel).toBeCloseTo(before.panel, 1);
      expect(cover).toBeCloseTo(1, 1);
      expect(await boxOf(page, ".np-card")).toEqual(place);
      expect(await boxOf(page, "[data-np-leaving] .np-card")).toEqual(place);
    }
    await arrives(page);
    expect(await copies(page)).toEqual([]);
    expect(await page.getAttribute("html", "data-np-changing")).toBeNull();
  });

  test("shows nothing of a colour behind the page", async () => {
    await stage.plays(titled("First"));
    const { page } = await stage.open("?motion=full&opacity=100&bg=000000", held);
    const { page: reader } = await stage.openBlank();
    await page.addStyleTag({ content: "body { background: #00ff00 }" });
    await stage.plays(titled("Second"));
    await titleIs(page, "Second");
    for (const share of [0.05, 0.5, 0.8]) {
      await fadesTo(page, share);
      const [[, green] = []] = await pixelsOf(page, reader);
      expect(green).toBeLessThanOrEqual(2);
    }
  });

  test("lets all fade in step, whatever the compositor is ready for first", async () => {
    await stage.plays(titled("First"));
    const { page } = await stage.open("?motion=full", {
      prepare: (prepared) =>
        prepared.addInitScript(() => {
          const startTimes: unknown[] = [];
          Object.assign(window, { startTimes });
          const { animate } = Element.prototype;
          Element.prototype.animate = function (...given) {
            const animation = animate.apply(this, given);
            queueMicrotask(() => startTimes.push(animation.startTime));
            return animation;
          };
        }),
    });
    await stage.plays(titled("Second"));
    await titleIs(page, "Second");
    const startTimes = await page.evaluate(() => Reflect.get(window, "startTimes"));
    expect(startTimes).toEqual(Array(4).fill(expect.any(Number)));
    expect(new Set(startTimes).size).toBe(1);
  });

  test("never shows the words of two tracks over each other", async () => {
    await stage.plays({ ...titled("First"), artists: ["Ada"], ...withCover(red) });
    const { page } = await stage.open("?motion=full", held);
    await stage.plays({ ...titled("Second"), artists: ["Ada"], ...withCover(blue) });
    await titleIs(page, "Second");
    for (let tenth = 0; tenth < 10; tenth += 1) {
      await fadesTo(page, tenth / 10);
      const [coming = 1, leaving = 1] = await page.evaluate(() =>
        [".np:not([data-np-leaving]) .np-info", "[data-np-leaving] .np-info"].map((selector) => {
          const words = document.querySelector(selector) as Element;
          const opacityOf = (element: Element) => Number(getComputedStyle(element).opacity);
          return opacityOf(words) * opacityOf(words.closest(".np-card") as Element);
        }),
      );
      expect(Math.min(coming, leaving)).toBe(0);
    }
  });

  test("dissolves into the words for nothing playing, too", async () => {
    await stage.plays(titled("First"));
    const { page } = await stage.open("?motion=full&idle=text", held);
    await stage.hearsNothing();
    await titleIs(page, "Nothing playing");
    expect(await copies(page)).toEqual(["First"]);
  });

  test("keeps the colours, the cover and the turn of the card that leaves", async () => {
    await stage.plays({ ...titled("First"), ...withCover(red) });
    const { page } = await stage.open("?motion=full", held);
    const look = (within: string) =>
      page.evaluate((where) => {
        const card = document.querySelector(where) as Element;
        const words = card.querySelector(".np-info") as Element;
        return [
          ...["--np-accent", "--np-beat", "--np-flip"].map((name) =>
            getComputedStyle(words).getPropertyValue(name).trim(),
          ),
          card.querySelector("img")?.getAttribute("src"),
        ];
      }, within);
    const before = await look(".np-card");
    await stage.plays({ ...titled("Second"), ...withCover(blue) });
    await titleIs(page, "Second");
    expect(await look("[data-np-leaving] .np-card")).toEqual(before);
    expect(await look(".np-card")).not.toEqual(before);
  });

  test("leaves the words in their place when only one of the tracks has a cover", async () => {
    await stage.plays({ ...titled("Bare"), artists: ["Ada"] });
    const { page } = await stage.open("?motion=full", held);
    const bare = await boxOf(page, ".np-title");
    await stage.plays({ ...titled("Covered"), artists: ["Ada"], ...withCover(red) });
    await titleIs(page, "Covered");
    expect(await boxOf(page, "[data-np-leaving] .np-title")).toEqual(bare);
    await arrives(page);
    const covered = await boxOf(page, ".np-title");
    await stage.plays({ ...titled("Bare again"), artists: ["Ada"] });
    await titleIs(page, "Bare again");
    expect(await boxOf(page, "[data-np-leaving] .np-title")).toEqual(covered);
  });

  test("leaves the card as it was where the streamer's own CSS makes another one of it with a cover", async () => {
    await stage.plays({ ...titled("Bare"), artists: ["Ada"] });
    const { page } = await stage.open("?theme=card&motion=full", held);
    await page.addStyleTag({ content: ":root:not([data-np-face]) .np-card { width: 200px }" });
    const boxesIn = (within: string) =>
      Promise.all([boxOf(page, `${within} .np-card`), boxOf(page, `${within} .np-title`)]);
    const bare = await boxesIn("");
    await stage.plays({ ...titled("Covered"), artists: ["Ada"], ...withCover(red) });
    await titleIs(page, "Covered");
    expect(await boxesIn("[data-np-leaving]")).toEqual(bare);
    expect((await boxOf(page, ".np-card")).width).not.toBe(bare[0].width);
  });

  test("leaves the card as bright as it was when the next track is paused and dimmed", async () => {
    await stage.plays(titled("First"));
    const { page } = await stage.open("?motion=full&paused=dim", held);
    await stage.plays({ ...titled("Second"), state: "paused" });
    await titleIs(page, "Second");
    await page.evaluate(() => document.getAnimations().forEach((one) => one.pause()));
    await fadesTo(page, 0);
    expect(await styleOf(page, "[data-np-leaving] .np-card", "opacity")).toBe("1");
  });

  test("leaves a long title on its page", async () => {
    await stage.plays({ ...titled(LONG_TITLE), artists: ["Ada"] });
    const { page } = await stage.open("?motion=full", held);
    await page.clock.runFor(3_600);
    await page.waitForFunction(() => {
      for (const animation of document.getAnimations()) animation.finish();
      const text = document.querySelector<HTMLElement>(".np-title .np-marquee-text");
      return /-\d/.test(text?.style.transform ?? "") && document.getAnimations().length === 0;
    });
    const { left } = await boxOf(page, ".np-title .np-marquee-text");
    await stage.plays({ ...titled("Second"), artists: ["Ada"] });
    await titleIs(page, "Second");
    expect((await boxOf(page, "[data-np-leaving] .np-title .np-marquee-text")).left).toBe(left);
  });

  test("shows the newest of a storm of skips, below one card that leaves", async () => {
    await stage.plays({ ...titled("First"), ...withCover(red) });
    const { page } = await stage.open("?motion=full", held);
    await stage.plays({ ...titled("Track 1"), ...withCover(blue) });
    await titleIs(page, "Track 1");
    await fadesTo(page, 0.5);
    for (let skip = 2; skip <= 20; skip++) {
      await stage.plays({ ...titled(`Track ${skip}`), ...withCover(skip % 2 ? blue : red) });
    }
    await titleIs(page, "Track 20");
    expect(await copies(page)).toEqual(["First"]);
    await arrives(page);
    expect(await copies(page)).toEqual([]);
    expect(await page.textContent(".np-title")).toBe("Track 20");
  });

  for (const [why, query] of [
    ["motion is not wanted", "?motion=none"],
    ["the card is to come at once", "?motion=full&enter=none"],
  ] as const) {
    test(`is a cut where ${why}`, async () => {
      await stage.plays(titled("First"));
      const { page } = await stage.open(query, held);
      await stage.plays(titled("Second"));
      await titleIs(page, "Second");
      expect(await copies(page)).toEqual([]);
      expect(await animationsOf(page)).toBe(0);
    });
  }

  test("ends at once when the source is hidden", async () => {
    await stage.plays(titled("First"));
    const { page } = await stage.open("?motion=full", held);
    await stage.plays(titled("Second"));
    await titleIs(page, "Second");
    expect(await animationsOf(page)).toBe(4);
    await setSourceVisible(page, false);
    expect(await copies(page)).toEqual([]);
    expect(await animationsOf(page)).toBe(0);
  });

  test("is not read out twice", async () => {
    await stage.plays(titled("First"));
    const { page } = await stage.open("?motion=full", held);
    await stage.plays(titled("Second"));
    await titleIs(page, "Second");
    expect(await page.getAttribute("[data-np-leaving]", "aria-hidden")).toBe("true");
    expect(await page.locator("main").count()).toBe(1);
  });
});

/** The titles of the cards that are leaving. */
const copies = (page: Page): Promise<(string | null)[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("[data-np-leaving] .np-title")].map((one) => one.textContent),
  );

/** Stops what fades at a share of its way; its length in milliseconds. */
function fadesTo(page: Page, share: number): Promise<number> {
  return page.evaluate((at) => {
    const lengths = document.getAnimations().map((animation) => {
      const lengthMs = Number(animation.effect?.getComputedTiming().endTime);
      animation.pause();
      animation.currentTime = lengthMs * at;
      return lengthMs;
    });
    return Math.max(...lengths);
  }, share);
}

async function arrives(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    for (const animation of document.getAnimations()) animation.finish();
    return (
      document.getAnimations().length === 0 && document.querySelector("[data-np-leaving]") === null
    );
  });
}

/** How opaque the panel and the cover are, from 0 to 1, read by a blank page. */
async function opacities(page: Page, reader: Page): Promise<{ panel: number; cover: number }> {
  const [panel = [], cover = []] = await pixelsOf(page, reader);
  return { panel: (panel[3] ?? Number.NaN) / 255, cover: (cover[3] ?? Number.NaN) / 255 };
}

/** Red, green, blue and opacity of a pixel of the panel and of one of the cover, each up to 255. */
async function pixelsOf(page: Page, reader: Page): Promise<number[][]> {
  const shot = await shotOf(page, reader);
  return shot.evaluate((context) => {
    const at = (x: number, y: number) => [...context.getImageData(x, y, 1, 1).data];
    return [at(480, 10), at(40, 60)];
  });
}
