import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Artwork } from "../../src/playback.ts";
import { playlist } from "../../src/sources/kinds/demo/playlist.ts";
import { engines } from "../fixtures/browser/chromium.ts";
import { startTestServer } from "../fixtures/servers/listening-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

/**
 * Draws how long titles turn their pages, and how one track follows another, frame by frame onto a
 * picture for each title, for people to look at:
 * `bun tests/browser/film-strip.ts [folder] [query] [engine, such as 103]`.
 */
const folder = process.argv[2] ?? join(import.meta.dir, "../../dist/screenshots");
const query = process.argv[3] ?? "";
const engine = engines.find(({ name }) => name.includes(process.argv[4] ?? "system"));
if (!engine?.isInstalled) throw new Error("no such browser is installed");
mkdirSync(folder, { recursive: true });

const titles: Readonly<Record<string, string>> = {
  english:
    "Everything We Said We Would Do When the Summer Came Back to the Little House by the Sea (Live at the Old Observatory)",
  arabic: "ضوء القمر على الماء في ليلة صيف طويلة حين عاد الجميع إلى البيت الصغير قرب البحر",
  japanese:
    "夜の庭で会いましょう、月明かりのテラスと遠い海の歌「星降る夜のためのノクターン」第二番",
  emoji: "🎻🎶👩‍🚀🌙 Moonlight ☀️🏳️‍🌈👨‍👩‍👧‍👦 Dance 🇫🇷🇯🇵🇧🇷 Forever 🎉🎊🥳 and 💃🏽🕺🏿 Ever After 🌊🐚⛵️",
};
const SHARES = [0, 0.15, 0.3, 0.45, 0.6, 0.8];

const artwork = (id: string): Artwork => ({
  key: id,
  load: () => Bun.file(playlist.find((track) => track.id === id)?.cover ?? "").bytes(),
});
const song = (title: string, cover: string) => ({
  track: { id: title, title, durationMs: 214_000, explicit: false },
  artists: ["Otto Lindqvist Ensemble"],
  album: { name: "Coastlines", artworks: [artwork(cover)] },
  positionMs: 83_000,
});

const browser = await engine.launch();
for (const [name, title] of Object.entries(titles)) {
  const server = await startTestServer();
  const ada = await server.addUser("ada");
  const says = (playback: ReturnType<typeof song>) =>
    server.sourceOf(ada).says(aPlayback({ ...playback, observedAtMs: performance.now() }));
  await says(song(title, "observatory"));
  const page = await browser.newPage({ viewport: { width: 500, height: 120 } });
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(1_000);
  await page.goto(`${server.url}/en/widget/${ada.widgetToken}?motion=full&${query}`);
  await page.waitForFunction(() => document.querySelector("[data-np-overflow]") !== null);
  const rows: Buffer[][] = [];
  const first = await restOf(page);
  do {
    const row = [await page.screenshot()];
    const before = await restOf(page);
    await page.clock.runFor(3_600);
    row.push(...(await framesOf(page)));
    rows.push(row);
    await page.waitForFunction(
      (transform) =>
        document.querySelector<HTMLElement>(".np-title .np-marquee-text")?.style.transform !==
        transform,
      before,
    );
  } while ((await restOf(page)) !== first && rows.length < 20);
  await says(song("Night Drive to the Coast", "moonlight"));
  await page.waitForFunction(() => document.documentElement.dataset["npChanging"] !== undefined);
  rows.push([...(await framesOf(page)), await page.screenshot()]);
  await page.close();
  await server.stop();

  const cells = rows
    .flat()
    .map((png) => `<img src="data:image/png;base64,${png.toString("base64")}">`);
  const columns = SHARES.length + 1;
  const sheet = await browser.newPage({ viewport: { width: columns * 340 + 12, height: 100 } });
  await sheet.setContent(
    `<body style="margin:6px;background:#3b5a48;font-size:0">${cells.join("")}</body>
    <style>body{width:${columns * 340}px}img{margin:5px;width:330px}</style>`,
  );
  await sheet.screenshot({ path: join(folder, `pages-${name}.png`), fullPage: true });
  await sheet.close();
}
await browser.close();
console.log(`Look at ${folder}`);
process.exit(0);

/** Pictures of the animations that run now, at several moments; then they end. */
async function framesOf(page: Page): Promise<Buffer[]> {
  const frames: Buffer[] = [];
  for (const [number, share] of SHARES.entries()) {
    // A timer changes the place of a dissolving text in the middle of its turn.
    if (number === SHARES.length / 2) await page.clock.runFor(210);
    await page.evaluate((at) => {
      for (const animation of document.getAnimations()) {
        animation.pause();
        animation.currentTime = Number(animation.effect?.getComputedTiming().endTime) * at;
      }
    }, share);
    frames.push(await page.screenshot());
  }
  await page.waitForFunction(() => {
    for (const animation of document.getAnimations()) animation.finish();
    return document.getAnimations().length === 0;
  });
  return frames;
}

/** Where the title stands. */
function restOf(page: Page): Promise<string> {
  return page.evaluate(
    () => document.querySelector<HTMLElement>(".np-title .np-marquee-text")?.style.transform ?? "",
  );
}
