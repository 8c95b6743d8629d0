import type { Browser, BrowserContextOptions } from "playwright-core";
import { DOCUMENTS } from "../fixtures/docs/documents.ts";
import { en } from "../../src/i18n/en.ts";
import { SECTION_NAMES, sectionPath } from "../../src/html/section-paths.ts";
import { currentChromium } from "../fixtures/browser/chromium.ts";
import { startMarquee } from "../fixtures/servers/marquee-process.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { median, ratio, type Row } from "./measure.ts";

const LOADS = 5;

/** A minimal page that is still painted. */
const CALIBRATION = "<!doctype html><title>empty</title><p>empty";

const pages = [
  ...SECTION_NAMES.map((name) => ({ path: sectionPath(name), goal: "≤ 200 ms" })),
  ...["docs", ...[...DOCUMENTS, "reference"].map((name) => `docs/${name}`)].map((path) => ({
    path,
    goal: "≤ 150 ms",
  })),
];

/** Time until a page of the dashboard or the documentation is first painted. */
export async function benchPages(): Promise<Row[]> {
  if (!currentChromium.isInstalled) return [];
  const folder = createTempFolder();
  const marquee = await startMarquee({ folder: folder.path });
  const reference = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(CALIBRATION, { headers: { "Content-Type": "text/html" } }),
  });
  const browser = await currentChromium.launch();
  const signedIn = await signIn(browser, marquee.ready["login_url"] ?? "");

  const rows: Row[] = [];
  for (const { path, goal } of pages) {
    const product: number[] = [];
    const calibration: number[] = [];
    for (let load = 0; load < LOADS; load++) {
      calibration.push(await firstPaintMs(browser, reference.url.href));
      product.push(await firstPaintMs(browser, `${marquee.url}/en/${path}`, signedIn));
    }
    rows.push({
      what: `first contentful paint of /en/${path}, median / worst`,
      product: text(product),
      reference: text(calibration),
      ratio: ratio(median(product) / median(calibration)),
      goal,
    });
  }
  await browser.close();
  await reference.stop(true);
  await marquee.stop();
  folder.remove();
  return rows;
}

/** Signs in with a magic link; returns the browser's stored state. */
async function signIn(browser: Browser, loginUrl: string): Promise<BrowserContextOptions> {
  const page = await browser.newPage();
  await page.goto(loginUrl);
  await page.getByRole("button", { name: en.signIn.confirm }).click();
  await page.waitForURL("**/dashboard");
  const storageState = await page.context().storageState();
  await page.close();
  return { storageState };
}

/** Milliseconds from the start of the navigation, with nothing in the browser's cache. */
async function firstPaintMs(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<number> {
  const page = await browser.newPage(options);
  await page.goto(address);
  const paintedMs = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const observer = new PerformanceObserver((list) => {
          const [paint] = list.getEntriesByName("first-contentful-paint");
          if (paint) resolve(paint.startTime);
        });
        observer.observe({ type: "paint", buffered: true });
      }),
  );
  await page.close();
  return paintedMs;
}

const text = (valuesMs: readonly number[]): string =>
  `${median(valuesMs).toFixed(0)} / ${Math.max(...valuesMs).toFixed(0)} ms`;
