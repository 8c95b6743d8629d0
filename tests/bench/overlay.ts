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
/** As many overlays as the scenes of a large collection may hold. */
const MANY = 12;

/** The cost of a page per second of wall time. */
interface Cost {
  readonly mainThreadMs: number;
  readonly layouts: number;
  /** Processor time of the renderer and GPU processes together. */
  readonly processesMs: number;
  readonly animations: number;
}

/** What a page costs right after it was opened, and from then on. */
interface Costs {
  /** The first seconds, in which a long title turns its first page and garbage is collected once. */
  readonly settling: Cost;
  readonly settled: Cost;
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
  { what: "playing", state: "playing", title: "Short", query: "", goal: "≤ 1.5" },
  ...(["card", "vinyl"] as const).map((theme) => ({
    what: `playing, theme=${theme}`,
    state: "playing" as const,
    title: "Short",
    query: `theme=${theme}`,
    goal: theme === "card" ? "≤ 1.2" : "≤ 1.5",
  })),
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
  const measured = (seconds: number, open: (page: Page) => Promise<unknown>, pages = 1) =>
    measure({ browser, system, seconds, pages }, open);
  const calibrate = (page: Page) => page.setContent(CALIBRATION);
  const reference = await measured(LONG_TITLE_SECONDS, calibrate);
  const rowOf = (what: string, product: Cost, compared: Cost, goal = ""): Row => ({
    what: `${engine.name}: ${what}`,
    product: text(product),
    reference: text(compared),
    ratio: ratio(product.processesMs / compared.processesMs),
    goal,
  });
  const rows: Row[] = [];
  for (const { what, state, title, query, goal } of cases) {
    const isLong = title === LONG_TITLE;
    const { settling, settled } = await onServer({ state, title }, (address) =>
      measured(isLong ? LONG_TITLE_SECONDS : USUAL_SECONDS, (page) =>
        page.goto(`${address}?${query}`),
      ),
    );
    rows.push(rowOf(what, settled, reference.settled, goal));
    if (query === "" && state === "playing") {
      rows.push(rowOf(`${what}, its first ${SETTLE_MS / 1000} s`, settling, reference.settling));
    }
  }
  const ofMany = await measured(USUAL_SECONDS, calibrate, MANY);
  const many = await onServer({ state: "playing", title: "Short" }, (address) =>
    measured(USUAL_SECONDS, (page) => page.goto(address), MANY),
  );
  rows.push(rowOf(`${MANY} overlays, playing`, many.settled, ofMany.settled));
  await browser.close();
  return rows;
}

interface Playing {
  readonly state: "playing" | "paused" | null;
  readonly title: string;
}

/** Runs a measurement with the address of an overlay whose user plays this. */
async function onServer<Measured>(
  { state, title }: Playing,
  run: (address: string) => Promise<Measured>,
): Promise<Measured> {
  const server = await startTestServer();
  const ada = await server.addUser("ada");
  const track = { id: title, title, durationMs: 600_000, explicit: false };
  const observedAtMs = server.clock.monotonicMs();
  await server.sourceOf(ada).says(state && aPlayback({ state, track, observedAtMs }));
  const measured = await run(`${server.url}/en/widget/${ada.widgetToken}`);
  await server.stop();
  return measured;
}

interface Measuring {
  readonly browser: Browser;
  readonly system: CDPSession;
  readonly seconds: number;
  /** How many are open at once. The main thread and the layouts are those of the last one. */
  readonly pages: number;
}

async function measure(
  { browser, system, seconds, pages }: Measuring,
  open: (page: Page) => Promise<unknown>,
): Promise<Costs> {
  const viewport = { width: 500, height: 120 };
  const opened: Page[] = [];
  while (opened.length < pages) {
    const page = await browser.newPage({ viewport });
    opened.push(page);
    if (opened.length < pages) await open(page);
  }
  const [last] = opened.slice(-1);
  if (!last) throw new RangeError("no page is to be measured");
  const session = await last.context().newCDPSession(last);
  await session.send("Performance.enable");
  await open(last);
  const during = async (ms: number): Promise<Cost> => {
    const before = await look(session, system);
    await last.waitForTimeout(ms);
    const after = await look(session, system);
    const perSecond = (from: number, to: number) => ((to - from) / ms) * 1000;
    return {
      mainThreadMs: perSecond(before.taskMs, after.taskMs),
      layouts: perSecond(before.layouts, after.layouts),
      processesMs: perSecond(before.processesMs, after.processesMs),
      animations: await last.evaluate(() => document.getAnimations().length),
    };
  };
  const settling = await during(SETTLE_MS);
  const settled = await during(seconds * 1000);
  for (const page of opened) await page.close();
  return { settling, settled };
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
