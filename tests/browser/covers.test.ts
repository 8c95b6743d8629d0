import { expect } from "bun:test";
import type { Page } from "playwright-core";
import type { Artwork } from "../../src/playback.ts";
import {
  coverOf,
  inOldestEngine,
  type Stage,
  stateIs,
  titled,
  titleIs,
  withCover,
} from "../fixtures/browser/overlay-page.ts";
import { patternPicture, solidPicture } from "../fixtures/sources/pictures.ts";

const red = coverOf("red", solidPicture("#c02050"));
const blue = coverOf("blue", solidPicture("#2050c0"));
const picture = await patternPicture("png", 300);

inOldestEngine("the overlay's cover", (stage) => {
  const { test } = stage;

  test("comes with a change, decoded, without a reload", async () => {
    await stage.plays();
    const { page, complaints, hosts } = await stage.open();
    await stage.plays({ ...titled("Midnight Ferry"), ...withCover(coverOf("ferry", picture)) });
    await titleIs(page, "Midnight Ferry");
    const cover = await shownCover(page);
    expect(cover).toMatch(/^\/art\/[\w-]+\/256\.webp$/);
    expect(await naturalWidth(page)).toBe(256);
    expect([...hosts]).toEqual([new URL(stage.server.url).host]);
    expect(complaints).toEqual([]);
  });

  test("is larger in the themes that show it large", async () => {
    const large = coverOf("large", await patternPicture("png", 600));
    await stage.plays(withCover(large));
    for (const theme of ["art", "vinyl"]) {
      const { page } = await stage.open(`?theme=${theme}`);
      await page.waitForFunction(
        () => (document.querySelector<HTMLImageElement>(".np-art-img")?.naturalWidth ?? 0) > 256,
      );
    }
  });

  test("is the newest track's after a storm of fifty skips", async () => {
    await stage.plays(withCover(red));
    const { page, complaints } = await stage.open();
    await recordPairs(page);
    const last = 50;
    for (let skip = 1; skip <= last; skip++) {
      const hex = `#${(0x100000 + skip * 0x31415).toString(16)}`;
      const cover = coverOf(`skip ${skip}`, solidPicture(hex));
      await stage.plays({ ...titled(`Track ${skip}`), ...withCover(cover) });
    }
    await titleIs(page, `Track ${last}`);
    await page.waitForFunction(() => !document.documentElement.hasAttribute("data-np-face"));
    expect(await shownCover(page)).toBe(await coverHeard(stage));
    expect(await naturalWidth(page)).toBeGreaterThan(0);
    const newest = (await pairs(page)).filter(([title]) => title === `Track ${last}`);
    expect(new Set(newest.map(([, cover]) => cover))).toEqual(new Set([await coverHeard(stage)]));
    expect(complaints).toEqual([]);
  });

  test("is never the old one with the new title while the new one is slow, and comes in late", async () => {
    await stage.plays({ ...titled("First"), ...withCover(red) });
    const { page } = await stage.open();
    const first = await shownCover(page);
    await recordPairs(page);
    const slow = heldBack("slow", picture);
    await stage.plays({ ...titled("Second"), ...withCover(slow.artwork) });
    await titleIs(page, "Second");
    expect(await shownCover(page)).toBeNull();
    slow.release();
    await page.waitForFunction(() => !document.documentElement.hasAttribute("data-np-face"));
    const second = await shownCover(page);
    expect(second).not.toBe(first);
    expect(await pairs(page)).not.toContainEqual(["Second", first]);
  });

  test("does not come in late when something else plays by then", async () => {
    await stage.plays({ ...titled("First"), ...withCover(red) });
    const { page } = await stage.open();
    const slow = heldBack("slow", picture);
    await stage.plays({ ...titled("Second"), ...withCover(slow.artwork) });
    await titleIs(page, "Second");
    await stage.plays({ ...titled("Third"), ...withCover(blue) });
    await titleIs(page, "Third");
    const third = await shownCover(page);
    await recordPairs(page);
    const arrived = page.waitForResponse((response) => !response.url().endsWith(third ?? "?"));
    slow.release();
    await (await arrived).finished();
    await stage.plays({ ...titled("Third"), ...withCover(blue), state: "paused" });
    await stateIs(page, "paused");
    expect(await shownCover(page)).toBe(third);
    expect((await pairs(page)).filter(([, cover]) => cover !== third)).toEqual([]);
  });

  test("does not hold a change back for longer than half a second", async () => {
    await stage.plays({ ...titled("First"), ...withCover(red) });
    const { page } = await stage.open("", { frozen: true });
    const slow = heldBack("slow", picture);
    await stage.plays({ ...titled("Second"), ...withCover(slow.artwork) });
    await page.waitForRequest(/256\.webp$/);
    expect(await page.textContent(".np-title")).toBe("First");
    // The server may have waited for the cover's colour for 120 ms before.
    await page.clock.runFor(500 - 120);
    await titleIs(page, "Second");
    slow.release();
  });

  test("is left out when it cannot be had, and comes back with the next track", async () => {
    await stage.plays({ ...titled("First"), ...withCover(red) });
    const { page } = await stage.open();
    const lost: Artwork = { key: "lost", load: () => Promise.reject(new Error("no such file")) };
    await stage.plays({ ...titled("Second"), ...withCover(lost) });
    await titleIs(page, "Second");
    expect(await shownCover(page)).toBeNull();
    await stage.plays({ ...titled("Third"), ...withCover(blue) });
    await titleIs(page, "Third");
    expect(await shownCover(page)).not.toBeNull();
  });

  test("is left out at the first paint too when it cannot be had", async () => {
    const lost: Artwork = { key: "lost", load: () => Promise.reject(new Error("no such file")) };
    await stage.plays(withCover(lost));
    const { page } = await stage.open();
    await page.waitForFunction(() => document.documentElement.hasAttribute("data-np-face"));
  });
});

/** A cover whose file comes when the test says so. */
function heldBack(key: string, bytes: Uint8Array): { artwork: Artwork; release(): void } {
  const held = Promise.withResolvers<Uint8Array>();
  return {
    artwork: { key, load: () => held.promise },
    release: () => held.resolve(bytes),
  };
}

/** The address of the cover that is on the card; `null` when there is none. */
const shownCover = (page: Page): Promise<string | null> =>
  page.evaluate(() =>
    !document.documentElement.hasAttribute("data-np-face")
      ? (document.querySelector(".np-art-img")?.getAttribute("src") ?? null)
      : null,
  );

const naturalWidth = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelector<HTMLImageElement>(".np-art-img")?.naturalWidth ?? 0);

/** The cover that the server names in a page drawn now. */
async function coverHeard(stage: Stage): Promise<string | null> {
  const page = await (await fetch(stage.address())).text();
  return /<img[^>]* src="([^"]+)"/.exec(page)?.[1] ?? null;
}

/** Notes title and cover whenever either changes. */
function recordPairs(page: Page): Promise<void> {
  return page.evaluate(() => {
    const seen: [string | null, string | null][] = [];
    const look = () => {
      const hasArt = !document.documentElement.hasAttribute("data-np-face");
      const cover = document.querySelector(".np-art-img")?.getAttribute("src") ?? null;
      seen.push([document.querySelector(".np-title")?.textContent ?? null, hasArt ? cover : null]);
    };
    look();
    Object.assign(window, { seen });
    const everything = { subtree: true, childList: true, attributes: true, characterData: true };
    new MutationObserver(look).observe(document, everything);
  });
}

const pairs = (page: Page): Promise<[string | null, string | null][]> =>
  page.evaluate(() => (window as unknown as { seen: [string | null, string | null][] }).seen);
