/**
 * `bun run endurance [--minutes 30] [--seed N] [--accidents]`: the executable under the load of a
 * stream, and accidents. `--kills 500` does nothing but kill it while it writes, `--commands 1000` nothing
 * but run commands while callers ask. Ends with tables, and with 1 only for what is wrong in itself.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, quantile } from "../bench/measure.ts";
import { until } from "../fixtures/clock/waiting.ts";
import { buildExecutable } from "../fixtures/servers/executable.ts";
import { seededRandom } from "../fixtures/spotify/listening.ts";
import { type AccidentResult, accidentsOf, suffer } from "./accidents.ts";
import { runManyCommands } from "./commands.ts";
import { gather } from "./crowd.ts";
import { integrityOf } from "./integrity.ts";
import { killAgainAndAgain } from "./kills.ts";
import { openOverlays, secondsUntilRight } from "./overlays.ts";
import { type Mark, plotOf } from "./plot.ts";
import {
  createSampler,
  descriptorsOf,
  growthOf,
  type LoopDelay,
  loopDelayOf,
  type Sample,
} from "./samples.ts";
import { setStage } from "./stage.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    seed: { type: "string" },
    /** Only accidents, again and again, without the quiet part before them. */
    accidents: { type: "boolean", default: false },
    /** Only accidents whose name has this in it. */
    only: { type: "string", default: "" },
    /** Only kills, so many. */
    kills: { type: "string", default: "0" },
    /** Only commands beside callers, so many. */
    commands: { type: "string", default: "0" },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const kills = Number(values.kills);
const commands = Number(values.commands);
const isCount = (count: number) => Number.isSafeInteger(count) && count >= 0;
if (!(minutes > 0) || !Number.isSafeInteger(seed) || !isCount(kills) || !isCount(commands)) {
  console.error(
    "endurance: --minutes must be more than 0, --seed a whole number, --kills and --commands ones that are not negative.",
  );
  process.exit(2);
}

const SAMPLE_EVERY_MS = 2_000;
/** Enough for a 99th percentile of what is measured twenty times a second. */
const LOOP_EVERY_MS = 15_000;
const TRACK_EVERY_MS = 4_000;
/** Connections that send nothing stay for 130 seconds, channels and sources for one minute. */
const SETTLE_MS = 145_000;
const WARM_UP_SHARE = 0.25;
/** Of the time, for the load without accidents. */
const QUIET_SHARE = 0.55;

const random = seededRandom(seed);
// Its own: what callers pick depends on how fast the machine is, and the accidents must not.
const callersRandom = seededRandom(seed + 1);
const lengthMs = minutes * 60_000;
console.log(
  `endurance: ${kills > 0 ? `${kills} kills` : commands > 0 ? `${commands} commands` : `${minutes} minutes`}, seed ${seed}, ${cpus().length} processors`,
);
await buildExecutable();
const startedAtMs = performance.now();
const endAtMs = startedAtMs + lengthMs;
const stage = await setStage();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stage.stop().finally(() => process.exit(130)));
}
if (kills > 0) {
  const wrongs = await killAgainAndAgain(stage, kills, random);
  await stage.stop();
  end(wrongs);
}
if (commands > 0) {
  const crowd = gather(stage, callersRandom);
  const wrongs = await runManyCommands(stage, commands);
  await crowd.stop();
  const integrity = integrityOf(stage.data);
  await stage.stop();
  end([...wrongs, ...crowd.wrongs, ...(integrity === "ok" ? [] : [`the database: ${integrity}`])]);
}
const idle = descriptorsOf(stage.server.pid);
const overlays = await openOverlays(stage);
const missing = [...stage.missing, ...overlays.missing];
if (missing.length > 0) console.log(`not installed, and so not followed: ${missing.join(", ")}`);
console.log(
  `${overlays.shown.length} overlays: ${overlays.shown.map(({ name }) => name).join(", ")}`,
);
const crowd = gather(stage, callersRandom);
const samples: Sample[] = [];
const marks: Mark[] = [];
const wrongs = crowd.wrongs;
// There, everything has to be installed.
if (process.env["CI"] === "true") wrongs.push(...missing.map((part) => `${part} is not installed`));
const sample = createSampler(startedAtMs);
let isOver = false;
let inAccident = false;

const loopDelays: LoopDelay[] = [];
const sampling = (async () => {
  let asked = 0;
  let loopAtMs = -Infinity;
  while (!isOver) {
    await Bun.sleep(SAMPLE_EVERY_MS);
    if (inAccident) continue;
    const apiMs = Math.max(0, ...crowd.latenciesMs.slice(asked));
    asked = crowd.latenciesMs.length;
    const paintMs = overlays.paintedMs.at(-1) ?? 0;
    if (performance.now() - loopAtMs >= LOOP_EVERY_MS) {
      loopAtMs = performance.now();
      const delay = await loopDelayOf(stage.server.url).catch(() => undefined);
      if (delay) loopDelays.push(delay);
    }
    const latencies = { apiMs, paintMs, loopP99Ms: loopDelays.at(-1)?.p99Ms ?? 0 };
    // A server that was just killed is not sampled.
    const one = await sample(stage.server, stage.data, latencies).catch(() => undefined);
    if (one) samples.push(one);
  }
})();
let tracks = 0;
const playing = (async () => {
  while (!isOver) {
    await Bun.sleep(TRACK_EVERY_MS);
    if (inAccident) continue;
    for (const streamer of stage.streamers) {
      if (streamer.name !== stage.pushed.name) await streamer.next().catch(() => {});
    }
    await overlays.measure(`Track ${(tracks += 1)}`).catch(() => {});
  }
})();

const heapsBefore = await overlays.heaps();
const quietMs = values.accidents ? 5_000 : lengthMs * QUIET_SHARE;
while (performance.now() < startedAtMs + quietMs) await Bun.sleep(500);
const quiet = [...samples];
const quietLoop = loopDelays.slice(Math.floor(loopDelays.length * WARM_UP_SHARE));
const quietPaintedMs = [...overlays.paintedMs];
const quietLatenciesMs = [...crowd.latenciesMs];
const quietLogKib = stage.server.log().length / 1024;
const heapsAfter = await overlays.heaps();

/** Each once, then again in another order. */
const results: AccidentResult[] = [];
const accidents = accidentsOf(stage, overlays, minutes >= 20, random).filter(({ name }) =>
  name.includes(values.only),
);
const shuffled = () =>
  accidents
    .map((accident) => ({ accident, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ accident }) => accident);
let next = shuffled();
while (results.length < accidents.length || performance.now() < endAtMs - SETTLE_MS) {
  if (next.length === 0) next = shuffled();
  const [accident, ...rest] = next;
  next = rest;
  if (!accident) break;
  marks.push({ atSeconds: (performance.now() - startedAtMs) / 1000, name: accident.name });
  console.log(`accident: ${accident.name}`);
  inAccident = true;
  crowd.pause();
  await Bun.sleep(1_500);
  const result = await suffer(accident, stage, overlays);
  results.push(result);
  if (result.wrong) console.log(`  wrong: ${result.wrong}`);
  inAccident = false;
  crowd.goOn();
  await Bun.sleep(2_000);
}

isOver = true;
await Promise.all([sampling, playing]);
const last = "The Last Track";
await stage.pushed.push(last);
await until(() => crowd.told.every((title) => title === last) || undefined).catch(() =>
  wrongs.push(`event streams told ${crowd.told.join(", ")} instead of "${last}"`),
);
await crowd.stop();
for (const streamer of stage.streamers) {
  if (streamer.name !== stage.pushed.name) await streamer.next();
}
const atTheEnd = await secondsUntilRight(overlays).then(
  (seconds) => seconds,
  (error: unknown) => void wrongs.push(`at the end: ${String(error)}`),
);
const titleFile = join(stage.files, "json", "title.txt");
await Bun.sleep(2_000);
const written = existsSync(titleFile) ? readFileSync(titleFile, "utf8").trim() : "nothing";
if (written !== last) wrongs.push(`the file says "${written}" instead of "${last}"`);
await overlays.close();
const leftUntilMs = performance.now() + SETTLE_MS;
let left = descriptorsOf(stage.server.pid).descriptors - idle.descriptors;
while (left > 4 && performance.now() < leftUntilMs) {
  await Bun.sleep(1_000);
  left = descriptorsOf(stage.server.pid).descriptors - idle.descriptors;
}
const log = stage.earlierLog + stage.server.log();
const pid = stage.server.pid;
const lastMemory = samples.at(-1)?.rssMib ?? 0;
const integrity = integrityOf(stage.data);
await stage.stop();

if (integrity !== "ok") wrongs.push(`the database: ${integrity}`);
if (left > 10) wrongs.push(`${left} descriptors of process ${pid} are left behind`);
const errors = log.split("\n").filter((line) => / error /.test(line));
for (const { name, wrong } of results) if (wrong) wrongs.push(`${name}: ${wrong}`);

const warm = quiet.slice(Math.floor(quiet.length * WARM_UP_SHARE));
const at = (figures: readonly number[], share: number) => quantile(figures, share);
const row = (what: string, value: number, bound: number, unit: string) =>
  `| ${what} | ${Number.isFinite(value) ? value.toFixed(1) : "no"} ${unit} | ≤ ${bound} ${unit} | ${Number.isFinite(value) && value <= bound ? "yes" : "no"} |`;
const growthRow = (
  what: string,
  value: (sample: Sample) => number,
  bound: number,
  unit: string,
): string => {
  const { perHour, plusMinus } = growthOf(warm, value);
  const isShort = !Number.isFinite(plusMinus);
  const figure = isShort ? "too short" : `${perHour.toFixed(1)} ± ${plusMinus.toFixed(1)} ${unit}`;
  const isOpen = isShort || Math.abs(perHour - bound) <= plusMinus;
  const kept = isOpen ? "cannot be said" : perHour <= bound ? "yes" : "no";
  return `| ${what} | ${figure} | ≤ ${bound} ${unit} | ${kept} |`;
};
const hours = (warm.at(-1)?.atSeconds ?? 0) / 3_600;
const growth = heapsAfter.map((heap, index) => heap - (heapsBefore[index] ?? 0));
console.log(`
| Measured without accidents, ${warm.length} samples after the warm-up | | bound | kept |
|---|---|---|---|
${growthRow("growth of memory (RSS), an hour", ({ rssMib }) => rssMib, 1, "MiB")}
${growthRow("growth of its own memory, an hour", ({ anonymousMib }) => anonymousMib, 1, "MiB")}
${growthRow("growth of descriptors, an hour", ({ descriptors }) => descriptors, 60, "")}
${row("descriptors left when all have gone", left, 4, "")}
${row("event loop, median", median(quietLoop.map(({ medianMs }) => medianMs)), 50, "ms")}
${row("event loop, p99, usually", median(quietLoop.map(({ p99Ms }) => p99Ms)), 50, "ms")}
${row("event loop, p99, the worst quarter of a minute", Math.max(...quietLoop.map(({ p99Ms }) => p99Ms)), 50, "ms")}
${row(
  "an empty answer, p99",
  at(
    warm.map(({ answerMs }) => answerMs),
    0.99,
  ),
  50,
  "ms",
)}
${row("a push to pixels, median", median(quietPaintedMs), 60, "ms")}
${row("a push to pixels, p95", at(quietPaintedMs, 0.95), 60, "ms")}
${row("API, p99", at(quietLatenciesMs, 0.99), 20, "ms")}
${row("log, a day at this load", (quietLogKib / 1024 / Math.max(hours, 1e-6)) * 24, 1, "MiB")}
${row("overlays' heaps, growth of the worst", Math.max(0, ...growth), 1, "MiB")}

Memory ${(samples[0]?.rssMib ?? 0).toFixed(0)} MiB at the beginning, ${lastMemory.toFixed(0)} MiB at the end. Processor of the server ${median(warm.map((one) => one.cpuPercent)).toFixed(0)} %, of the browsers ${median(warm.map((one) => one.browsersCpuPercent)).toFixed(0)} %, in the middle.
Timing counts nothing on a noisy machine; growth over a few minutes is mostly the warm-up.

| Accident | seen | right again | lines in the log | wrong |
|---|---|---|---|---|
${results
  .map(
    ({ name, seen, rightAfterSeconds, logLines, wrong }) =>
      `| ${name} | ${seen} | ${rightAfterSeconds?.toFixed(1) ?? "no"} s | ${logLines} | ${wrong ?? ""} |`,
  )
  .join("\n")}

Right at the end after ${atTheEnd?.toFixed(1) ?? "–"} s. ${[...crowd.done].map(([name, times]) => `${name}: ${times}`).join(", ")}.
Answers: ${[...crowd.answers].map(([name, times]) => `${name}: ${times}`).join(", ")}.
Errors in the log: ${errors.length}${errors.length > 0 ? `, the first: ${errors[0]}` : ""}.`);

const drawing = join(import.meta.dir, "../../dist/endurance.svg");
mkdirSync(join(drawing, ".."), { recursive: true });
writeFileSync(drawing, plotOf(`${minutes} minutes, seed ${seed}`, samples, marks));
console.log(`\nDrawn in ${drawing}`);
end(wrongs);

/** Says what is wrong, and ends the program. */
function end(wrongs: readonly string[]): never {
  if (wrongs.length === 0) {
    console.log(`\nendurance passed (seed ${seed})`);
    process.exit(0);
  }
  const shown = wrongs.slice(0, 20).map((wrong) => `- ${wrong}`);
  console.log(`\nendurance failed: ${wrongs.length} wrong (seed ${seed})\n${shown.join("\n")}`);
  process.exit(1);
}
