import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { METRICS_TOKEN } from "./stage.ts";

/** What a server is like at one moment. */
export interface Sample {
  readonly atSeconds: number;
  readonly rssMib: number;
  readonly anonymousMib: number;
  readonly descriptors: number;
  readonly sockets: number;
  readonly logKib: number;
  readonly dataMib: number;
  /** The time for an answer that does nothing. */
  readonly answerMs: number;
  /** Of one processor since the sample before: the server, and the browsers of the overlays. */
  readonly cpuPercent: number;
  readonly browsersCpuPercent: number;
  /** From the last push until it was painted; 0 before the first. */
  readonly paintMs: number;
  /** The longest of the last calls of the API. */
  readonly apiMs: number;
  /** The last that the server has said of its event loop; 0 before the first. */
  readonly loopP99Ms: number;
}

/** What the callers, the overlays and the server itself have measured. */
export interface Latencies {
  readonly paintMs: number;
  readonly apiMs: number;
  readonly loopP99Ms: number;
}

/** How late the server says that its event loop was since it was asked before. */
export interface LoopDelay {
  readonly medianMs: number;
  readonly p99Ms: number;
}

const TICKS_PER_SECOND = 100;

export function createSampler(startedAtMs: number) {
  let before: { pid: number; ticks: number; browserTicks: number; atMs: number } | undefined;
  return async (
    { pid, url, log }: { readonly pid: number; readonly url: string; log(): string },
    folder: string,
    latencies: Latencies,
  ): Promise<Sample> => {
    const askedAtMs = performance.now();
    await (await fetch(`${url}/livez`)).text();
    const nowMs = performance.now();
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const mib = (name: string) =>
      Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
    const ticks = ticksOf(pid);
    const browserTicks = browserTicksNow();
    const last = before?.pid === pid ? before : { ticks, browserTicks, atMs: -Infinity };
    const percent = (now: number, then: number) =>
      (Math.max(0, now - then) / TICKS_PER_SECOND / ((nowMs - last.atMs) / 1000)) * 100;
    before = { pid, ticks, browserTicks, atMs: nowMs };
    return {
      atSeconds: (nowMs - startedAtMs) / 1000,
      rssMib: mib("VmRSS"),
      anonymousMib: mib("RssAnon"),
      ...descriptorsOf(pid),
      logKib: log().length / 1024,
      dataMib: sizeOf(folder) / 2 ** 20,
      answerMs: nowMs - askedAtMs,
      cpuPercent: percent(ticks, last.ticks),
      browsersCpuPercent: percent(browserTicks, last.browserTicks),
      ...latencies,
    };
  };
}

/** Asks the server's metrics; `undefined` when it does not know yet. */
export async function loopDelayOf(url: string): Promise<LoopDelay | undefined> {
  const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  const [medianMs = NaN, p99Ms = NaN] = ["50", "99"].map((percentile) => {
    const name = `marquee_event_loop_delay_seconds{percentile="${percentile}"} `;
    return Number(text.split(name)[1]?.split("\n")[0]) * 1_000;
  });
  return Number.isFinite(p99Ms) ? { medianMs, p99Ms } : undefined;
}

/** Processor time of a process, in clock ticks. */
function ticksOf(pid: number): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
  return user + system;
}

/** Processor time of the browsers that this program has started, and of their children. */
function browserTicksNow(): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!(pid > 0)) continue;
    try {
      const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
      parents.set(pid, Number(fields.split(" ")[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === process.pid || isOurs(parents.get(pid)));
  return [...parents.keys()].reduce((sum, pid) => {
    try {
      const isBrowser = /chrom/.test(readFileSync(`/proc/${pid}/comm`, "utf8"));
      return isBrowser && isOurs(pid) ? sum + ticksOf(pid) : sum;
    } catch {
      return sum;
    }
  }, 0);
}

export function descriptorsOf(pid: number): { descriptors: number; sockets: number } {
  const folder = `/proc/${pid}/fd`;
  const targets = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      return "";
    }
  });
  const sockets = targets.filter((target) => target.startsWith("socket:")).length;
  return { descriptors: targets.length, sockets };
}

const sizeOf = (folder: string): number =>
  readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

/** Collections come every few seconds: what is left after them is the least of so long. */
const FLOOR_SECONDS = 30;

export interface Growth {
  readonly perHour: number;
  /** The true growth is within so much of it, in 19 of 20 cases; infinite for too few samples. */
  readonly plusMinus: number;
}

/** How much the least of each half minute grows, by least squares. */
export function growthOf(samples: readonly Sample[], value: (sample: Sample) => number): Growth {
  const pieces = Map.groupBy(samples, ({ atSeconds }) => Math.floor(atSeconds / FLOOR_SECONDS));
  const points = [...pieces].map(
    ([piece, within]) => [piece * FLOOR_SECONDS, Math.min(...within.map(value))] as const,
  );
  const count = points.length;
  if (count < 3) return { perHour: NaN, plusMinus: Infinity };
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / count;
  const [meanX, meanY] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const rest = points.reduce((sum, [x, y]) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  const error = Math.sqrt(rest / (count - 2) / spread);
  return { perHour: slope * 3_600, plusMinus: 2 * error * 3_600 };
}
