import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";

/** What a server is like at one moment. */
export interface Sample {
  readonly atSeconds: number;
  readonly rssMib: number;
  readonly anonymousMib: number;
  readonly descriptors: number;
  readonly sockets: number;
  readonly logKib: number;
  readonly dataMib: number;
  /** The time for an answer that does nothing: what the event loop was late, and the way. */
  readonly loopDelayMs: number;
  /** Of one processor since the sample before. */
  readonly cpuPercent: number;
}

const TICKS_PER_SECOND = 100;

export function createSampler(startedAtMs: number) {
  let before: { readonly pid: number; readonly ticks: number; readonly atMs: number } | undefined;
  return async (
    { pid, url, log }: { readonly pid: number; readonly url: string; log(): string },
    folder: string,
  ): Promise<Sample> => {
    const askedAtMs = performance.now();
    await (await fetch(`${url}/livez`)).text();
    const nowMs = performance.now();
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const mib = (name: string) =>
      Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
    const ticks = ticksOf(pid);
    const spent = before?.pid === pid ? ticks - before.ticks : 0;
    const wallMs = before?.pid === pid ? nowMs - before.atMs : Infinity;
    before = { pid, ticks, atMs: nowMs };
    return {
      atSeconds: (nowMs - startedAtMs) / 1000,
      rssMib: mib("VmRSS"),
      anonymousMib: mib("RssAnon"),
      ...descriptorsOf(pid),
      logKib: log().length / 1024,
      dataMib: sizeOf(folder) / 2 ** 20,
      loopDelayMs: nowMs - askedAtMs,
      cpuPercent: (spent / TICKS_PER_SECOND / (wallMs / 1000)) * 100,
    };
  };
}

/** Processor time of a process, in clock ticks. */
function ticksOf(pid: number): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
  return user + system;
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

/** How much a value grows in an hour, by least squares. */
export function slopePerHour(
  samples: readonly Sample[],
  value: (sample: Sample) => number,
): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const [x, y] = [mean(({ atSeconds }) => atSeconds), mean(value)];
  const [above, below] = samples.reduce(
    ([top, bottom], sample) => {
      const distance = sample.atSeconds - x;
      return [top + distance * (value(sample) - y), bottom + distance * distance] as const;
    },
    [0, 0] as readonly [number, number],
  );
  return below === 0 ? 0 : (above / below) * 3_600;
}
