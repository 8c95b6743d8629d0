import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { en } from "../../src/i18n/en.ts";
import { sizeOf } from "../../widget/source-size.ts";
import {
  isShippedLookName,
  SHIPPED_LOOK_NAMES,
  shippedLook,
} from "../../src/overlay/looks/shipped.ts";
import type { Artwork, Playback } from "../../src/playback.ts";
import { playlist } from "../../src/sources/kinds/demo/playlist.ts";
import { engines } from "../fixtures/browser/chromium.ts";
import { startTestServer } from "../fixtures/servers/listening-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

/**
 * Draws every shipped look over three backgrounds and with several contents, a picture a look, for
 * people to look at: `bun tests/browser/look-sheets.ts [folder] [name of a look]`.
 */
const folder = process.argv[2] ?? join(import.meta.dir, "../../dist/looks");
const wanted = process.argv[3] ?? "";
mkdirSync(folder, { recursive: true });

const artwork = (id: string): Artwork => ({
  key: id,
  load: () => Bun.file(playlist.find((track) => track.id === id)?.cover ?? "").bytes(),
});

const song = (title: string, artist: string, cover?: string): Partial<Playback> => ({
  source: "MPD",
  track: { id: title, title, durationMs: 214_000, explicit: false },
  artists: [artist],
  album: { name: "Coastlines", artworks: cover ? [artwork(cover)] : [] },
  positionMs: 83_000,
});

const contents: readonly Partial<Playback>[] = [
  song("Night Drive to the Coast", "Mara Quill, Theo Banks", "moonlight"),
  song(
    "Everything We Said We Would Do When the Summer Came Back (Live at the Old Observatory)",
    "Otto Lindqvist Ensemble",
    "observatory",
  ),
  song("Ash", "Ada", "lanterns"),
  { ...song("Harbour Bells", "The Low Tides", "ferry"), state: "paused" },
  song("Paper Lanterns", "Juniper Vale"),
  song("ضوء القمر على الماء", "فرقة الياسمين", "garden"),
];

/** A dark room, a bright desk, and a game in the middle of a fight. */
const backgrounds = [
  "radial-gradient(circle at 70% 20%, #2a3350, #0b0d13 70%)",
  "linear-gradient(#f6f3ea, #dfe7ee)",
  `radial-gradient(circle at 18% 30%, #ffd166 0 22px, transparent 24px),
   radial-gradient(circle at 72% 75%, #ef476f 0 34px, transparent 36px),
   repeating-linear-gradient(105deg, rgb(255 255 255 / 0.5) 0 6px, transparent 6px 26px),
   repeating-linear-gradient(15deg, rgb(0 0 0 / 0.55) 0 10px, transparent 10px 34px),
   conic-gradient(from 30deg at 60% 40%, #118ab2, #06d6a0, #e9c46a, #7b2cbf, #118ab2)`,
];

const engine = engines[1];
if (!engine) throw new Error("there is no engine");
const browser = await engine.launch();
for (const name of SHIPPED_LOOK_NAMES) {
  if (isShippedLookName(wanted) && name !== wanted) continue;
  const look = shippedLook(name, en);
  const { width, height } = sizeOf(look);
  const cells: string[] = [];
  for (const content of contents) {
    const server = await startTestServer();
    const ada = await server.addUser("ada");
    const { id, revision } = await server.accounts.widgets.first(ada.user);
    await server.accounts.widgets.save(ada.user, id, look, { basedOn: revision });
    await server.sourceOf(ada).says(aPlayback({ ...content, observedAtMs: performance.now() }));
    const page = await browser.newPage({ viewport: { width, height } });
    await page.goto(`${server.url}/en/widget/${ada.widgetToken}`);
    await page.waitForFunction(
      (state) => document.documentElement.dataset["npState"] === state,
      content.state ?? "playing",
    );
    await page.waitForTimeout(700);
    const png = await page.screenshot({ omitBackground: true });
    await page.close();
    for (const background of backgrounds) {
      const source = `data:image/png;base64,${png.toString("base64")}`;
      cells.push(`<p style="background:${background}"><img src="${source}"></p>`);
    }
    await server.stop();
  }
  const sheet = await browser.newPage({
    viewport: { width: backgrounds.length * (width + 40), height: 100 },
  });
  await sheet.setContent(
    `<body style="margin:0;font-size:0">${cells.join("")}</body>
     <style>p{display:inline-block;margin:0;padding:20px}</style>`,
  );
  await sheet.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  await sheet.close();
}
await browser.close();
console.log(`Look at ${folder}`);
