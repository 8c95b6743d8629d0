import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { CALM_MS } from "../../src/channels/status-reporter.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { killWhileWriting } from "./kills.ts";
import { PLAYER_HOST } from "./names.ts";
import { type Overlays, secondsUntilRight, signInTo } from "./overlays.ts";
import type { Mode } from "./proxy.ts";
import type { Stage } from "./stage.ts";

export interface Accident {
  readonly name: string;
  /** Does it, and ends it again. Returns what was seen meanwhile. */
  happen(): Promise<string>;
}

export interface AccidentResult {
  readonly name: string;
  readonly seen: string;
  /** Until all overlays showed the right title; `undefined` when they did not in time. */
  readonly rightAfterSeconds: number | undefined;
  /** Lines that the log gained, warnings and errors. */
  readonly logLines: number;
  readonly wrong: string | undefined;
}

/** More is a flood: there are fewer streamers, and each may have a line or two. */
const MOST_LOG_LINES = 20;
/** A proxy drops what was idle for so long, which is less than the time between two beats. */
const IDLE_MS = 1_500;
const HOUR_SECONDS = 3_600;
/** Longer than an address of a name is remembered. */
const REMEMBERED_MS = 31_000;
/** More than fits. */
const DISK_BYTES = 512 * 2 ** 20;

/** How long an overlay sleeps once, where a run is long enough for it. */
const LONG_SLEEP_MS = 5 * 60_000;
const SHORT_SLEEP_MS = 60_000;

export function accidentsOf(
  stage: Stage,
  overlays: Overlays,
  isLongRun: boolean,
  random: () => number,
): Accident[] {
  const lastsMs = isLongRun ? 20_000 : 5_000;
  const sleeps = isLongRun ? [LONG_SLEEP_MS] : [];
  const status = async (path: string, key?: string) => {
    const headers: HeadersInit = key === undefined ? {} : { "X-Api-Key": key };
    const response = await fetch(stage.server.url + path, { headers });
    await response.text();
    return response.status;
  };
  const upstreams = (mode: Mode): Accident => ({
    name: `every player behind a proxy that ${mode}`,
    async happen() {
      for (const proxy of stage.proxies.upstreams) proxy.mode(mode);
      await Bun.sleep(lastsMs);
      const live = await status("/livez");
      for (const proxy of stage.proxies.upstreams) proxy.mode("passes");
      if (live !== 200) throw new Error(`/livez was ${live}`);
      return "the server stayed up";
    },
  });
  const killed: Accident = {
    name: "the server killed while keys are made",
    async happen() {
      const { done, readyMs } = await killWhileWriting(stage, random);
      // What was pushed lives in memory: the program pushes again, as it does with each track.
      await stage.pushed.next();
      return `${done} writes answered and kept, ready after ${readyMs.toFixed(0)} ms`;
    },
  };
  const stopped: Accident = {
    name: "the server stopped in its tracks",
    async happen() {
      process.kill(stage.server.pid, "SIGSTOP");
      await Bun.sleep(lastsMs);
      process.kill(stage.server.pid, "SIGCONT");
      return `for ${(lastsMs / 1000).toFixed(0)} s`;
    },
  };
  const asleep: Accident = {
    name: "an overlay put to sleep",
    async happen() {
      await overlays.sleep(true);
      const asleepMs = sleeps.shift() ?? SHORT_SLEEP_MS;
      const untilMs = performance.now() + asleepMs;
      while (performance.now() < untilMs) {
        for (const streamer of stage.streamers) await streamer.next();
        await Bun.sleep(5_000);
      }
      await overlays.sleep(false);
      return `for ${(asleepMs / 1000).toFixed(0)} s`;
    },
  };
  const dropped: Accident = {
    name: "a proxy drops an overlay's connections",
    async happen() {
      stage.proxies.front.dropAll();
      return "once";
    },
  };
  const idle: Accident = {
    name: "a proxy drops what is idle",
    async happen() {
      const gaps = await overlays.watchForGaps();
      const untilMs = performance.now() + lastsMs;
      let dropped = 0;
      while (performance.now() < untilMs) {
        dropped += stage.proxies.front.dropIdle(IDLE_MS);
        await Bun.sleep(100);
      }
      const missed = await gaps();
      const seen = `${dropped} connections, the overlay was gone at ${missed} moments`;
      if (dropped === 0 || missed > 0) throw new Error(seen);
      return seen;
    },
  };
  const jumped: Accident = {
    name: "the server's wall clock jumps by an hour",
    async happen() {
      const { wallClock } = stage;
      if (!wallClock) return "skipped: libfaketime is not installed";
      await stage.server.stop();
      await stage.restart(wallClock.environment);
      let asked = 0;
      const aheadBy = async () => {
        // A key may ask only every five seconds.
        const headers = { "X-Api-Key": stage.keys[asked++ % stage.keys.length] ?? "" };
        const response = await fetch(`${stage.server.url}/api/v1/now-playing`, { headers });
        const { meta }: { meta: { timestamp: number } } = await response.json();
        return meta.timestamp - Date.now() / 1000;
      };
      const seen: string[] = [];
      for (const ahead of [HOUR_SECONDS, -HOUR_SECONDS]) {
        await stage.pushed.next();
        wallClock.set(ahead);
        await until(async () => {
          await Bun.sleep(300);
          return Math.abs((await aheadBy()) - ahead) < 5 ? true : undefined;
        });
        // Right with what played before it, then with what comes after it.
        await secondsUntilRight(overlays);
        for (const streamer of stage.streamers) await streamer.next();
        seen.push(`${ahead} s: right after ${(await secondsUntilRight(overlays)).toFixed(1)} s`);
      }
      wallClock.set(0);
      await stage.server.stop();
      await stage.restart();
      return seen.join(", ");
    },
  };
  const nameless: Accident = {
    name: "a player's name resolves no more",
    async happen() {
      const { names } = stage;
      if (!names) return "skipped: host names of its own need root";
      // After another accident a connection counts as failing until it is calm, and is not told again.
      await until(() => (stage.proxies.named.open() > 0 ? true : undefined));
      await Bun.sleep(CALM_MS);
      const before = linesOf(stage);
      names.know(false);
      // An address is remembered for half a minute.
      await Bun.sleep(REMEMBERED_MS);
      for (const proxy of stage.proxies.upstreams) proxy.dropAll();
      await Bun.sleep(lastsMs);
      const found = stage.proxies.named.open();
      names.know(true);
      const said = linesOf(stage)
        .slice(before.length)
        .filter((line) => line.includes(PLAYER_HOST)).length;
      const seen = `${found} connections meanwhile, the log said so ${said} times`;
      if (found > 0 || said !== 1) throw new Error(seen);
      return seen;
    },
  };
  const locked: Accident = {
    name: "another program holds the database at a start",
    async happen() {
      await stage.server.stop();
      await stage.restart();
      using other = new Database(join(stage.data, "marquee.db"));
      other.run("PRAGMA busy_timeout = 10000");
      other.run("BEGIN IMMEDIATE");
      // Everybody's music begins, and how each connection does is to be stored.
      await Promise.all(stage.keys.map((key) => status("/api/v1/now-playing", key)));
      await stage.pushed.next();
      await Bun.sleep(lastsMs);
      other.run("COMMIT");
      const about = (word: string) => stage.server.log().split(word).length - 1;
      await until(() => (about("statuses are stored again") > 0 ? true : undefined));
      const said = about("statuses cannot be stored");
      const seen = `the log said ${said} times that statuses waited`;
      if (said !== 1) throw new Error(seen);
      return seen;
    },
  };
  const full: Accident = {
    name: "a full disk",
    async happen() {
      if (!stage.disk) return "skipped: a disk of its own needs root";
      const browser = await signInTo(stage);
      const filler = join(stage.data, "filler");
      await shrinkLog(join(stage.data, "marquee.db"));
      try {
        writeFileSync(filler, Buffer.alloc(DISK_BYTES));
      } catch {
        // Full, as intended.
      }
      // SQLite's log has some room left, which has to be used up first.
      let refused = 0;
      let written = 0;
      for (; refused === 0 && written < 500; written++) {
        const line = (at: number) => `${"no song ".repeat(12)}${written} ${at}`;
        const titles = Array.from({ length: 100 }, (_, at) => line(at)).join("\n");
        const answer = await browser.post("/en/dashboard/settings/privacy", {
          do: "privacy rules",
          titles,
        });
        if (answer.status !== 303) refused = answer.status;
      }
      // What it found is kept for a second.
      await Bun.sleep(1_100);
      const [ready, live] = [await status("/readyz"), await status("/livez")];
      const overlay = await status(`/en/widget/${stage.pushed.widgetToken}`);
      rmSync(filler);
      await until(async () => ((await status("/readyz")) === 200 ? true : undefined));
      const again = await browser.post("/en/dashboard/settings/privacy", {
        do: "privacy rules",
        titles: "",
      });
      const seen = `after ${written} writes one was answered ${refused}, /readyz ${ready}, /livez ${live}, an overlay ${overlay}, a write afterwards ${again.status}`;
      const all = [refused, ready, live, overlay, again.status];
      if (!Bun.deepEquals(all, [503, 503, 200, 200, 303])) throw new Error(seen);
      return seen;
    },
  };
  const frozen: Accident = {
    name: "the data turns read-only under the server",
    async happen() {
      const browser = await signInTo(stage);
      const save = async (titles: string) =>
        (await browser.post("/en/dashboard/settings/privacy", { do: "privacy rules", titles }))
          .status;
      // Not the index of the log, which is shared memory.
      const paths = ["", "marquee.db", "marquee.db-wal"].map((name) => join(stage.data, name));
      if (!stage.disk?.freeze(paths, true)) return "skipped: an ext4 disk of its own needs root";
      let seen = "";
      try {
        const write = await save("no song");
        await stage.pushed.next();
        await Bun.sleep(lastsMs);
        const [ready, live] = [await status("/readyz"), await status("/livez")];
        const overlay = await status(`/en/widget/${stage.pushed.widgetToken}`);
        const api = await status("/api/v1/now-playing", stage.keys[0]);
        seen = `a write was answered ${write}, /readyz ${ready}, /livez ${live}, an overlay ${overlay}, the API ${api}`;
        const all = [write, ready, live, overlay, api];
        if (!Bun.deepEquals(all, [503, 503, 200, 200, 200])) throw new Error(seen);
      } finally {
        stage.disk.freeze(paths, false);
      }
      await until(async () => ((await status("/readyz")) === 200 ? true : undefined));
      const again = await save("");
      seen += `, a write afterwards ${again}`;
      if (again !== 303) throw new Error(seen);
      return seen;
    },
  };
  const readOnly: Accident = {
    name: "a start on a read-only disk",
    async happen() {
      if (!stage.disk) return "skipped: a disk of its own needs root";
      await stage.server.stop();
      // This program holds the database open as well, so the mount itself cannot change.
      const mounted = Bun.spawnSync(["mount", "--bind", stage.data, stage.data]);
      const only = Bun.spawnSync(["mount", "-o", "remount,ro,bind", stage.data]);
      let seen = "it served";
      try {
        await stage.restart();
      } catch (error) {
        const sentence = /marquee: (.*\.)/.exec(String(error))?.[1];
        if (!sentence?.includes("read-only"))
          throw new Error("it ended without the reason", { cause: error });
        seen = `refused: ${sentence}`;
      } finally {
        if (mounted.success) Bun.spawnSync(["umount", "-l", stage.data]);
      }
      if (!only.success) return "skipped: the disk could not be made read-only";
      if (seen === "it served") await stage.server.stop();
      await stage.restart();
      await stage.pushed.next();
      return seen;
    },
  };
  return [
    ...[killed, stopped, asleep, dropped, idle, jumped, nameless],
    ...[full, frozen, readOnly, locked],
    ...(["is dead", "is half-open", "drips", "lies"] as const).map(upstreams),
  ];
}

/**
 * Gives the room of SQLite's log back to the disk. A log that was long before is written from its
 * beginning again, and so takes writes that a full disk would refuse.
 */
async function shrinkLog(path: string): Promise<void> {
  using database = new Database(path);
  const checkpoint = database.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)");
  await until(() => checkpoint.get()?.busy === 0 || undefined);
}

/** Lets an accident happen, and waits until all is right again. */
export async function suffer(
  accident: Accident,
  stage: Stage,
  overlays: Overlays,
): Promise<AccidentResult> {
  const before = linesOf(stage).length;
  let seen = "";
  let rightAfterSeconds: number | undefined;
  let wrong: string | undefined;
  try {
    seen = await accident.happen();
    // Everybody plays something else, so that nobody is right by having stood still.
    for (const streamer of stage.streamers) await streamer.next();
    rightAfterSeconds = await secondsUntilRight(overlays);
  } catch (error) {
    wrong = error instanceof Error ? error.message : String(error);
  }
  const lines = linesOf(stage).slice(before);
  if (lines.length > MOST_LOG_LINES) {
    wrong ??= `the log gained ${lines.length} lines, the last: ${lines.at(-1)}`;
  }
  return { name: accident.name, seen, rightAfterSeconds, logLines: lines.length, wrong };
}

/** What all servers of the run have logged of warnings and errors. */
const linesOf = ({ earlierLog, server }: Stage): string[] =>
  (earlierLog + server.log()).split("\n").filter((line) => / (warn|error) /.test(line));
