import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { parseWidgetOptions } from "../../widget/options.ts";
import { en } from "../../src/i18n/en.ts";
import { sizeOf } from "../../widget/source-size.ts";
import { SHIPPED_LOOK_NAMES, shippedLook } from "../../src/overlay/looks/shipped.ts";
import { contrast, parseHex, type Rgb, saturation } from "../../widget/colour.ts";
import type { Playback } from "../../src/playback.ts";
import {
  choicesOf,
  type Gallery,
  openGallery,
  type Picture,
  styleEvery,
} from "../fixtures/browser/overlay-gallery.ts";
import {
  coverOf,
  inOldestEngine,
  type Stage,
  styleOf,
  titled,
  titleIs,
  withCover,
} from "../fixtures/browser/overlay-page.ts";
import { shotOf } from "../fixtures/browser/screenshots.ts";
import { SAVED_LOOKS } from "../fixtures/looks/saved-looks.ts";
import { noisePicture, solidPicture } from "../fixtures/sources/pictures.ts";
import { groupsOf } from "../fixtures/thorough.ts";

/** Covers that a colour is hard to take from, or to read on. */
const covers: Readonly<Record<string, Uint8Array | undefined>> = {
  none: undefined,
  white: solidPicture("#ffffff"),
  black: solidPicture("#000000"),
  grey: solidPicture("#808080"),
  yellow: solidPicture("#ffff00"),
  "dark blue": solidPicture("#00008b"),
  noise: noisePicture(64),
};

const LEAST_FOR_TEXT = 4.5;
const LEAST_FOR_BAR = 3;
/** The filled part of the bar beside the rest of it. */
const LEAST_FOR_FILL = 2;

const modes = ["dark", "light"] as const;
const picturesOf = (themes: readonly string[]): Picture[] =>
  themes.flatMap((theme) =>
    modes.map((mode) => ({
      query: `?theme=${theme}&mode=${mode}&motion=none&album=1`,
      width: 500,
      height: 120,
    })),
  );
const themes = choicesOf("theme");
/** As many as a test has the time for. */
const groupsOfThemes = groupsOf(3, themes);
/** Those with a design of their own: the others are the themes, which have tests here. */
const DRAWN = SHIPPED_LOOK_NAMES.map((name) => shippedLook(name, en)).filter(
  ({ css }) => css !== "",
);
/** Of the looks that older versions saved, the one whose panel is the cover. */
const SAVED = SAVED_LOOKS.filter(({ options }) => options["theme"] === "glass").map((look) => ({
  ...look,
  name: `${look.name} of an older version`,
}));
const groupsOfLooks = groupsOf(4, [...DRAWN, ...SAVED]);

inOldestEngine("the overlay's colours", (stage) => {
  const { test } = stage;

  for (const some of groupsOfThemes) {
    test(`can be read on white, black and noise, whatever the cover, in themes with a panel: ${some.join(", ")}`, async () => {
      await stage.plays();
      const pictures = picturesOf(some.filter((theme) => theme !== "text"));
      const gallery = await openGallery(stage, pictures);
      await hideWords(gallery.page);
      expect(await weakestIn(stage, gallery, pictures.length)).toEqual([]);
    });
  }

  for (const some of groupsOfLooks) {
    test(`can be read just as well in looks that come with Marquee: ${some.map(({ name }) => name).join(", ")}`, async () => {
      await stage.plays();
      const { accounts, url } = stage.server;
      const shown: Picture[] = [];
      for (const look of some) {
        const { name } = look;
        const { options } = parseWidgetOptions(new URLSearchParams(), look.options);
        // It has no panel: its words are outlined, as the theme does it.
        if (options.theme === "text") {
          expect(look.css).not.toMatch(/outline|text-shadow|opacity|np-fg/);
          continue;
        }
        const { id } = await accounts.widgets.add(stage.ada.user, {
          name,
          kind: "overlay",
          look,
        });
        const token = accounts.widgets.tokenOf(stage.ada.user, id);
        const query = "?motion=none";
        const address = `${url}/en/widget/${token}`;
        shown.push({ name, query, address, ...sizeOf(look) });
      }
      const gallery = await openGallery(stage, shown);
      await hideWords(gallery.page);
      expect(await weakestIn(stage, gallery, shown.length)).toEqual([]);
    });
  }

  for (const some of groupsOfThemes) {
    test(`tell the filled part of the bar from the rest of it, whatever the cover, in the themes ${some.join(", ")}`, async () => {
      await stage.plays();
      const gallery = await openGallery(stage, picturesOf(some));
      await hideWords(gallery.page);
      await styleEvery(
        gallery.page,
        `.np-progress{visibility:visible;padding:1px;border-radius:0;box-shadow:none}
         .np-progress-fill{visibility:hidden}`,
      );
      const measure = () => paintBehind(gallery.page, ["progress"]);
      const tooWeak: string[] = [];
      for (const name of Object.keys(covers)) {
        await playsWith(stage, gallery, name);
        tooWeak.push(...weakest(name, await measure(), () => LEAST_FOR_FILL));
      }
      expect(tooWeak).toEqual([]);
    });
  }

  test("outline the words of the theme without a panel in a colour they can be read on", async () => {
    await stage.plays();
    const { page } = await stage.open("?theme=text");
    for (const mode of modes) {
      await page.goto(stage.address(`?theme=text&mode=${mode}`));
      const shadow = await styleOf(page, ".np-title", "text-shadow");
      const outline = rgbOf(shadow);
      // The outline lets a tenth through of whatever is behind it.
      const paints = [0, 255].map((ground) => mixInto(outline, 0.9, ground));
      expect(shadow).toContain("rgba(");
      expect(shadow).not.toContain(" 0px 0px 0px,");
      for (const part of ["label", "title", "artist", "time"]) {
        const colour = rgbOf(await styleOf(page, `.np-${part}`, "color"));
        for (const paint of paints) {
          expect(contrast(colour, paint)).toBeGreaterThanOrEqual(LEAST_FOR_TEXT);
        }
      }
    }
  });

  test("take the accent from a lively cover, in its own hue", async () => {
    await stage.plays(withCover(coverOf("lively", solidPicture("#c02050"))));
    const { page } = await stage.open("?mode=dark");
    const accent = rgbOf(await styleOf(page, ".np-progress-fill", "background-color"));
    expect(Math.abs(hueOf(accent) - hueOf(parseHex("#c02050")))).toBeLessThan(10);
    await stage.plays({
      ...titled("Next"),
      ...withCover(coverOf("green", solidPicture("#20a040"))),
    });
    await titleIs(page, "Next");
    const next = rgbOf(await styleOf(page, ".np-progress-fill", "background-color"));
    expect(Math.abs(hueOf(next) - hueOf(parseHex("#20a040")))).toBeLessThan(10);
  });

  test("keep the theme's own accent when the cover has no colour", async () => {
    await stage.plays();
    const { page } = await stage.open("?mode=dark");
    const own = await styleOf(page, ".np-progress-fill", "background-color");
    expect(saturation(rgbOf(own))).toBeGreaterThan(0.3);
    await stage.plays({ ...titled("Grey"), ...albumWith("grey", covers["grey"]) });
    await titleIs(page, "Grey");
    expect(await styleOf(page, ".np-progress-fill", "background-color")).toBe(own);
  });
});

/** What is too weak with any of the covers; each of the overlays has at least three parts. */
async function weakestIn(stage: Stage, { page, every }: Gallery, overlays: number) {
  const tooWeak: string[] = [];
  for (const name of Object.keys(covers)) {
    await playsWith(stage, { page, every }, name);
    const measured = await paintBehind(page, [...WORDS, "progress"]);
    expect(measured.length).toBeGreaterThan(overlays * 2);
    const leastFor = (part: string) => (part === "progress" ? LEAST_FOR_BAR : LEAST_FOR_TEXT);
    tooWeak.push(...weakest(name, measured, leastFor));
  }
  return tooWeak;
}

async function playsWith(stage: Stage, { every }: Gallery, name: string): Promise<void> {
  await stage.plays({ ...titled(name), ...albumWith(name, covers[name]), positionMs: 100_000 });
  await every({ title: name, hasArt: covers[name] !== undefined });
}

function weakest(
  cover: string,
  measured: readonly Measured[],
  leastFor: (part: string) => number,
): string[] {
  return measured.flatMap(({ where, part, colour, behind }) => {
    const least = Math.min(...behind.map((paint) => contrast(colour, paint)));
    return least < leastFor(part) ? [`${cover}: ${where}: ${part} ${least.toFixed(2)}`] : [];
  });
}

function albumWith(name: string, bytes: Uint8Array | undefined): Pick<Playback, "album"> {
  return bytes ? withCover(coverOf(name, bytes)) : { album: { name: "A", artworks: [] } };
}

interface Measured {
  readonly where: string;
  readonly part: string;
  readonly colour: Rgb;
  /** The darkest and the lightest paint behind the part, over each background. */
  readonly behind: readonly Rgb[];
}

const hideWords = (page: Page): Promise<void> =>
  styleEvery(
    page,
    // What is painted behind a word may belong to its own element.
    `.np-label,.np-title,.np-artist,.np-album,.np-time{-webkit-text-fill-color:transparent;text-shadow:none}
     .np-label::before,.np-label::after,.np-progress{visibility:hidden}`,
  );

const WORDS = ["label", "title", "artist", "album", "time"];

/**
 * Looks at what is really painted where hidden parts stand, over white, black and noise. A bar that
 * lies on a cover is looked at on its own.
 */
async function paintBehind(page: Page, parts: readonly string[]): Promise<Measured[]> {
  const shot = await shotOf(page);
  return shot.evaluate((context, names) => {
    type Colour = readonly [red: number, green: number, blue: number];
    let seed = 1;
    const noise = () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed >>> 24;
    };
    const grounds = [() => 255, () => 0, noise];
    const extremesIn = (box: DOMRect, outer: DOMRect, inset: number) => {
      // Engines paint from whole pixel to whole pixel, each edge where it is nearest.
      const [left, right] = [box.left + inset, box.right - inset].map((x) =>
        Math.round(outer.left + x),
      ) as [number, number];
      const [top, bottom] = [box.top, box.bottom].map((y) => Math.round(outer.top + y)) as [
        number,
        number,
      ];
      const { data } = context.getImageData(
        left,
        top,
        Math.max(1, right - left),
        Math.max(1, bottom - top),
      );
      return grounds.flatMap((ground): Colour[] => {
        let darkest: Colour = [255, 255, 255];
        let lightest: Colour = [0, 0, 0];
        let [least, most] = [255, 0];
        // Millions of pixels come by: none makes an object of its own.
        for (let at = 0; at < data.length; at += 4) {
          const share = (data[at + 3] ?? 0) / 255;
          const red = (data[at] ?? 0) * share + ground() * (1 - share);
          const green = (data[at + 1] ?? 0) * share + ground() * (1 - share);
          const blue = (data[at + 2] ?? 0) * share + ground() * (1 - share);
          const weight = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
          if (weight < least) [darkest, least] = [[red, green, blue], weight];
          if (weight > most) [lightest, most] = [[red, green, blue], weight];
        }
        return [darkest, lightest];
      });
    };

    /** Where an element's words can stand. */
    const contentOf = (element: Element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      const edge = (side: "Left" | "Right" | "Top" | "Bottom") =>
        Number.parseFloat(style[`padding${side}`]) + Number.parseFloat(style[`border${side}Width`]);
      return new DOMRect(
        left + edge("Left"),
        top + edge("Top"),
        width - edge("Left") - edge("Right"),
        height - edge("Top") - edge("Bottom"),
      );
    };

    return [...document.querySelectorAll("iframe")].flatMap((frame) => {
      const inner = frame.contentDocument as Document;
      const { npTheme, npMode } = inner.documentElement.dataset;
      // On the cover itself there is no panel.
      const info = inner.querySelector(".np-info") as Element;
      const isCoverOnly = npTheme === "art" && getComputedStyle(info).position === "absolute";
      const outer = frame.getBoundingClientRect();
      return names.flatMap((part) => {
        const element = inner.querySelector(`.np-${part}`) as Element;
        const box = element.getBoundingClientRect();
        if ((isCoverOnly && names.length > 1) || box.width === 0 || box.height === 0) return [];
        const filled = inner.querySelector(".np-progress-fill") as Element;
        const text =
          part === "progress"
            ? getComputedStyle(filled).backgroundColor
            : getComputedStyle(element).color;
        const [red = 0, green = 0, blue = 0] = (text.match(/\d+(\.\d+)?/g) ?? []).map(Number);
        const colour: Colour = [red, green, blue];
        // A bar along the lower edge is cut off where the card's corners are.
        const card = inner.querySelector(".np-card") as Element;
        const inset =
          part === "progress" ? Number.parseFloat(getComputedStyle(card).borderRadius) : 0;
        const behind = extremesIn(contentOf(element), outer, inset);
        return [{ where: `${frame.name} ${npTheme} ${npMode}`, part, colour, behind }];
      });
    });
  }, parts);
}

/** The first colour in a computed value such as `rgba(0, 0, 0, 0.9) 1px 0px 0px`. */
function rgbOf(value: string): Rgb {
  const [red = 0, green = 0, blue = 0] = (/rgba?\(([^)]*)\)/.exec(value)?.[1] ?? "")
    .split(",")
    .map(Number);
  return [red, green, blue];
}

function mixInto([red, green, blue]: Rgb, share: number, ground: number): Rgb {
  const over = (part: number) => part * share + ground * (1 - share);
  return [over(red), over(green), over(blue)];
}

/** Degrees on the colour wheel. */
function hueOf([red, green, blue]: Rgb): number {
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  const sixth =
    most === red
      ? ((green - blue) / range + 6) % 6
      : most === green
        ? (blue - red) / range + 2
        : (red - green) / range + 4;
  return sixth * 60;
}
