import { beforeAll, describe, expect } from "bun:test";
import fc from "fast-check";
import { type Card, type CardContent, drawCard } from "../../src/outputs/card-drawing.ts";
import { currentChromium } from "../fixtures/browser/chromium.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { sharedPart } from "../fixtures/shared-part.ts";
import { hostileName } from "../fixtures/sources/hostile-names.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";

const rsvg = Bun.which("rsvg-convert");
const drawnByBoth = testWith(
  "Chromium or rsvg-convert",
  currentChromium.isInstalled && rsvg !== null,
);
const withChromium = testWith(currentChromium.name, currentChromium.isInstalled);

const shared = sharedPart({
  isInstalled: currentChromium.isInstalled,
  async start() {
    const browser = await currentChromium.launch();
    return { browser, page: await browser.newPage() };
  },
  isRunning: ({ browser }) => browser.isConnected(),
  stop: ({ browser }) => browser.close(),
});
let cover: Uint8Array;

beforeAll(async () => {
  cover = await patternPicture("jpeg", 128);
});

type Song = Extract<CardContent, { kind: "song" }>;

const cardOf = (content: CardContent, mode: Card["mode"] = "dark"): string =>
  drawCard({ content, mode, accent: "#e07a5f", description: "A card" });
const song = (changes: Partial<Song> = {}): Song => ({
  kind: "song",
  isPaused: false,
  label: "Now playing · MPD",
  title: "Paper Lanterns",
  artist: "Juniper Vale",
  cover,
  progress: { positionMs: 90_000, durationMs: 200_000, rate: 1 },
  ...changes,
});

const asAddress = (type: string, bytes: Uint8Array | string): string =>
  `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;

async function byLibrsvg(svg: string): Promise<string> {
  const { stdout, exitCode, stderr } = Bun.spawnSync([rsvg ?? ""], { stdin: Buffer.from(svg) });
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  return asAddress("image/png", stdout);
}

/**
 * The mean difference of two pictures in Chromium, 0 to 255, each made small first: the two place
 * the same letters a little differently.
 */
function differenceOf(one: string, other: string): Promise<number> {
  return shared().page.evaluate(
    async (addresses) => {
      const pixels = addresses.map(async (address) => {
        const picture = new Image();
        picture.src = address;
        await picture.decode();
        const canvas = new OffscreenCanvas(80, 20);
        const context = canvas.getContext("2d");
        if (!context) throw new Error("no canvas");
        context.imageSmoothingQuality = "high";
        context.drawImage(picture, 0, 0, 80, 20);
        return context.getImageData(0, 0, 80, 20).data;
      });
      const [first, second] = await Promise.all(pixels);
      if (!first || !second) throw new Error("no pixels");
      return (
        first.reduce((sum, value, at) => sum + Math.abs(value - (second[at] ?? 0)), 0) /
        first.length
      );
    },
    [one, other],
  );
}

describe("a card", () => {
  const looks: readonly (readonly [string, CardContent])[] = [
    ["that plays", song()],
    ["with a long title", song({ title: "Lanterns on the River ".repeat(20) })],
    ["with a title from right to left", song({ title: "أغنية عن القمر", artist: "فيروز" })],
    ["with a title in Japanese", song({ title: "夜に駆ける", artist: "ヨルシカ" })],
    ["that is paused", song({ isPaused: true })],
    ["without a cover and a bar", song({ cover: undefined, progress: undefined })],
    ["of silence", { kind: "idle", text: "Nothing playing" }],
  ];
  for (const [name, content] of looks) {
    drawnByBoth(`${name} looks alike in Chromium and in librsvg`, async () => {
      for (const mode of ["dark", "light"] as const) {
        const svg = cardOf(content, mode);
        const difference = await differenceOf(
          asAddress("image/svg+xml", svg),
          await byLibrsvg(svg),
        );
        expect(difference).toBeLessThan(8);
      }
    });
  }

  drawnByBoth("of another song or in another mode does not look alike", async () => {
    const [plays, light, idle] = await Promise.all([
      byLibrsvg(cardOf(song())),
      byLibrsvg(cardOf(song(), "light")),
      byLibrsvg(cardOf({ kind: "idle", text: "Nothing playing" })),
    ]);
    expect(await differenceOf(plays, light)).toBeGreaterThan(30);
    expect(await differenceOf(plays, idle)).toBeGreaterThan(10);
  });

  withChromium("is valid XML with its own elements only, whatever the names", async () => {
    const names = fc.sample(hostileName, 600);
    const cards = names.map((title, at) =>
      drawCard({
        content: song({ title, artist: names[at - 1] ?? "", label: title, cover: undefined }),
        mode: "auto",
        accent: null,
        description: title,
      }),
    );
    const shapes = await shared().page.evaluate(
      (files) =>
        files.map((file) => {
          const drawn = new DOMParser().parseFromString(file, "image/svg+xml");
          const error = drawn.querySelector("parsererror")?.textContent;
          return error ?? `${drawn.querySelectorAll("*").length} elements`;
        }),
      cards,
    );
    expect(new Set(shapes).size).toBe(1);
    expect(shapes[0]).toMatch(/^\d+ elements$/);
  });

  withChromium("moves its bar to the end by itself, and loads nothing", async () => {
    const asked: string[] = [];
    const other = await shared().browser.newPage();
    other.on("request", (request) => void asked.push(new URL(request.url()).protocol));
    await other.setContent(
      cardOf(song({ progress: { positionMs: 0, durationMs: 60_000, rate: 1 } })),
    );
    const bar = await other.evaluate(() => {
      const [run] = document.getAnimations();
      if (!run) throw new Error("nothing moves");
      const left = () => document.querySelector(".bar")?.getBoundingClientRect().left ?? 0;
      run.pause();
      const lefts = [0, 30_000, 60_000].map((ms) => {
        run.currentTime = ms;
        return Math.round(
          left() - (document.querySelector(".rail")?.getBoundingClientRect().left ?? 0),
        );
      });
      return lefts;
    });
    expect(bar).toEqual([-242, -121, 0]);
    expect(asked.filter((protocol) => protocol !== "data:")).toEqual([]);
    await other.close();
  });
});
