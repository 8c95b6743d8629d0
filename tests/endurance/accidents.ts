import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { until } from "../fixtures/clock/waiting.ts";
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

/** More is a flood. While other programs hold the database, each of the users may have a line. */
const MOST_LOG_LINES = 60;

/** A user may have no more than fifty that work, and this one has ten. */
const MOST_MADE = 35;
/** More than fits. */
const DISK_BYTES = 512 * 2 ** 20;

export function accidentsOf(
  stage: Stage,
  overlays: Overlays,
  lastsMs: number,
  random: () => number,
): Accident[] {
  const status = async (path: string) => {
    const response = await fetch(stage.server.url + path);
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
      const [owner = stage.pushed] = stage.crowd;
      const { keys } = stage.accounts;
      const browser = await signInTo(stage, owner);
      const told: string[] = [];
      let isDead = false;
      const making = (async () => {
        for (let at = 0; at < MOST_MADE && !isDead; at++) {
          const name = `told ${Date.now()} ${at}`;
          const answer = await browser
            .post("/en/dashboard/keys", { do: "add", name })
            .catch(() => undefined);
          if (answer && answer.status === 303) told.push(name);
          if (!answer) return;
        }
      })();
      await Bun.sleep(60 + random() * 200);
      await stage.server.kill();
      isDead = true;
      await making;
      const startedAtMs = performance.now();
      await stage.restart();
      const readyMs = performance.now() - startedAtMs;
      const names = (await keys.list(owner.user)).map(({ name }) => name);
      const lost = told.filter((name) => !names.includes(name));
      for (const { id, name } of await keys.list(owner.user)) {
        if (name.startsWith("told ")) await keys.revoke(owner.user, id).catch(() => {});
      }
      if (lost.length > 0) throw new Error(`${lost.length} keys that were told are lost`);
      // What was pushed lives in memory: the program pushes again, as it does with each track.
      await stage.pushed.next();
      return `${told.length} keys told and kept, ready after ${readyMs.toFixed(0)} ms`;
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
      await stage.pushed.next();
      await Bun.sleep(lastsMs);
      await overlays.sleep(false);
      return `for ${(lastsMs / 1000).toFixed(0)} s`;
    },
  };
  const dropped: Accident = {
    name: "a proxy drops an overlay's connections",
    async happen() {
      stage.proxies.front.dropAll();
      return "once";
    },
  };
  const full: Accident = {
    name: "a full disk",
    async happen() {
      if (!stage.ownDisk) return "skipped: a disk of its own needs root";
      const browser = await signInTo(stage);
      const filler = join(stage.data, "filler");
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
        const answer = await browser.post("/en/dashboard/privacy", { do: "rules", titles });
        if (answer.status !== 303) refused = answer.status;
      }
      const [ready, live] = [await status("/readyz"), await status("/livez")];
      const overlay = await status(`/en/widget/${stage.pushed.widgetToken}`);
      rmSync(filler);
      await until(async () => ((await status("/readyz")) === 200 ? true : undefined));
      const again = await browser.post("/en/dashboard/privacy", { do: "rules", titles: "" });
      const seen = `after ${written} writes one was answered ${refused}, /readyz ${ready}, /livez ${live}, an overlay ${overlay}, a write afterwards ${again.status}`;
      if (refused !== 503 || live !== 200 || overlay !== 200 || again.status !== 303) {
        throw new Error(seen);
      }
      return seen;
    },
  };
  const readOnly: Accident = {
    name: "a start on a read-only disk",
    async happen() {
      if (!stage.ownDisk) return "skipped: a disk of its own needs root";
      await stage.server.stop();
      // This program holds the database open as well, so the mount itself cannot change.
      const mounted = Bun.spawnSync(["mount", "--bind", stage.data, stage.data]);
      const only = Bun.spawnSync(["mount", "-o", "remount,ro,bind", stage.data]);
      let seen = "it served";
      try {
        await stage.restart();
      } catch (error) {
        const sentence = /marquee: (.*\.)/.exec(String(error))?.[1];
        if (!sentence) throw new Error("it ended without a sentence", { cause: error });
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
    ...[killed, stopped, asleep, dropped, full, readOnly],
    ...(["is dead", "is half-open", "drips", "lies"] as const).map(upstreams),
  ];
}

/** Lets an accident happen, and waits until all is right again. */
export async function suffer(
  accident: Accident,
  stage: Stage,
  overlays: Overlays,
): Promise<AccidentResult> {
  const logged = () => stage.earlierLog + stage.server.log();
  const before = logged().length;
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
  const lines = logged().slice(before).split("\n");
  const logLines = lines.filter((line) => / (warn|error) /.test(line)).length;
  if (logLines > MOST_LOG_LINES) wrong ??= `the log gained ${logLines} lines`;
  return { name: accident.name, seen, rightAfterSeconds, logLines, wrong };
}

/** Whether the database is whole and can be read, with everybody in it. */
export function integrityOf(data: string): string {
  const path = join(data, "marquee.db");
  if (!existsSync(path)) return "the database is gone";
  using database = new Database(path, { readonly: true });
  const [row] = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
  return row?.integrity_check ?? "no answer";
}
