import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { widgetOptions } from "../../widget/options.ts";
import type { Artwork, Playback } from "../../src/playback.ts";
import { playlist } from "../../src/sources/kinds/demo/playlist.ts";
import { currentChromium } from "../fixtures/browser/chromium.ts";
import { startTestServer } from "../fixtures/servers/listening-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

/**
 * Draws every theme over several backgrounds and contents onto one picture a size, for people to
 * look at: `bun tests/browser/contact-sheet.ts [folder] [500x120]`.
 */
const folder = process.argv[2] ?? join(import.meta.dir, "../../dist/screenshots");
mkdirSync(folder, { recursive: true });

const themes = widgetOptions.theme.type.kind === "choice" ? widgetOptions.theme.type.choices : [];

const backgrounds: Readonly<Record<string, string>> = {
  dark: "#0c0f14",
  light: "#f4f1ea",
  busy: "conic-gradient(from 30deg at 30% 40%, #2f6f3a, #d9c25a, #7a3b2e, #2b5c8a, #e7e2d5, #2f6f3a)",
};

const artwork = (id: string): Artwork => ({
  key: id,
  load: () => Bun.file(playlist.find((track) => track.id === id)?.cover ?? "").bytes(),
});

const song = (title: string, artist: string, cover?: Artwork): Partial<Playback> => ({
  source: "MPD",
  track: { id: title, title, durationMs: 214_000, explicit: false },
  artists: [artist],
  album: { name: "Coastlines", artworks: cover ? [cover] : [] },
  positionMs: 83_000,
});

const contents: Readonly<Record<string, Partial<Playback>>> = {
  usual: song("Night Drive to the Coast", "Mara Quill, Theo Banks", artwork("moonlight")),
  long: song(
    "Everything We Said We Would Do When the Summer Came Back to the Little House by the Sea (Live at the Old Observatory)",
    "Otto Lindqvist Ensemble",
    artwork("observatory"),
  ),
  short: song("Ash", "Ada", artwork("lanterns")),
  bare: song("Paper Lanterns", "Juniper Vale"),
  cjk: song("夜の庭で会いましょう", "青い硝子", artwork("garden")),
  arabic: song("ضوء القمر على الماء", "فرقة الياسمين", artwork("ferry")),
};

const sizes = [
  [500, 120],
  [320, 80],
  [1000, 240],
] as const;

const browser = await currentChromium.launch();
const wanted = process.argv[3];
for (const [width, height] of sizes) {
  if (wanted !== undefined && wanted !== `${width}x${height}`) continue;
  const cells: string[] = [];
  for (const [name, content] of Object.entries(contents)) {
    const server = await startTestServer();
    const ada = await server.addUser("ada");
    await server.sourceOf(ada).says(aPlayback({ ...content, observedAtMs: performance.now() }));
    for (const theme of themes) {
      for (const mode of name === "usual" ? ["dark", "light"] : ["dark"]) {
        const page = await browser.newPage({ viewport: { width, height } });
        await page.goto(
          `${server.url}/en/widget/${ada.widgetToken}?theme=${theme}&mode=${mode}&motion=none`,
        );
        await page.waitForFunction(() => document.documentElement.dataset["npState"] === "playing");
        await page.waitForTimeout(150);
        const png = await page.screenshot({ omitBackground: true });
        await page.close();
        const source = `data:image/png;base64,${png.toString("base64")}`;
        for (const background of name === "usual"
          ? Object.values(backgrounds)
          : [backgrounds["busy"]]) {
          cells.push(`<img style="background:${background}" src="${source}">`);
        }
      }
    }
    await server.stop();
  }
  const columns = width > 500 ? 2 : 3;
  const sheet = await browser.newPage({
    viewport: { width: columns * (width + 12) + 12, height: 100 },
  });
  await sheet.setContent(
    `<body style="margin:6px;background:#777;font-size:0">${cells.join("")}</body><style>img{margin:6px}</style>`,
  );
  await sheet.screenshot({ path: join(folder, `themes-${width}x${height}.png`), fullPage: true });
  await sheet.close();
}
await browser.close();
console.log(`Look at ${folder}`);
