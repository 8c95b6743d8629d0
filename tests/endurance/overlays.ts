import type { Browser, Page } from "playwright-core";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { paintedAt } from "../bench/painted.ts";
import { engines, SOURCE_SIZE } from "../fixtures/browser/chromium.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { type SignedIn, signIn } from "../fixtures/http/signed-in.ts";
import type { Stage, Streamer } from "./stage.ts";

interface Overlay {
  readonly name: string;
  readonly streamer: Streamer;
  readonly page: Page;
  /** When the page was loaded: another time means that it was loaded again. */
  readonly loadedAtMs: number;
}

/** The overlays on screen, and a dashboard. */
export interface Overlays {
  readonly shown: readonly Overlay[];
  /** Times from a push until the new title was painted, in milliseconds. */
  readonly paintedMs: number[];
  /** JavaScript heaps of the pages, in MiB, at the beginning and now. */
  heaps(): Promise<number[]>;
  /** Pushes a title, and notes how long the first overlay takes to paint it. */
  measure(title: string): Promise<void>;
  /** Those that do not show what the API says, one sentence each. */
  stuck(): Promise<string[]>;
  /** Looks for moments in which the overlay behind the proxy shows nothing; ends with their number. */
  watchForGaps(): Promise<() => Promise<number>>;
  /** Puts one page to sleep, as a hidden source, or wakes it. */
  sleep(asleep: boolean): Promise<void>;
  readonly missing: readonly string[];
  close(): Promise<void>;
}

/** How many by OBS's engines, as in a large scene. */
const SCENE = { "127": 12, "103": 2 };

export async function openOverlays(stage: Stage): Promise<Overlays> {
  const { streamers, pushed, proxies } = stage;
  const missing: string[] = [];
  const browsers: Browser[] = [];
  const shown: Overlay[] = [];
  let behind: Page | undefined;
  // The pushed one comes first, and on each engine.
  const order = [pushed, ...streamers.filter((one) => one.name !== pushed.name)];
  for (const [version, count] of Object.entries(SCENE)) {
    const engine = engines.find(({ name }) => name.includes(version));
    if (!engine?.isInstalled) {
      missing.push(`Chromium ${version}`);
      continue;
    }
    const browser = await engine.launch();
    browsers.push(browser);
    for (let at = 0; at < count; at++) {
      const streamer = order[at % order.length] ?? pushed;
      const page = await browser.newPage({ viewport: SOURCE_SIZE });
      // One is behind a proxy that drops connections: of a player that speaks only now and then.
      const isBehind = version === "127" && streamer.name === "Jellyfin" && !behind;
      behind = isBehind ? page : behind;
      const origin = isBehind ? `http://127.0.0.1:${proxies.front.port}` : stage.server.url;
      await page.goto(`${origin}/en/widget/${streamer.widgetToken}?motion=none`);
      const loadedAtMs = await page.evaluate(() => performance.timeOrigin);
      shown.push({ name: `${streamer.name} in ${version}`, streamer, page, loadedAtMs });
    }
  }
  const dashboard = browsers[0] && (await openDashboard(stage, browsers[0]));

  const titleOf = async ({ page, loadedAtMs }: Overlay) => {
    const { title, origin } = await page.evaluate(() => ({
      title: document.querySelector(".np-title")?.textContent ?? "",
      origin: performance.timeOrigin,
    }));
    return origin === loadedAtMs ? title : "a page that was loaded again";
  };
  const first = shown.find(({ streamer }) => streamer === pushed);
  const paintedMs: number[] = [];
  return {
    ...{ shown, paintedMs, missing },
    async heaps() {
      return Promise.all(
        shown.map(async ({ page }) => {
          const session = await page.context().newCDPSession(page);
          await session.send("HeapProfiler.collectGarbage");
          const { usedSize } = await session.send("Runtime.getHeapUsage");
          await session.detach();
          return usedSize / 2 ** 20;
        }),
      );
    },
    async measure(title) {
      if (!first) return pushed.push(title);
      const painted = paintedAt(first.page, title);
      // Until the page looks out for it.
      await Bun.sleep(150);
      const sentAtMs = performance.timeOrigin + performance.now();
      await pushed.push(title);
      const atMs = await Promise.race([painted, Bun.sleep(5_000)]);
      if (typeof atMs === "number") paintedMs.push(atMs - sentAtMs);
    },
    async stuck() {
      const found = shown.map(async (overlay) => {
        const title = await titleOf(overlay).catch(() => "a page that is gone");
        const response = await nowPlaying(stage, overlay.streamer);
        const answer: { data?: { track: { name: string } } | null } = await response.json();
        const said = answer.data?.track.name;
        // A look of one line has the artist before the title.
        return said !== undefined && title.split(" – ").at(-1) === said
          ? []
          : [`${overlay.name} shows "${title}", the API says ${said ?? response.status}`];
      });
      return (await Promise.all(found)).flat();
    },
    async watchForGaps() {
      const page = behind;
      if (!page) return async () => 0;
      await page.evaluate(() => {
        let gaps = 0;
        const look = () => {
          const root = document.querySelector("[data-np-state]");
          const state = root?.getAttribute("data-np-state");
          const title = root?.querySelector(".np-title")?.textContent;
          const isShown =
            root && !root.hasAttribute("data-np-hidden") && state !== "offline" && title;
          if (!isShown) gaps += 1;
        };
        const looking = setInterval(look, 50);
        addEventListener(
          "gaps-wanted",
          () => {
            clearInterval(looking);
            document.body.dataset["gaps"] = String(gaps);
          },
          { once: true },
        );
      });
      return () =>
        page.evaluate(() => {
          dispatchEvent(new Event("gaps-wanted"));
          return Number(document.body.dataset["gaps"]);
        });
    },
    async sleep(asleep) {
      if (!first) return;
      const session = await first.page.context().newCDPSession(first.page);
      await session.send("Page.setWebLifecycleState", { state: asleep ? "frozen" : "active" });
      await session.detach();
    },
    async close() {
      await dashboard?.close();
      for (const browser of browsers) await browser.close();
    },
  };
}

/** The API's answer with a key that may ask now, or in some seconds on a machine that is busy. */
async function nowPlaying(stage: Stage, streamer: Streamer): Promise<Response> {
  const key = await freshKeyOf(stage, streamer);
  for (;;) {
    const headers = { "X-Api-Key": key };
    const response = await fetch(`${stage.server.url}/api/v1/now-playing`, { headers });
    if (response.status !== 429) return response;
    await Bun.sleep(1_000 * Number(response.headers.get("retry-after")));
  }
}

/** A key may ask only every five seconds, so that each look takes another one. */
const spare = new Map<string, string[]>();
const SPARE_KEYS = 20;
async function freshKeyOf({ command }: Stage, { user }: Streamer): Promise<string> {
  const keys = spare.get(user.name) ?? [];
  spare.set(user.name, keys);
  if (keys.length < SPARE_KEYS) {
    const [added] = await command("key", "add", user.name, "--name", `look ${keys.length}`);
    const key = String(added?.["api_key"]);
    keys.unshift(key);
    return key;
  }
  const oldest = keys.pop() ?? "";
  keys.unshift(oldest);
  return oldest;
}

/** A browser that is signed in, by default as the pushed streamer. */
export function signInTo(stage: Stage, user: AddedUser = stage.pushed): Promise<SignedIn> {
  const { command, server } = stage;
  const issue = async () => {
    const [link] = await command("login", user.user.name);
    return String(link?.["url"]).split("/").at(-1) ?? "";
  };
  const get = (path: string, init: RequestInit = {}) =>
    fetch(stage.server.url + path, { ...init, redirect: "manual" });
  return signIn({ accounts: { magicLinks: { issue } }, get }, user, server.url);
}

async function openDashboard(stage: Stage, browser: Browser): Promise<Page> {
  const { cookie } = await signInTo(stage);
  const [name = "", value = ""] = cookie.split("=");
  const context = await browser.newContext();
  await context.addCookies([{ name, value, url: stage.server.url }]);
  const page = await context.newPage();
  await page.goto(`${stage.server.url}/en/dashboard`);
  return page;
}

/** Seconds until all overlays show what the API says. @throws after fifteen, naming those that do not */
export async function secondsUntilRight(overlays: Overlays): Promise<number> {
  const startedAtMs = performance.now();
  let last: readonly string[] = [];
  try {
    await until(async () => {
      last = await overlays.stuck().catch((error: unknown) => [String(error)]);
      if (last.length === 0) return true;
      await Bun.sleep(400);
      return undefined;
    });
  } catch (error) {
    throw new Error(last.join("; ") || String(error), { cause: error });
  }
  return (performance.now() - startedAtMs) / 1000;
}
