import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "bun:test";
import type { Browser } from "playwright-core";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { LANGUAGES, languages } from "../../src/i18n/index.ts";
import type { Playback } from "../../src/playback/playback.ts";
import { type Engine, engines, openPage } from "../fixtures/chromium.ts";
import { type ListeningServer, startTestServer } from "../fixtures/listening-server.ts";
import { patternPicture } from "../fixtures/pictures.ts";
import { aPlayback } from "../fixtures/playback.ts";
import { testWith } from "../fixtures/real-parts.ts";

let browser: Browser | undefined;
let server: ListeningServer;
let ada: AddedUser;

beforeEach(async () => {
  server = await startTestServer();
  ada = await server.addUser("ada");
});
afterEach(() => server.stop());

async function open(query = "", options: Parameters<typeof openPage>[1] = {}) {
  if (!browser) throw new Error("there is no browser");
  const opened = await openPage(browser, options);
  const lang = new URLSearchParams(query).get("in") ?? "en";
  await opened.page.goto(`${server.url}/${lang}/widget/${ada.widgetToken}${query}`);
  return opened;
}

function hears(changes: Partial<Playback> = {}): Promise<void> {
  const observedAtMs = server.clock.monotonicMs();
  return server.sourceOf(ada).says(aPlayback({ observedAtMs, ...changes }));
}

const titled = (title: string) => ({
  track: { id: title, title, durationMs: 200_000, explicit: false },
});

for (const engine of engines) describeOverlay(engine);

function describeOverlay(engine: Engine): void {
  const test = testWith(engine.name, engine.isInstalled);
  describe(`the overlay in ${engine.name}`, () => {
    beforeAll(async () => {
      if (engine.isInstalled) browser = await engine.launch();
    }, 60_000);
    afterAll(async () => {
      await browser?.close();
      browser = undefined;
    });

    test("is right at its first paint, without script", async () => {
      await hears({ album: { name: "A", artworks: [await cover()] } });
      const { page } = await open("", { javaScriptEnabled: false });
      expect(await page.textContent(".np-title")).toBe("Paper Lanterns");
      expect(await page.textContent(".np-elapsed")).toBe("0:10");
      expect(await page.getAttribute(".np-art-img", "src")).toMatch(/^\/art\/[\w-]+\/256\.webp$/);
      await page.close();
    });

    test("shows a change without a reload, with its cover, from its own origin alone", async () => {
      await hears();
      const { page, complaints, hosts } = await open();
      await hears({ ...titled("Midnight Ferry"), album: { name: "A", artworks: [await cover()] } });
      await page.waitForFunction(
        () => document.querySelector(".np-title")?.textContent === "Midnight Ferry",
      );
      await page.waitForFunction(
        () => document.querySelector<HTMLImageElement>(".np-art-img")?.naturalWidth === 256,
      );
      expect([...hosts]).toEqual([new URL(server.url).host]);
      expect(complaints).toEqual([]);
      await page.close();
    });

    test("counts the seconds, and stands still while paused", async () => {
      await hears({ positionMs: 59_500 });
      const { page } = await open();
      await page.waitForFunction(
        () => document.querySelector(".np-elapsed")?.textContent === "1:01",
      );
      await hears({ state: "paused", positionMs: 70_000 });
      await page.waitForFunction(() => document.documentElement.dataset["npState"] === "paused");
      expect(await page.textContent(".np-elapsed")).toBe("1:10");
      expect(await page.textContent(".np-label")).toBe("Paused · Test");
      await page.close();
    });

    test("is fully transparent around the card, and everywhere when nothing plays", async () => {
      await server.sourceOf(ada).says(null);
      const { page } = await open();
      expect(Math.max(...(await alphas(page)))).toBe(0);
      await hears();
      await page.waitForFunction(() => !document.documentElement.hasAttribute("data-np-hidden"));
      await page.setViewportSize({ width: 500, height: 300 });
      await page.evaluate(() =>
        Promise.all(document.getAnimations().map((animation) => animation.finished)),
      );
      const card = await page.evaluate(
        () => document.querySelector(".np-card")?.getBoundingClientRect().bottom ?? 0,
      );
      const pixels = await alphas(page);
      expect(Math.max(...pixels.slice(500 * Math.ceil(card)))).toBe(0);
      expect(Math.max(...pixels.slice(0, 500 * Math.floor(card)))).toBeGreaterThan(200);
      await page.close();
    });

    for (const language of LANGUAGES) {
      test(`says its words in ${language}`, async () => {
        await hears();
        const { page } = await open(`?in=${language}`);
        expect(await page.textContent(".np-label")).toBe(
          `${languages[language].widget.nowPlaying} · Test`,
        );
        expect(await page.getAttribute("html", "lang")).toBe(language);
        await page.close();
      });
    }

    test("yields to the streamer's own CSS as OBS injects it", async () => {
      await hears();
      const { page } = await open("?color=ff0000");
      // obs-browser appends a style element with the source's CSS when the page has loaded.
      await page.evaluate(() => {
        const style = document.createElement("style");
        style.textContent =
          ".np-title { color: rgb(0, 128, 0) } body { background-color: rgb(1, 2, 3) !important }";
        document.head.append(style);
      });
      const colours = await page.evaluate(() => [
        getComputedStyle(document.querySelector(".np-title") as Element).color,
        getComputedStyle(document.body).backgroundColor,
      ]);
      expect(colours).toEqual(["rgb(0, 128, 0)", "rgb(1, 2, 3)"]);
      await page.close();
    });

    test("comes back by itself after the server was gone, without a reload", async () => {
      await hears();
      const { page } = await open();
      await page.evaluate(() => Object.assign(window, { mark: "same page" }));
      const { port } = new URL(server.url);
      await server.running.stop(100);
      const restarted = await import("../../src/http/server.ts").then(({ listen }) =>
        listen({
          host: "127.0.0.1",
          port: Number(port),
          clock: server.clock,
          createApp: () => server.app,
        }),
      );
      await hears(titled("After the restart"));
      await page.waitForFunction(
        () => document.querySelector(".np-title")?.textContent === "After the restart",
      );
      expect(await page.evaluate(() => "mark" in window)).toBe(true);
      await page.close();
      await restarted.stop(100);
    }, 20_000);

    test("goes dark when its address was replaced", async () => {
      await hears();
      const { page } = await open();
      await page.waitForFunction(() => document.documentElement.dataset["npState"] === "playing");
      await hears(titled("connected"));
      await page.waitForFunction(
        () => document.querySelector(".np-title")?.textContent === "connected",
      );
      await server.accounts.widgets.rotate(ada.user);
      await server.app.live.dropReplacedTokens();
      await page.waitForFunction(() => document.documentElement.hasAttribute("data-np-hidden"));
      await page.close();
    });

    test("moves a long title and leaves a short one alone", async () => {
      await hears(
        titled("A title that is much too long for any card of five hundred pixels ".repeat(2)),
      );
      const { page } = await open("?hold=0&speed=300&motion=full");
      await page.waitForFunction(() =>
        document
          .getAnimations()
          .some(({ effect }) =>
            (effect as KeyframeEffect).target?.classList.contains("np-marquee-text"),
          ),
      );
      await hears(titled("Short"));
      await page.waitForFunction(
        () => document.querySelector(".np-title")?.textContent === "Short",
      );
      await page.waitForFunction(() => document.getAnimations().length === 0);
      expect(await page.getAttribute(".np-title", "data-np-overflow")).toBeNull();
      await page.close();
    });

    test("runs nothing that a title, artist or option says", async () => {
      const attacks = [
        `<script>window.ran=1</script>`,
        `<img src=x onerror="window.ran=1">`,
        `"><svg onload=window.ran=1>`,
        `</bdi></style><script>window.ran=1</script>`,
      ];
      for (const attack of attacks) {
        await hears({
          ...titled(attack),
          artists: [attack],
          album: { name: attack, artworks: [] },
        });
        const query = new URLSearchParams({
          album: "1",
          font: attack,
          bg: attack,
          idleText: attack,
          idle: "text",
        });
        const { page } = await open(`?${query}`);
        expect(await page.textContent(".np-title")).toBe(attack);
        await hears({ ...titled(`${attack}!`), artists: [attack] });
        await page.waitForFunction(
          (text) => document.querySelector(".np-title")?.textContent === text,
          `${attack}!`,
        );
        expect(await page.evaluate(() => "ran" in window)).toBe(false);
        await page.close();
      }
    });
  });
}

async function cover() {
  const picture = await patternPicture("png", 400);
  return { key: "cover", load: async () => picture };
}

/** How opaque each pixel of the page is, row by row. */
async function alphas(page: Awaited<ReturnType<typeof openPage>>["page"]): Promise<number[]> {
  const png = await page.screenshot({ omitBackground: true });
  const decoder = await browser?.newPage();
  // A browser decodes its own screenshot: a canvas gives the bytes.
  const values = await decoder?.evaluate(
    async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context?.drawImage(image, 0, 0);
      const bytes = context?.getImageData(0, 0, image.width, image.height).data ?? [];
      return Array.from(bytes).filter((_, index) => index % 4 === 3);
    },
    `data:image/png;base64,${png.toString("base64")}`,
  );
  await decoder?.close();
  return values ?? [];
}
