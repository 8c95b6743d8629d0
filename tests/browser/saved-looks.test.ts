import { expect } from "bun:test";
import { sizeOf } from "../../widget/source-size.ts";
import type { Look } from "../../src/looks/look.ts";
import { openGallery, type Picture } from "../fixtures/browser/overlay-gallery.ts";
import {
  coverOf,
  inOldestEngine,
  type Stage,
  withCover,
} from "../fixtures/browser/overlay-page.ts";
import { SAVED_LOOKS } from "../fixtures/looks/saved-looks.ts";
import { solidPicture } from "../fixtures/sources/pictures.ts";

/** Overlays that older versions have saved, or that stand in an address since then. */

/** The themes that there were before looks were drawn anew. */
const THEMES = ["card", "compact", "bar", "text", "art", "vinyl", "glass"] as const;
type Theme = (typeof THEMES)[number];
type Options = Look["options"];

/** What streamers chose with them, as it was stored. */
const CHOSEN: Readonly<Record<string, Options>> = {
  nothing: {},
  "every part": { album: "1", source: "1" },
  "words alone": { art: "0", progress: "0", time: "0", label: "0" },
  "colours, letters and corners": {
    bg: "204060",
    opacity: "80",
    color: "ffee00",
    accent: "00ff88",
    font: "Georgia",
    radius: "30",
    outline: "1",
  },
  "size and place": {
    mode: "light",
    swap: "1",
    size: "12",
    width: "360",
    position: "br",
    align: "center",
  },
};

const PARTS = ["art", "label", "title", "artist", "album", "progress", "time"] as const;
type Part = (typeof PARTS)[number];

/** What can be seen of an overlay. */
interface Seen {
  readonly warnings: readonly string[];
  readonly parts: readonly Part[];
  readonly label: string | null;
  /** The words of which a part lies outside the source. */
  readonly cutOff: readonly string[];
  readonly sizePx: number;
  readonly widthPx: number;
  readonly isAtBottomRight: boolean;
  readonly isCoverLast: boolean;
  /** `null` where there is no panel. */
  readonly panel: string | null;
  readonly colours: { readonly title: string; readonly artist: string; readonly time: string };
  readonly fill: string;
  readonly font: string;
  readonly align: string;
  readonly radius: string;
  readonly outline: string;
}

inOldestEngine("an overlay of an older version", (stage) => {
  const { test } = stage;

  for (const [what, options] of Object.entries(CHOSEN)) {
    test(`shows ${what} as it was chosen in each theme, saved or in an address`, async () => {
      await stage.plays({
        ...withCover(coverOf("red", solidPicture("#c02050"))),
        source: "Spotify",
      });
      const looks = THEMES.map((theme) => [theme, { theme, ...options }] as const);
      const inAddresses = looks.map(([, all]) => ({
        query: `?${new URLSearchParams(all)}&motion=none`,
        ...sizeOf({ size: null, options: all }),
      }));
      const saved: Picture[] = [];
      for (const [name, all] of looks) saved.push(await save(stage, name, all));
      const seen = await seenIn(stage, [...saved, ...inAddresses]);
      for (const [at, theme] of THEMES.entries()) {
        expect({ theme, ...seen[at] }).toMatchObject({ theme, ...wanted(theme, options) });
        expect({ theme, ...seen[THEMES.length + at] }).toEqual({ theme, ...(seen[at] as Seen) });
      }
    });
  }

  test("shows the words of a look that came with it", async () => {
    await stage.plays(withCover(coverOf("white", solidPicture("#ffffff"))));
    const saved: Picture[] = [];
    for (const { name, options, css, size } of SAVED_LOOKS) {
      saved.push(await save(stage, name, options, { css, size }));
    }
    const seen = await seenIn(stage, saved);
    for (const [at, { name, options }] of SAVED_LOOKS.entries()) {
      expect({ name, ...seen[at] }).toMatchObject({
        name,
        cutOff: [],
        colours: { title: rgb(options["color"] ?? "ffffff") },
        parts: expect.arrayContaining(["title", "artist"]),
      });
    }
  });
});

/** What an overlay has to look like with what was chosen. */
function wanted(theme: Theme, options: Options): Partial<Seen> {
  const isOn = (name: string) => (options[name] ?? (name === "album" ? "0" : "1")) === "1";
  const isCoverOnly = theme === "art" && isOn("art");
  const isLine = theme === "compact";
  const holds: Readonly<Record<Part, boolean>> = {
    art: isOn("art") && theme !== "text",
    label: isOn("label") && !isLine && !isCoverOnly,
    title: !isCoverOnly,
    artist: !isLine && !isCoverOnly,
    album: isOn("album") && !isLine && !isCoverOnly,
    progress: isOn("progress"),
    time: isOn("time") && !isCoverOnly,
  };
  const { size, width, color, accent, font, radius, outline, bg, opacity } = options;
  return {
    warnings: [],
    cutOff: [],
    parts: PARTS.filter((part) => holds[part]),
    ...(isOn("source") && { label: isOn("label") ? "Now playing" : "" }),
    ...(options["source"] === "1" && { label: "Now playing · Spotify" }),
    ...(size && { sizePx: Number(size) }),
    ...(width && !isCoverOnly && { widthPx: Number(width) }),
    ...(options["position"] === "br" && { isAtBottomRight: true }),
    ...(options["swap"] === "1" && holds.art && !isCoverOnly && { isCoverLast: true }),
    ...(options["align"] && { align: options["align"] }),
    ...(color && { colours: { title: rgb(color), artist: rgb(color), time: rgb(color) } }),
    ...(accent && { fill: rgb(accent) }),
    ...(font && { font: expect.stringMatching(new RegExp(`^"?${font}`)) }),
    ...(outline && { outline: expect.stringContaining(`${outline}px 0px 0px`) }),
    ...(radius && { radius: theme === "text" ? "0px" : `${radius}px` }),
    ...(bg && {
      panel: theme === "text" ? null : `rgba${rgb(bg).slice(3, -1)}, ${Number(opacity) / 100})`,
    }),
  } as Partial<Seen>;
}

function rgb(hex: string): string {
  const parts = [hex.slice(0, 2), hex.slice(2, 4), hex.slice(4)];
  const text = parts.map((part) => Number.parseInt(part, 16)).join(", ");
  return `rgb(${text})`;
}

async function save(
  { server, ada }: Stage,
  name: string,
  options: Options,
  { css, size }: Pick<Look, "css" | "size"> = { css: "", size: null },
): Promise<Picture> {
  const { widgets } = server.accounts;
  const look = { options, css, size };
  const { id } = await widgets.add(ada.user, { name, kind: "overlay", look });
  const address = `${server.url}/en/widget/${widgets.tokenOf(ada.user, id)}`;
  return { name, query: "?motion=none", address, ...sizeOf(look) };
}

async function seenIn(stage: Stage, pictures: readonly Picture[]): Promise<Seen[]> {
  const { page } = await openGallery(stage, pictures);
  await page.waitForFunction(() =>
    [...document.querySelectorAll("iframe")].every(({ contentDocument }) => {
      const image = contentDocument?.querySelector(".np-art-img") as HTMLImageElement;
      return (
        contentDocument?.documentElement.hasAttribute("data-np-ready") &&
        (!image.hasAttribute("src") || image.naturalWidth > 0)
      );
    }),
  );
  return page.evaluate(lookAtFrames, PARTS);
}

function lookAtFrames(names: typeof PARTS): Seen[] {
  return [...document.querySelectorAll("iframe")].map((frame): Seen => {
    const inner = frame.contentDocument as Document;
    const find = (name: string) => inner.querySelector(`.np-${name}`) as Element;
    const styleOf = (name: string) => getComputedStyle(find(name));
    const boxOf = (name: string) => find(name).getBoundingClientRect();
    const parts = names.filter((name) => {
      const { top, width, height } = boxOf(name);
      // A time that has wrapped out of its line is not drawn.
      const isClipped = name === "time" && top >= boxOf("info").bottom;
      const isVisible = styleOf(name).visibility === "visible";
      return width > 0 && height > 0 && isVisible && !isClipped;
    });
    const cutOff = parts.filter((name) => {
      const { left, top, right, bottom } = boxOf(name);
      const [width, height] = [frame.clientWidth, frame.clientHeight];
      return left < -1 || top < -1 || right > width + 1 || bottom > height + 1;
    });
    const card = boxOf("card");
    const backdrop = styleOf("backdrop");
    return {
      warnings: JSON.parse(inner.documentElement.dataset["npSetup"] ?? "").warnings,
      parts,
      label: find("label").textContent,
      cutOff,
      sizePx: Number.parseFloat(getComputedStyle(inner.querySelector(".np") as Element).fontSize),
      widthPx: card.width,
      isAtBottomRight: card.right === frame.clientWidth && card.bottom === frame.clientHeight,
      isCoverLast: boxOf("art").left >= boxOf("info").right,
      panel: backdrop.display === "none" ? null : backdrop.backgroundColor,
      colours: {
        title: styleOf("title").color,
        artist: styleOf("artist").color,
        time: styleOf("time").color,
      },
      fill: styleOf("progress-fill").backgroundColor,
      font: styleOf("title").fontFamily,
      align: styleOf("title").textAlign,
      radius: styleOf("card").borderRadius,
      outline: styleOf("title").textShadow,
    };
  });
}
