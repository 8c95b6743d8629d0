import { expect, test as plainTest } from "bun:test";
import type { Page } from "playwright-core";
import { widgetScript } from "../../src/html/assets.ts";
import { startTestServer } from "../fixtures/servers/listening-server.ts";
import {
  animationsOf,
  coverOf,
  hiddenIs,
  inCurrentEngine,
  inOldestEngine,
  LONG_TITLE,
  measurementsOf,
  restsNow,
  stateIs,
  styleOf,
  titled,
  titleIs,
  withCover,
} from "../fixtures/browser/overlay-page.ts";
import { solidPicture } from "../fixtures/sources/pictures.ts";

const SCRIPT_BYTES = 8 * 1024;
const PAGE_BYTES = 16 * 1024;
const LAYOUTS_PER_SECOND = 1.2;
const HEAP_BYTES = 1024 * 1024;
const TRACKS = 1_000;

const red = coverOf("red", solidPicture("#c02050"));
const blue = coverOf("blue", solidPicture("#2050c0"));

plainTest("the overlay's script is at most 8 KB compressed", () => {
  expect(Bun.gzipSync(widgetScript.body).length).toBeLessThanOrEqual(SCRIPT_BYTES);
});

plainTest("all that the overlay loads, without covers, is at most 16 KB compressed", async () => {
  const server = await startTestServer();
  const ada = await server.addUser("ada");
  const page = await (await fetch(`${server.url}/fr/widget/${ada.widgetToken}?theme=glass`)).text();
  const paths = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
  const parts = await Promise.all(
    paths.map(async (path) => (await fetch(server.url + path)).text()),
  );
  await server.stop();
  expect(paths).toHaveLength(3);
  const bytes = [page, ...parts].reduce((sum, part) => sum + Bun.gzipSync(part).length, 0);
  expect(bytes).toBeLessThanOrEqual(PAGE_BYTES);
});

inOldestEngine("what the overlay costs", (stage) => {
  const { test } = stage;

  test("is one layout a second while playing, whether or not a title travels", async () => {
    await stage.plays({ ...titled(LONG_TITLE), artists: ["Ada"], ...withCover(red) });
    const { page: resting } = await stage.open("?motion=full&marquee=off");
    const { page: travelling } = await stage.open("?motion=full&hold=0&marquee=auto");
    await travelling.waitForFunction(() => document.getAnimations().length === 1);
    const perSecond = async (page: Page) => {
      const measure = await measurementsOf(page);
      /** The layouts so far, and the second that the card shows meanwhile. */
      const look = async () => {
        for (;;) {
          const second = await secondOf(page);
          const layouts = await layoutsOf(page, measure);
          if ((await secondOf(page)) === second) return { second, layouts };
        }
      };
      await nextSecond(page);
      const before = await look();
      for (let second = 1; second <= 3; second++) await nextSecond(page);
      // A slow machine may not have seen each.
      const after = await look();
      return (after.layouts - before.layouts) / (after.second - before.second);
    };
    const layouts = await Promise.all([perSecond(resting), perSecond(travelling)]);
    for (const count of layouts) {
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThanOrEqual(LAYOUTS_PER_SECOND);
    }
    expect(await animationsOf(travelling)).toBe(1);
  });

  test("is no node that is replaced while the clock runs", async () => {
    await stage.plays({ ...titled("Short"), artists: ["Ada"] });
    const { page } = await stage.open("?motion=full", { frozen: true });
    const replaced = await page.evaluateHandle(() => {
      const nodes: string[] = [];
      new MutationObserver((records) => {
        for (const { target } of records) nodes.push((target as Element).className);
      }).observe(document.body, { subtree: true, childList: true });
      return nodes;
    });
    const text = await page.textContent(".np-elapsed");
    await page.clock.runFor(3_000);
    expect(await page.textContent(".np-elapsed")).not.toBe(text);
    expect(await replaced.jsonValue()).toEqual([]);
  });

  test("is no drawing anew of what lies behind the words while the clock runs", async () => {
    await stage.plays({ ...titled("Short"), ...withCover(red) });
    const { page } = await stage.open("?theme=ambient&motion=full", { frozen: true });
    // Whatever uses a property is painted anew when any property changes that it inherits.
    const beats = () =>
      Promise.all([".np-label", ".np-backdrop"].map((part) => styleOf(page, part, "--np-beat")));
    const [drawn, behind] = await beats();
    await page.clock.runFor(3_000);
    expect(await beats()).toEqual([String(Number(drawn) + 3), behind ?? ""]);
  });

  for (const [what, query, says] of [
    ["idle", "?hideDelay=0&motion=full&hold=0", () => stage.hearsNothing()],
    ["idle and says so", "?idle=text&motion=full&hold=0", () => stage.hearsNothing()],
    [
      "paused",
      "?motion=full&hold=0",
      () => stage.plays({ ...titled(LONG_TITLE), state: "paused" }),
    ],
    [
      "hidden after a change",
      "?show=1&motion=full&hold=0",
      () => stage.plays({ ...titled("Next"), state: "paused" }),
    ],
  ] as const) {
    test(`is no layout, no animation and no write at all while ${what}`, async () => {
      await stage.plays(titled(LONG_TITLE));
      const { page } = await stage.open(query, { frozen: true });
      await says();
      await page.waitForFunction(() => document.documentElement.dataset["npState"] !== "playing");
      if (what === "hidden after a change") await page.clock.runFor(1_000);
      if (what === "idle" || what === "hidden after a change") await hiddenIs(page, true);
      await restsNow(page);
      const quiet = await watchQuiet(page);
      await page.clock.runFor(10_000);
      expect(await quiet()).toEqual({ layouts: 0, styles: 0, writes: 0, animations: 0 });
    });
  }

  test("is no message on the console and no request to another host, in a whole evening of states", async () => {
    await stage.plays(withCover(red));
    const { page, complaints, hosts } = await stage.open("?theme=glass&album=1&hideDelay=0");
    await stage.plays({ ...titled("Second"), ...withCover(blue) });
    await titleIs(page, "Second");
    await stage.plays({ ...titled("Second"), ...withCover(blue), state: "paused" });
    await stateIs(page, "paused");
    await stage.hearsNothing();
    await hiddenIs(page, true);
    await stage.plays({ ...titled(LONG_TITLE), ...withCover(red) });
    await titleIs(page, LONG_TITLE);
    await hiddenIs(page, false);
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(stage.server.url).host]);
  });
});

inCurrentEngine("what the overlay keeps", (stage) => {
  stage.test("is at most a megabyte after a thousand tracks", async () => {
    await stage.plays(withCover(red));
    const { page } = await stage.open("?motion=full&album=1");
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.enable");
    const weigh = async () => {
      await session.send("HeapProfiler.collectGarbage");
      const { usedSize } = await session.send("Runtime.getHeapUsage");
      const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters");
      return { usedSize, nodes, jsEventListeners };
    };
    const play = async (from: number, to: number) => {
      for (let number = from; number <= to; number++) {
        const cover = number % 2 === 0 ? red : blue;
        await stage.plays({ ...titled(`Track ${number}`), ...withCover(cover) });
        if (number % 20 === 0) await titleIs(page, `Track ${number}`);
      }
      await restsNow(page);
    };
    await play(1, 100);
    const before = await weigh();
    await play(101, 100 + TRACKS);
    const after = await weigh();
    expect(after.usedSize - before.usedSize).toBeLessThanOrEqual(HEAP_BYTES);
    expect(after.nodes - before.nodes).toBeLessThanOrEqual(20);
    expect(after.jsEventListeners).toBe(before.jsEventListeners);
  });
});

/** The second of the clock on the card. */
async function secondOf(page: Page): Promise<number> {
  const text = (await page.textContent(".np-elapsed")) ?? "";
  return text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** Waits until the clock on the card has changed. */
async function nextSecond(page: Page): Promise<void> {
  const text = await page.textContent(".np-elapsed");
  await page.waitForFunction(
    (before) => document.querySelector(".np-elapsed")?.textContent !== before,
    text,
  );
}

/** How many layouts there have been, one that is due included. */
async function layoutsOf(page: Page, measure: (name: string) => Promise<number>): Promise<number> {
  await page.evaluate(() => document.body.offsetWidth);
  return measure("LayoutCount");
}

/** Counts from here on what a quiet page does not do. */
async function watchQuiet(page: Page) {
  const measure = await measurementsOf(page);
  await page.evaluate(() => {
    const noted = { writes: 0 };
    Object.assign(window, { noted });
    const everything = { subtree: true, childList: true, attributes: true, characterData: true };
    new MutationObserver((records) => (noted.writes += records.length)).observe(
      document,
      everything,
    );
  });
  const layouts = await layoutsOf(page, measure);
  const styles = await measure("RecalcStyleCount");
  return async () => ({
    layouts: (await measure("LayoutCount")) - layouts,
    styles: (await measure("RecalcStyleCount")) - styles,
    writes: await page.evaluate(
      () => (window as unknown as { noted: { writes: number } }).noted.writes,
    ),
    animations: await animationsOf(page),
  });
}
