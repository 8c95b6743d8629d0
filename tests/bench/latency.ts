import { currentChromium } from "../fixtures/browser/chromium.ts";
import { silentFlac } from "../fixtures/mpd/flac.ts";
import { runMarquee } from "../fixtures/servers/marquee-process.ts";
import { createMpdDaemon, mpdIsInstalled } from "../fixtures/mpd/mpd-daemon.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { median, quantile, type Row, startProduct } from "./measure.ts";
import { paintedAt } from "./painted.ts";

const CHANGES = 40;

/** Time from a command to a real MPD until a real browser paints the new title; covers cached. */
export async function benchLatency(): Promise<Row[]> {
  const what = "from a change at MPD to the overlay's pixels";
  if (!currentChromium.isInstalled || !mpdIsInstalled) {
    return [{ what, product: "needs chromium and mpd", reference: "", ratio: "", goal: "" }];
  }
  const folder = createTempFolder();
  const cover = await patternPicture("jpeg", 500);
  const song = (title: string) => silentFlac({ seconds: 600, tags: [["TITLE", title]], cover });
  const daemon = await createMpdDaemon({
    music: { "0.flac": song("Title 0"), "1.flac": song("Title 1") },
  });
  await daemon.command('add "0.flac"');
  await daemon.command('add "1.flac"');
  await daemon.command("play 0");

  const data = ["--data", folder.path];
  const run = (...given: string[]) =>
    runMarquee({ folder: folder.path, arguments: [...given, ...data] });
  const { widget_url } = JSON.parse((await run("user", "add", "ada", "--json")).out);
  await run("connect", "ada", "mpd", "--address", daemon.address);
  const product = await startProduct(folder.path);
  const browser = await currentChromium.launch();
  const page = await browser.newPage({ viewport: { width: 500, height: 120 } });
  await page.goto(`http://127.0.0.1:${product.port}${new URL(widget_url).pathname}`);
  await page.waitForFunction(() => document.querySelector(".np-title")?.textContent === "Title 0");

  const latencies: number[] = [];
  for (let change = 1; change <= CHANGES; change++) {
    const title = `Title ${change % 2}`;
    const painted = paintedAt(page, title);
    await Bun.sleep(100);
    const askedAtMs = performance.timeOrigin + performance.now();
    await daemon.command(`play ${change % 2}`);
    latencies.push((await painted) - askedAtMs);
  }
  await browser.close();
  await product.stop();
  await daemon.stop();
  folder.remove();
  return [
    {
      what,
      product: `${median(latencies).toFixed(0)} ms (p95 ${quantile(latencies, 0.95).toFixed(0)} ms)`,
      reference: "",
      ratio: "",
      goal: "≤ 60 ms",
    },
  ];
}
