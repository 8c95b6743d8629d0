import { readFileSync } from "node:fs";
import { join } from "node:path";
import { executableFor } from "../fixtures/servers/executable.ts";
import { runMarquee } from "../fixtures/servers/marquee-process.ts";
import { freePort, until } from "../fixtures/clock/waiting.ts";

/** A server that is measured. */
export interface Measured {
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from the start of the process to the first 200. */
  readonly startedInMs: number;
  stop(): Promise<void>;
}

const referencePath = join(import.meta.dir, "../../dist/bench-reference");

/** Compiles the reference server in the same way as the product. */
export function buildReference(): void {
  const source = join(import.meta.dir, "reference-server.ts");
  const flags = [
    "--compile",
    "--splitting",
    "--bytecode",
    "--format=esm",
    "--outfile",
    referencePath,
  ];
  const built = Bun.spawnSync([process.execPath, "build", source, ...flags]);
  if (!built.success) throw new Error(built.stderr.toString());
}

export function startReference(...bodyAndRung: readonly string[]): Promise<Measured> {
  const port = freePort();
  return start([referencePath, String(port), ...bodyAndRung], port, "/livez");
}

export function startProduct(folder: string, ...flags: string[]): Promise<Measured> {
  const port = freePort();
  return start(
    [executableFor().path, "--data", folder, "--port", String(port), ...flags],
    port,
    "/livez",
  );
}

async function start(command: string[], port: number, path: string): Promise<Measured> {
  const startedAtMs = performance.now();
  const child = Bun.spawn(command, { stdout: "ignore", stderr: "ignore" });
  const url = `http://127.0.0.1:${port}${path}`;
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    if (response) break;
    if (child.exitCode !== null) throw new Error(`${command[0]} ended with ${child.exitCode}`);
    await Bun.sleep(0.5);
  }
  const startedInMs = performance.now() - startedAtMs;
  return {
    port,
    pid: child.pid,
    startedInMs,
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

/** Runs a program of this folder to its end, and reads the JSON that it prints. */
export async function runClients<Result>(
  file: string,
  ...given: readonly unknown[]
): Promise<Result> {
  const words = given.map(String);
  const child = Bun.spawn([process.execPath, join(import.meta.dir, file), ...words], {
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(child.stdout).text());
}

export type Calls = readonly [p99Ms: number, longestMs: number];

/** Calls one after the other, from a process of their own: this one is busy. */
export const callSteadily = (url: string, key: string, seconds: number): Promise<Calls> =>
  runClients("steady-caller.ts", url, key, seconds);

/** Runs a command on a data folder, and reads the objects that it prints. */
export async function runCommand(folder: string, ...words: readonly string[]) {
  const ran = await runMarquee({ folder, arguments: [...words, "--json", "--data", folder] });
  const lines = ran.out.trim().split("\n");
  return lines.map((line): Record<string, string> => JSON.parse(line));
}

/** A server that has had nothing to do since its start gives memory back after so long. */
export const GIVEN_BACK_MS = 6_000;
/** The same for one that was used. */
export const GIVEN_BACK_AFTER_USE_MS = 40_000;

/** Memory of a process in KiB, once it has stopped changing. */
export async function restingMemoryKib(pid: number): Promise<number> {
  let last = 0;
  return until(async () => {
    await Bun.sleep(400);
    const now = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    const settled = Math.abs(now - last) < 64;
    last = now;
    return settled ? now : undefined;
  });
}

/** Memory in KiB that only this process has and that is in no file. */
export function privateMemoryKib(pid: number): number {
  const maps = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/Private_Dirty:\s+(\d+)/.exec(maps)?.[1]);
}

/** The unit of the times in /proc. */
const TICKS_A_SECOND = 100;

/** Processor time that all threads of a process have taken, in milliseconds. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND) * 1_000;
}

/** The share of one core that a process takes for some seconds, after others. */
export async function processorShare(
  pid: number,
  afterSeconds: number,
  seconds: number,
): Promise<number> {
  await Bun.sleep(afterSeconds * 1_000);
  const fromMs = performance.now();
  const beforeMs = processorMs(pid);
  await Bun.sleep(seconds * 1_000);
  return (processorMs(pid) - beforeMs) / (performance.now() - fromMs);
}

/** The value below which a share of the values lie; 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export interface Row {
  readonly what: string;
  readonly product: string;
  readonly reference: string;
  readonly ratio: string;
  readonly goal: string;
}

export const ratio = (value: number): string => value.toFixed(2);

/** A row of what is compared with nothing. */
export const row = (what: string, product: string, goal = ""): Row => ({
  ...{ what, product, goal },
  reference: "",
  ratio: "",
});
