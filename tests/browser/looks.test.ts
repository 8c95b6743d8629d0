import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { en } from "../../src/i18n/en.ts";
import {
  SHIPPED_LOOK_NAMES,
  type ShippedLookName,
  shippedLook,
} from "../../src/overlay/looks/shipped.ts";
import { type Gallery, openGallery, type Picture } from "../fixtures/browser/overlay-gallery.ts";
import { inOldestEngine, type Stage } from "../fixtures/browser/overlay-page.ts";
import { shotOf } from "../fixtures/browser/screenshots.ts";
import { PLAYED, windowsOf } from "../fixtures/looks/states.ts";
import { everySo } from "../fixtures/thorough.ts";

/** What each look holds, whatever plays. */

const WINDOWS = ["its own size", "500 × 120", "800 × 600", "1920 × 1080"] as const;
/** The smallest letters, in pixels, that a viewer reads. */
const LEAST_TITLE_PX = 12;
const LEAST_WORDS_PX = 8;
/** How much of the height of its own source a look fills. */
const LEAST_FILLED = 0.9;
const ROUNDING_PX = 1;

/** What can be seen of an overlay. */
interface Seen {
  readonly look: ShippedLookName;
  readonly window: Box;
  readonly card: Box;
  readonly cover: Box;
  readonly face: Box;
  readonly words: readonly Words[];
}

interface Words {
  readonly part: string;
  /** As far as letters are drawn. */
  readonly box: Box;
  readonly sizePx: number;
  /** Whether the text is longer than its room. */
  readonly goesOn: boolean;
  /** Whether it has an ellipsis, or fades out. */
  readonly endsSoftly: boolean;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** All in the narrow sources, where words have the least room, and some of them in the large ones. */
const statesIn = (size: (typeof WINDOWS)[number]): readonly string[] =>
  ["its own size", "500 × 120"].includes(size)
    ? Object.keys(PLAYED)
    : everySo(3, Object.keys(PLAYED));

/** As many as one user can have. */
const GROUPS = [SHIPPED_LOOK_NAMES.slice(0, 11), SHIPPED_LOOK_NAMES.slice(11)];

inOldestEngine("a look", (stage) => {
  const { test } = stage;

  for (const [at, size] of WINDOWS.entries()) {
    for (const names of GROUPS) {
      test(`holds whatever plays, in a source of ${size}: ${names.join(", ")}`, async () => {
        const gallery = await openLooks(stage, names, at);
        const usual = await seenWhile(stage, gallery, "usual");
        const mistakes: string[] = [];
        for (const state of statesIn(size)) {
          const seen = state === "usual" ? usual : await seenWhile(stage, gallery, state);
          for (const [index, now] of seen.entries()) {
            const found = mistakesIn(now, usual[index] as Seen, state, at === 0);
            mistakes.push(...found.map((mistake) => `${now.look}, ${state}: ${mistake}`));
          }
        }
        expect(mistakes).toEqual([]);
      });
    }
  }

  for (const names of GROUPS) {
    test(`has room for every part: ${names.join(", ")}`, async () => {
      const gallery = await openLooks(stage, names, 0, "&album=1&source=1");
      const seen = await seenWhile(stage, gallery, "usual");
      const mistakes = seen.flatMap((now) =>
        mistakesIn(now, now, "usual", true).map((mistake) => `${now.look}: ${mistake}`),
      );
      expect(mistakes).toEqual([]);
    });

    test(`shows where a black cover ends on a black panel: ${names.join(", ")}`, async () => {
      const gallery = await openLooks(stage, names, 0);
      const seen = await seenWhile(stage, gallery, "black");
      expect(await unseenEdges(gallery.page, seen)).toEqual([]);
    });
  }
});

function mistakesIn(now: Seen, usual: Seen, state: string, isOwnSize: boolean): string[] {
  const { card, window, words } = now;
  const mistakes: string[] = [];
  const check = (holds: boolean, mistake: string) => holds || mistakes.push(mistake);
  const size = ({ left, top, right, bottom }: Box) =>
    [left, top, right, bottom].map((side) => side.toFixed(1)).join(" ");

  check(isSame(card, usual.card), `the card is ${size(card)}, was ${size(usual.card)}`);
  check(isWithin(card, window), `the card ${size(card)} is larger than its source`);
  if (isOwnSize) {
    const filled = (card.bottom - card.top) / (window.bottom - window.top);
    check(filled >= LEAST_FILLED, `the card fills ${filled.toFixed(2)} of its source`);
  }

  const isMirrored = state === "arabic";
  const place = isMirrored ? mirrored(usual.cover, card) : usual.cover;
  const shown = isEmpty(now.cover) ? now.face : now.cover;
  check(isEmpty(usual.cover) || isSame(shown, place), `the cover is at ${size(shown)}`);
  if (PLAYED[state]?.album?.artworks.length === 0 && !isEmpty(usual.cover)) {
    check(!isEmpty(now.face), "nothing stands in for the cover");
  }

  for (const { part, box, sizePx, goesOn, endsSoftly } of words) {
    check(isWithin(box, window), `its ${part} ${size(box)} is outside`);
    const least = part === "title" ? LEAST_TITLE_PX : LEAST_WORDS_PX;
    check(sizePx >= least, `its ${part} has letters of ${sizePx.toFixed(1)} px`);
    check(!goesOn || endsSoftly, `its ${part} is cut off`);
    check(!overlaps(box, shown), `its ${part} runs into the cover`);
  }
  const titleAt = words.find(({ part }) => part === "title")?.box;
  if (isMirrored && titleAt && !isEmpty(shown) && shown.bottom - titleAt.top > 0) {
    const isBeside = titleAt.top < shown.bottom - 1;
    check(!isBeside || titleAt.right <= shown.left + 1, "its title is not at the cover");
  }
  return mistakes;
}

const isSame = (one: Box, other: Box): boolean =>
  (["left", "top", "right", "bottom"] as const).every(
    (side) => Math.abs(one[side] - other[side]) <= ROUNDING_PX,
  );
const isWithin = (inner: Box, outer: Box): boolean =>
  inner.left >= outer.left - ROUNDING_PX &&
  inner.top >= outer.top - ROUNDING_PX &&
  inner.right <= outer.right + ROUNDING_PX &&
  inner.bottom <= outer.bottom + ROUNDING_PX;
const isEmpty = ({ left, right }: Box): boolean => right - left < 1;
const overlaps = (one: Box, other: Box): boolean =>
  Math.min(one.right, other.right) - Math.max(one.left, other.left) > ROUNDING_PX &&
  Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > ROUNDING_PX;
const mirrored = (box: Box, within: Box): Box => ({
  ...box,
  left: within.left + within.right - box.right,
  right: within.left + within.right - box.left,
});

/** Some looks in their windows of one kind, on one page. */
async function openLooks(
  stage: Stage,
  names: readonly ShippedLookName[],
  at: number,
  more = "",
): Promise<Gallery> {
  const { accounts, url } = stage.server;
  const pictures: Picture[] = [];
  for (const name of names) {
    const look = shippedLook(name, en);
    const { id } = await accounts.widgets.add(stage.ada.user, { name, kind: "overlay", look });
    const token = accounts.widgets.tokenOf(stage.ada.user, id);
    const { width, height } = windowsOf(look)[at] ?? { width: 0, height: 0 };
    const address = `${url}/en/widget/${token}`;
    pictures.push({ name, query: `?motion=full&enter=none${more}`, address, width, height });
  }
  await stage.plays(PLAYED["usual"]);
  return openGallery(stage, pictures);
}

/** Plays a state, and measures each look as soon as it shows it. */
async function seenWhile(stage: Stage, { page }: Gallery, state: string): Promise<Seen[]> {
  const playback = PLAYED[state] ?? {};
  await stage.plays(playback);
  const wanted = {
    state: playback.state ?? "playing",
    title: (playback.track?.title ?? "").replace(/\.mp3$/, ""),
    hasCover: playback.album?.artworks.length !== 0,
  };
  await page.waitForFunction(({ state: kind, title, hasCover }) => {
    const frames = [...document.querySelectorAll("iframe")];
    return frames.every(({ contentDocument }) => {
      const root = contentDocument?.documentElement;
      const image = root?.querySelector(".np-art-img") as HTMLImageElement | null | undefined;
      return (
        root?.dataset["npState"] === kind &&
        !("npChanging" in root.dataset) &&
        root.querySelector(".np-title")?.textContent?.endsWith(title) &&
        (!hasCover ||
          !root.hasAttribute("data-np-has-art") ||
          (image?.complete && image.naturalWidth > 0))
      );
    });
  }, wanted);
  return page.evaluate(measureFrames);
}

/** What is seen in each frame of the page. */
function measureFrames(): Seen[] {
  const boxOf = ({ left, top, right, bottom }: DOMRect): Box => ({ left, top, right, bottom });
  const isShown = (element: Element): boolean => {
    const { visibility } = getComputedStyle(element);
    const { top, width, height } = element.getBoundingClientRect();
    const info = element.closest(".np-info") as Element;
    const isClipped = getComputedStyle(info).overflowY === "clip";
    // A line that wraps out of what is clipped is not drawn.
    if (isClipped && top >= info.getBoundingClientRect().bottom) return false;
    return visibility !== "hidden" && width > 0 && height > 0;
  };
  const wordsOf = (inner: Document, part: string): Words[] => {
    const line = inner.querySelector(`.np-${part}`) as HTMLElement;
    const text = (line.querySelector(".np-marquee-text") ?? line) as HTMLElement;
    if (!isShown(line) || !text.textContent?.trim()) return [];
    const range = inner.createRange();
    range.selectNodeContents(text);
    const letters = range.getBoundingClientRect();
    const room = line.getBoundingClientRect();
    const { maskImage, webkitMaskImage } = getComputedStyle(line);
    const fades = (maskImage || webkitMaskImage).includes("gradient");
    const { textOverflow, overflowX } = getComputedStyle(text);
    return [
      {
        part,
        box: {
          left: Math.max(letters.left, room.left),
          top: letters.top,
          right: Math.min(letters.right, room.right),
          bottom: letters.bottom,
        },
        sizePx: Number.parseFloat(getComputedStyle(text).fontSize),
        goesOn: letters.width > room.width + 2,
        endsSoftly: fades || (textOverflow === "ellipsis" && overflowX !== "visible"),
      },
    ];
  };
  return [...document.querySelectorAll("iframe")].map((frame): Seen => {
    const inner = frame.contentDocument as Document;
    const elementOf = (name: string) => inner.querySelector(`.np-${name}`) as Element;
    /** As it is before it is turned. */
    const pictureOf = (name: string): Box => {
      const { left, top, right, bottom, width } = elementOf(name).getBoundingClientRect();
      const side = width && Number.parseFloat(getComputedStyle(elementOf(name)).width);
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      return { left: x - side / 2, top: y - side / 2, right: x + side / 2, bottom: y + side / 2 };
    };
    return {
      look: frame.name as ShippedLookName,
      window: { left: 0, top: 0, right: frame.clientWidth, bottom: frame.clientHeight },
      card: boxOf(elementOf("card").getBoundingClientRect()),
      cover: pictureOf("art-img"),
      face: pictureOf("face"),
      words: ["label", "title", "artist", "album", "time"].flatMap((part) => wordsOf(inner, part)),
    };
  });
}

/** The looks whose black cover has at none of its edges a pixel that differs from the cover. */
async function unseenEdges(page: Page, seen: readonly Seen[]): Promise<string[]> {
  const covers = seen.filter(({ cover }) => !isEmpty(cover));
  const shot = await shotOf(page);
  return shot.evaluate((context, boxes) => {
    const brightnessAt = (x: number, y: number) => {
      const { data } = context.getImageData(Math.round(x), Math.round(y), 1, 1);
      return Math.max(data[0] ?? 0, data[1] ?? 0, data[2] ?? 0);
    };
    return boxes.flatMap(({ look, cover }) => {
      const frame = document.querySelector(`iframe[name=${look}]`) as Element;
      const { left, top } = frame.getBoundingClientRect();
      const x = left + (cover.left + cover.right) / 2;
      const y = top + (cover.top + cover.bottom) / 2;
      const inside = brightnessAt(x, y);
      const edge = [-2, -1, 0, 1, 2].flatMap((away) => [
        brightnessAt(x, top + cover.top + away),
        brightnessAt(x, top + cover.bottom + away),
        brightnessAt(left + cover.left + away, y),
        brightnessAt(left + cover.right + away, y),
      ]);
      return Math.max(...edge) - inside < 12 ? [look] : [];
    });
  }, covers);
}
