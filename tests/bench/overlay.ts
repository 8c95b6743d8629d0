import { readdirSync, readFileSync } from "node:fs";
import type { Browser, CDPSession, Page } from "playwright-core";
import { type Engine, engines } from "../fixtures/browser/chromium.ts";
import { startTestServer } from "../fixtures/servers/listening-server.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { ratio, type Row } from "./measure.ts";

/**
 * Eight seconds after a page was opened V8 collects garbage once (`kLongDelayMs` in its memory-reducer.h):
 * as much work as several seconds of playing, which the calibration page, never navigated to, is spared.
 */
const SETTLE_MS = 12_000;
const USUAL_SECONDS = 20;
/** A title that turns pages or travels is measured over several turns. */
const LONG_TITLE_SECONDS = 60;

/** The cost of a page per second of wall time. */
interface Cost {
  readonly mainThreadMs: number;
  readonly layouts: number;
  /** Processor time of the renderer and GPU processes together. */
  readonly processesMs: number;
  readonly animations: number;
}

/** A page that only updates a bar and a clock once a second: the minimum work of an overlay. */
const CALIBRATION = `<!doctype html><style>
  body{margin:0;background:transparent;font:16px sans-serif;color:#fff}
  div{width:500px;height:120px;background:#11131a}
  i{display:block;height:4px;background:#8ab4ff;transform-origin:left}
</style><div><b>0:00</b><i></i></div><script>
  let seconds = 0;
  setInterval(() => {
    seconds += 1;
    document.querySelector("b").textContent = "0:" + String(seconds % 60).padStart(2, "0");
    document.querySelector("i").style.transform = "scaleX(" + (seconds % 60) / 60 + ")";
  }, 1000);
</script>`;

const LONG_TITLE = "A title that is much too long for any card of five hundred pixels "
  .repeat(3)
  .slice(0, 155);

const cases = [
  { what: "idle", state: null, title: "", query: "", goal: "≤ 0.5 ms, 0 layouts" },
  { what: "paused", state: "paused", title: "Short", query: "", goal: "≤ 0.5 ms, 0 layouts" },
  { what: "playing", state: "playing", title: "Short", query: "", goal: "≤ 1.2" },
  { what: "long title, pages", state: "playing", title: LONG_TITLE, query: "", goal: "≤ 3" },
  ...(["once", "auto", "off"] as const).map((marquee) => ({
    what: `long title, ${marquee}`,
    state: "playing" as const,
    title: LONG_TITLE,
    query: `marquee=${marquee}`,
    goal: marquee === "off" ? "≤ 1.2" : "",
  })),
] as const;

/**
 * The overlay's cost in each engine, compared with the calibration page in the same browser; alone:
 * `bun tests/bench/overlay.ts [engine, such as 103]`.
 */
export async function benchOverlay(which = ""): Promise<Row[]> {
  const rows: Row[] = [];
  for (const engine of engines.filter((one) => one.isInstalled && one.name.includes(which))) {
    rows.push(...(await benchEngine(engine)));
  }
  return rows;
}

async function benchEngine(engine: Engine): Promise<Row[]> {
  const browser = await engine.launch();
  const system = await browser.newBrowserCDPSession();
  const reference = await measure(browser, system, LONG_TITLE_SECONDS, (page) =>
    page.setContent(CALIBRATION),
  );
  const rows: Row[] = [];
  for (const { what, state, title, query, goal } of cases) {
    const server = await startTestServer();
    const ada = await server.addUser("ada");
    const track = { id: title, title, durationMs: 600_000, explicit: false };
    const observedAtMs = server.clock.monotonicMs();
    await server.sourceOf(ada).says(state && aPlayback({ state, track, observedAtMs }));
    const seconds = title === LONG_TITLE ? LONG_TITLE_SECONDS : USUAL_SECONDS;
    const cost = await measure(browser, system, seconds, async (page) => {
      await page.goto(`${server.url}/en/widget/${ada.widgetToken}?motion=full&${query}`);
    });
    await server.stop();
    rows.push({
      what: `${engine.name}: ${what}`,
      product: text(cost),
      reference: text(reference),
      ratio: ratio(cost.processesMs / reference.processesMs),
      goal,
    });
  }
  await browser.close();
  return rows;
}

async function measure(
  browser: Browser,
  system: CDPSession,
  seconds: number,
  open: (page: Page) => Promise<void>,
): Promise<Cost> {
  const page = await browser.newPage({ viewport: { width: 500, height: 120 } });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await open(page);
  await page.waitForTimeout(SETTLE_MS);
  const before = await look(session, system);
  await page.waitForTimeout(seconds * 1000);
  const after = await look(session, system);
  const animations = await page.evaluate(() => document.getAnimations().length);
  await page.close();
  const perSecond = (from: number, to: number) => (to - from) / seconds;
  return {
    mainThreadMs: perSecond(before.taskMs, after.taskMs),
    layouts: perSecond(before.layouts, after.layouts),
    processesMs: perSecond(before.processesMs, after.processesMs),
    animations,
  };
}

async function look(session: CDPSession, system: CDPSession) {
  const { metrics } = await session.send("Performance.getMetrics");
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  const { processInfo } = await system.send("SystemInfo.getProcessInfo");
  const drawing = processInfo.filter(({ type }) => /renderer|gpu/i.test(type));
  return {
    taskMs: metric("TaskDuration") * 1000,
    layouts: metric("LayoutCount"),
    processesMs: drawing.reduce((sum, { id }) => sum + processorMs(id), 0),
  };
}

/** Processor time of all threads of a process; the browser's own figure has steps of 10 ms. */
function processorMs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [nanoseconds = "0"] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(
      " ",
    );
    return sum + Number(nanoseconds) / 1e6;
  }, 0);
}

const text = (cost: Cost): string =>
  `${cost.mainThreadMs.toFixed(1)} ms main, ${cost.layouts.toFixed(1)} layouts, ${cost.processesMs.toFixed(1)} ms renderer + GPU, ${cost.animations} animations`;

if (import.meta.main) {
  for (const row of await benchOverlay(process.argv[2])) {
    console.log(`| ${row.what} | ${row.product} | ${row.reference} | ${row.ratio} | ${row.goal} |`);
  }
  process.exit(0);
}
