import { expect } from "bun:test";
import type { Page } from "playwright-core";
import type { Playback } from "../../src/playback.ts";
import {
  everyTheme,
  type Gallery,
  galleryRests,
  openGallery,
  SIZES,
  styleEvery,
} from "../fixtures/browser/overlay-gallery.ts";
import {
  boxOf,
  coverOf,
  hiddenIs,
  inOldestEngine,
  LONG_TITLE,
  restsNow,
  type Stage,
  styleOf,
  titled,
  titleIs,
  withCover,
} from "../fixtures/browser/overlay-page.ts";
import { type Shot, shotOf } from "../fixtures/browser/screenshots.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";

const cover = coverOf("cover", await patternPicture("png", 256));
const noCover: Pick<Playback, "album"> = { album: { name: "Slow Weather", artworks: [] } };

/** What cards have to have room for; every one has an album. */
const contents: Readonly<Record<string, Partial<Playback>>> = {
  "no cover": { ...titled("Paper Lanterns"), ...noCover },
  "a title of three letters": { ...titled("Ash"), artists: ["Ada"], ...withCover(cover) },
  "a title of 120 characters": {
    ...titled(LONG_TITLE),
    artists: [LONG_TITLE],
    ...withCover(cover),
  },
  emoji: { ...titled("🎻🎶 Ångström 👩‍🚀"), artists: ["🌙 & ☀️"], ...withCover(cover) },
  "Chinese, Japanese and Korean": {
    ...titled("夜の庭で 会いましょう 안녕 龍"),
    artists: ["青い硝子"],
    ...withCover(cover),
  },
  Arabic: { ...titled("ضوء القَمَر على الماء"), artists: ["فرقة الياسمين"], ...withCover(cover) },
  "ten hours": { ...titled("Rain", 36_000_000), positionMs: 35_999_000, ...withCover(cover) },
};

inOldestEngine("the look of the overlay", (stage) => {
  const { test } = stage;

  test("is right at its first paint, without script", async () => {
    // Paused, so that the position stays where it is while the page is opened.
    await stage.plays({ ...withCover(cover), state: "paused" });
    const { page } = await stage.open("", { javaScriptEnabled: false });
    expect(await page.textContent(".np-title")).toBe("Paper Lanterns");
    expect(await page.textContent(".np-elapsed")).toBe("0:10");
    expect(await page.getAttribute(".np-art-img", "src")).toMatch(/^\/art\/[\w-]+\/256\.webp$/);
    expect(await styleOf(page, ".np-card", "opacity")).toBe("1");
    expect(await styleOf(page, ".np-progress-fill", "transform")).toMatch(
      /^matrix\(0\.05, 0, 0, 1, 0, 0\)$/,
    );
  });

  for (const size of SIZES) {
    test(`is nothing at all outside the card, and everywhere without one, in every theme at ${size.join(" × ")}`, async () => {
      const pictures = everyTheme(size, "motion=none&paused=dim&hideDelay=0");
      const gallery = await openGallery(stage, pictures);
      const lookAt = async (state: string) => {
        await gallery.every({ state });
        await galleryRests(gallery.page);
        return paintedPixels(gallery.page);
      };
      expect(await lookAt("loading")).toMatchObject({ total: 0 });
      await stage.plays(withCover(cover));
      await gallery.every({ title: "Paper Lanterns", hasArt: true });
      const playing = await lookAt("playing");
      expect(playing.outside).toBe(0);
      expect(Math.min(...playing.inside)).toBeGreaterThan(0);
      await stage.plays({ ...withCover(cover), state: "paused" });
      const paused = await lookAt("paused");
      expect(paused.outside).toBe(0);
      expect(Math.min(...paused.inside)).toBeGreaterThan(0);
      await stage.hearsNothing();
      expect(await lookAt("idle")).toMatchObject({ total: 0 });
    });
  }

  test("is nothing at all when the source has failed, in every theme", async () => {
    await stage.server.sourceOf(stage.ada).fails(new Error("the player is gone"));
    const gallery = await openGallery(stage, everyTheme(SIZES[0], "motion=none"));
    await gallery.every({ state: "offline" });
    expect((await paintedPixels(gallery.page)).total).toBe(0);
  });

  test("is transparent around the card in a page of its own too, and everywhere when nothing plays", async () => {
    await stage.hearsNothing();
    const { page } = await stage.open("?enter=none", { viewport: { width: 500, height: 300 } });
    expect(await strongestAlphas(stage, page, 0)).toEqual({ above: 0, below: 0 });
    await stage.plays();
    await hiddenIs(page, false);
    await restsNow(page);
    const { bottom } = await boxOf(page, ".np-card");
    const { above, below } = await strongestAlphas(stage, page, Math.ceil(bottom));
    expect(above).toBeGreaterThan(200);
    expect(below).toBe(0);
  });

  test("is transparent around the card in a frame of a page that says nothing of colour schemes", async () => {
    await stage.plays();
    for (const mode of ["dark", "light", "auto"]) {
      const query = `?mode=${mode}&motion=none&width=200`;
      const { page } = await openGallery(stage, [{ query, width: 500, height: 120 }]);
      expect((await paintedPixels(page)).outside).toBe(0);
    }
  });

  test("does not fade the card out that it begins with, however late its style sheet comes", async () => {
    await stage.hearsNothing();
    const { page } = await stage.open("?motion=full", {
      async prepare(prepared) {
        await prepared.addInitScript(() => {
          document.addEventListener(
            "transitionrun",
            () => document.documentElement.toggleAttribute("data-faded", true),
            true,
          );
        });
        await prepared.route("**/*.css", async (route) => {
          const script = await prepared.waitForResponse(/\.js$/);
          await script.finished();
          // The script can run meanwhile where the engine does not wait for the sheet.
          await prepared.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
          await route.continue();
        });
      },
    });
    await page.waitForFunction(() => "npReady" in document.documentElement.dataset);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
    expect(await page.getAttribute("html", "data-faded")).toBeNull();
  });

  for (const size of SIZES) {
    test(`cuts off and overlaps nothing, in every theme at ${size.join(" × ")}, whatever is written`, async () => {
      await stage.plays(withCover(cover));
      const gallery = await openGallery(stage, everyTheme(size, "motion=none&album=1"));
      const faults: string[] = [];
      for (const [name, content] of Object.entries(contents)) {
        await hearsInGallery(stage, gallery, content);
        faults.push(...(await layoutFaults(gallery.page)).map((fault) => `${name}: ${fault}`));
      }
      expect(faults).toEqual([]);

      // No letter's top, foot, mark or hook either.
      await hearsInGallery(stage, gallery, {
        state: "paused",
        ...titled("jǺgy ظِلّ 夜"),
        artists: ["jÅqp يُج 龍"],
        album: { name: "jĞp", artworks: [] },
      });
      const asItIs = await shotOf(gallery.page);
      await styleEvery(
        gallery.page,
        ".np-label,.np-title,.np-artist,.np-album,.np-marquee-text{overflow:visible}",
      );
      expect(await differences(gallery.page, asItIs, await shotOf(gallery.page))).toEqual([]);
    });
  }

  test("has artist and title as one text on one line, and the time only where it has room", async () => {
    await stage.plays();
    const { page } = await stage.open("?theme=compact&motion=none");
    for (const [title, hasTime] of [
      ["Ash", true],
      [LONG_TITLE, false],
    ] as const) {
      await stage.plays({ ...titled(title), artists: ["Otto"], ...withCover(cover) });
      await titleIs(page, `Otto – ${title}`);
      const [time, info] = await Promise.all([boxOf(page, ".np-time"), boxOf(page, ".np-info")]);
      expect([title, time.top < info.bottom]).toEqual([title, hasTime]);
    }
  });

  test("gives what little room there is to the words rather than to the time", async () => {
    await stage.plays({ ...titled(LONG_TITLE), ...withCover(cover) });
    for (const [query, wide, narrow] of [
      ["?theme=bar", 300, 200],
      ["?theme=vinyl", 300, 200],
    ] as const) {
      const { page } = await stage.open(`${query}&motion=full&width=${narrow}`);
      expect((await boxOf(page, ".np-time")).width).toBe(0);
      const { width } = await boxOf(page, query.includes("bar") ? ".np-label" : ".np-title");
      expect(width).toBeGreaterThan(30);
      await page.goto(stage.address(`${query}&motion=full&width=${wide}`));
      expect((await boxOf(page, ".np-time")).width).toBeGreaterThan(40);
    }
  });

  test("has digits of one width, so that the time stands still", async () => {
    await stage.plays({ state: "paused", positionMs: 71_000 });
    const { page } = await stage.open();
    const widths = [];
    for (const [positionMs, text] of [
      [71_000, "1:11"],
      [0, "0:00"],
      [168_000, "2:48"],
    ] as const) {
      await stage.plays({ state: "paused", positionMs });
      await page.waitForFunction(
        (wanted) => document.querySelector(".np-elapsed")?.textContent === wanted,
        text,
      );
      widths.push((await boxOf(page, ".np-elapsed")).width);
    }
    expect(new Set(widths).size).toBe(1);
    expect(await styleOf(page, ".np-elapsed", "font-variant-numeric")).toBe("tabular-nums");
  });
});

async function hearsInGallery(stage: Stage, gallery: Gallery, content: Partial<Playback>) {
  await stage.plays(content);
  await gallery.every({
    title: content.track?.title ?? "",
    hasArt: (content.album?.artworks.length ?? 0) > 0,
  });
}

/** How many pixels of a gallery are painted outside all cards, and inside each of them. */
async function paintedPixels(page: Page) {
  const shot = await shotOf(page);
  return shot.evaluate((context) => {
    const alphaCount = (left: number, top: number, width: number, height: number) => {
      if (width <= 0 || height <= 0) return 0;
      const { data } = context.getImageData(left, top, width, height);
      let count = 0;
      for (let at = 3; at < data.length; at += 4) if (data[at] !== 0) count += 1;
      return count;
    };
    const total = alphaCount(0, 0, context.canvas.width, context.canvas.height);
    const inside = [...document.querySelectorAll("iframe")].map((frame) => {
      const outer = frame.getBoundingClientRect();
      const card = frame.contentDocument?.querySelector(".np-card") as Element;
      const box = card.getBoundingClientRect();
      // A card outside its own page is cut off by it.
      const left = Math.floor(outer.left + Math.max(0, box.left));
      const top = Math.floor(outer.top + Math.max(0, box.top));
      const right = Math.ceil(outer.left + Math.min(outer.width, box.right));
      const bottom = Math.ceil(outer.top + Math.min(outer.height, box.bottom));
      return alphaCount(left, top, right - left, bottom - top);
    });
    return { total, inside, outside: total - inside.reduce((sum, count) => sum + count, 0) };
  });
}

/** Everything in a gallery that is cut off, sticks out, overlaps or could be scrolled to. */
function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const slackPx = 0.6;
    return [...document.querySelectorAll("iframe")].flatMap((frame) => {
      const { contentDocument: inner, contentWindow: view } = frame;
      if (!inner || !view) return ["no page"];
      const root = inner.documentElement;
      const where = `${root.dataset["npTheme"]} ${view.innerWidth}×${view.innerHeight}`;
      const faults: string[] = [];
      const fault = (text: string) => faults.push(`${where}: ${text}`);
      if (root.scrollWidth > view.innerWidth || root.scrollHeight > view.innerHeight) {
        fault(`can be scrolled (${root.scrollWidth}×${root.scrollHeight})`);
      }
      const card = (inner.querySelector(".np-card") as Element).getBoundingClientRect();
      if (
        card.left < -slackPx ||
        card.top < -slackPx ||
        card.right > view.innerWidth + slackPx ||
        card.bottom > view.innerHeight + slackPx
      ) {
        fault(`the card sticks out of the page (${card.width}×${card.height})`);
      }
      const info = inner.querySelector(".np-info") as Element;
      const isClipped = view.getComputedStyle(info).overflowY === "clip";
      const clippedAt = isClipped ? info.getBoundingClientRect().bottom : Infinity;
      const parts = ["label", "title", "artist", "album", "time", "art"]
        .map((name) => ({ name, element: inner.querySelector(`.np-${name}`) as HTMLElement }))
        .map((part) => ({ ...part, box: part.element.getBoundingClientRect() }))
        // What wraps out of one line is not drawn.
        .filter(({ box }) => box.width > 0 && box.height > 0 && box.top < clippedAt);
      if (parts.length === 0) fault("shows nothing");
      for (const { name, element, box } of parts) {
        if (
          box.left < card.left - slackPx ||
          box.top < card.top - slackPx ||
          box.right > card.right + slackPx ||
          box.bottom > card.bottom + slackPx
        ) {
          fault(`${name} sticks out of the card`);
        }
        if (element.scrollHeight > element.clientHeight + 1) {
          fault(`${name} is cut off below (${element.scrollHeight} of ${element.clientHeight})`);
        }
        if (name === "time" && element.scrollWidth > element.clientWidth + 1) {
          fault("time is cut off");
        }
      }
      const isShort = inner.querySelector(".np-title")?.textContent === "Ash";
      for (const line of isShort ? inner.querySelectorAll(".np-marquee-text") : []) {
        if (line.scrollWidth > line.clientWidth) fault(`${line.textContent} is cut off`);
      }
      parts.forEach((one, index) => {
        for (const other of parts.slice(index + 1)) {
          const across =
            Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
          const down =
            Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
          if (across > slackPx && down > slackPx) fault(`${one.name} overlaps ${other.name}`);
        }
      });
      return faults;
    });
  });
}

/** Which overlays of a gallery look different on two screenshots. */
function differences(page: Page, one: Shot, other: Shot): Promise<string[]> {
  return page.evaluate(
    (shots) => {
      return [...document.querySelectorAll("iframe")].flatMap((frame) => {
        const { left, top, width, height } = frame.getBoundingClientRect();
        const [old, young] = shots.map(
          (shot) => new Uint32Array(shot.getImageData(left, top, width, height).data.buffer),
        );
        const count = young?.filter((pixel, at) => pixel !== old?.[at]).length ?? 0;
        const theme = frame.contentDocument?.documentElement.dataset["npTheme"];
        return count === 0 ? [] : [`${theme} ${width}×${height}: ${count} pixels`];
      });
    },
    [one, other],
  );
}

/** How opaque the most opaque pixel above a line is, and the one below it, 0 to 255. */
async function strongestAlphas(stage: Stage, page: Page, line: number) {
  const shot = await shotOf(page, (await stage.openBlank()).page);
  return shot.evaluate((context, split) => {
    const { width, height } = context.canvas;
    const { data } = context.getImageData(0, 0, width, height);
    const strongest = { above: 0, below: 0 };
    for (let at = 3; at < data.length; at += 4) {
      const side = at < split * width * 4 ? "above" : "below";
      strongest[side] = Math.max(strongest[side], data[at] ?? 0);
    }
    return strongest;
  }, line);
}
