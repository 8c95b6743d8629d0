import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { en } from "../../src/i18n/en.ts";
import {
  SHIPPED_LOOK_NAMES,
  type ShippedLookName,
  shippedLook,
} from "../../src/overlay/looks/shipped.ts";
import { engines } from "../fixtures/browser/chromium.ts";
import { PLAYED, windowsOf } from "../fixtures/looks/states.ts";
import { startTestServer } from "../fixtures/servers/listening-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

/**
 * Draws looks in all states and windows, a picture a look, for people to look at:
 * `bun run looks [folder] [--engine 103] [--states usual,long] [look …]`.
 */
const folders: string[] = [];
const looks: ShippedLookName[] = [];
let engineName = "127";
const NOTHING = "idle";
let states = [...Object.keys(PLAYED), NOTHING];
const words = process.argv.slice(2);
for (let word = words.shift(); word !== undefined; word = words.shift()) {
  const look = SHIPPED_LOOK_NAMES.find((name) => name === word);
  if (word === "--engine") engineName = words.shift() ?? "";
  else if (word === "--states") states = words.shift()?.split(",") ?? states;
  else if (look) looks.push(look);
  else folders.push(word);
}
const folder = folders[0] ?? join(import.meta.dir, "../../dist/looks");
mkdirSync(folder, { recursive: true });

/** A dark room, a bright desk, and a game in the middle of a fight. */
const GROUNDS = {
  busy: `radial-gradient(circle at 18% 30%, #ffd166 0 22px, transparent 24px),
    radial-gradient(circle at 72% 75%, #ef476f 0 34px, transparent 36px),
    repeating-linear-gradient(105deg, rgb(255 255 255 / 0.5) 0 6px, transparent 6px 26px),
    repeating-linear-gradient(15deg, rgb(0 0 0 / 0.55) 0 10px, transparent 10px 34px),
    conic-gradient(from 30deg at 60% 40%, #118ab2, #06d6a0, #e9c46a, #7b2cbf, #118ab2)`,
  white: "#ffffff",
  dark: "radial-gradient(circle at 70% 20%, #2a3350, #0b0d13 70%)",
};
/** The ground and the scale of each window's picture, in the order of the windows. */
const CELLS = [
  [GROUNDS.busy, 1],
  [GROUNDS.white, 1],
  [GROUNDS.dark, 0.5],
  [GROUNDS.busy, 0.3],
] as const;
const GAP_PX = 10;

const engine = engines.find(({ name }) => name.includes(engineName));
if (!engine?.isInstalled) throw new Error(`There is no engine called ${engineName}.`);
const browser = await engine.launch();
for (const name of looks.length > 0 ? looks : SHIPPED_LOOK_NAMES) {
  await Bun.write(join(folder, `${name}.png`), await drawLook(browser, name));
  console.log(name);
}
await browser.close();
console.log(`Look at ${folder}`);

async function drawLook(browser: Browser, name: ShippedLookName): Promise<Buffer> {
  const look = shippedLook(name, en);
  const windows = windowsOf(look);
  const server = await startTestServer();
  const ada = await server.addUser("ada");
  const { id, revision } = await server.accounts.widgets.first(ada.user);
  await server.accounts.widgets.save(ada.user, id, look, { basedOn: revision });
  const pages = await Promise.all(
    windows.map(async (viewport) => {
      const page = await browser.newPage({ viewport });
      await page.goto(`${server.url}/en/widget/${ada.widgetToken}?idle=text`);
      return page;
    }),
  );
  const isTall = (windows[0]?.height ?? 0) > 250;
  const rows: string[] = [];
  for (const state of states) {
    const playback = state === NOTHING ? null : PLAYED[state];
    if (playback === undefined) throw new Error(`There is no state called ${state}.`);
    const observedAtMs = server.clock.monotonicMs();
    await server.sourceOf(ada).says(playback && aPlayback({ ...playback, observedAtMs }));
    await Bun.sleep(900);
    const cells: string[] = [];
    for (const [at, page] of pages.entries()) {
      const [ground, scale] = CELLS[at] ?? [GROUNDS.dark, 1];
      const { width, height: whole } = windows[at] ?? { width: 0, height: 0 };
      // A look that is not tall leaves the rest of a tall source empty.
      const height = isTall ? whole : Math.min(whole, 300 / scale / 2);
      const clip = { x: 0, y: 0, width, height };
      const png = await page.screenshot({ omitBackground: true, clip });
      const source = png.toString("base64");
      cells.push(
        `<td><p style="background:${ground};width:${width * scale}px;height:${height * scale}px">
          <img width="${width * scale}" src="data:image/png;base64,${source}"></p>`,
      );
    }
    rows.push(`<tr><th>${state}${cells.join("")}`);
  }
  for (const page of pages) await page.close();
  await server.stop();

  const width = windows.reduce(
    (sum, one, at) => sum + one.width * (CELLS[at]?.[1] ?? 1) + GAP_PX,
    90,
  );
  const sheet = await browser.newPage({ viewport: { width: Math.ceil(width), height: 100 } });
  await sheet.setContent(
    `<style>body{margin:0;background:#777;font:14px sans-serif} p{margin:${GAP_PX / 2}px;overflow:hidden}
     img{display:block} td{padding:0;vertical-align:top} th{width:80px;vertical-align:top;padding-top:8px}</style>
     <table cellspacing="0">${rows.join("")}</table>`,
  );
  const png = await sheet.screenshot({ fullPage: true });
  await sheet.close();
  return png;
}
