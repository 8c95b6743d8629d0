import { cpus, loadavg } from "node:os";
import { buildExecutable } from "../fixtures/servers/executable.ts";
import { apiLadder } from "./api.ts";
import { busTable } from "./bus.ts";
import { benchChat } from "./chat.ts";
import { benchCovers } from "./covers.ts";
import { detectionTable } from "./detection.ts";
import { benchLatency } from "./latency.ts";
import { buildReference, type Row } from "./measure.ts";
import { benchOverlay } from "./overlay.ts";
import { benchPages } from "./pages.ts";
import { benchProcess } from "./process.ts";
import { benchPushes, benchPushLatency } from "./pushes.ts";
import { benchStreams } from "./streams.ts";

/** Compares the compiled program with a minimal server in the same run, and prints a table. */
await buildExecutable();
buildReference();
const ladder = await apiLadder();
const rows: Row[] = [];
for (const bench of [
  benchProcess,
  benchStreams,
  benchLatency,
  benchPushLatency,
  benchPushes,
  benchCovers,
  benchChat,
  benchOverlay,
  benchPages,
])
  rows.push(...(await bench()));

const processor = cpus()[0]?.model ?? "unknown processor";
console.log(
  `\n${cpus().length} × ${processor}, load average ${loadavg()[0]?.toFixed(1)}, Bun ${Bun.version}, requests by ${Bun.which("wrk") ? "wrk" : "fetch"}\n`,
);
console.log(
  "The reference is an empty server, for the overlay a page that steps a clock, for pages an empty one,\nfor chats a bot that always says the same.\n",
);
console.log("| | Marquee | reference | ratio | goal |\n|---|---|---|---|---|");
for (const row of rows) {
  console.log(`| ${row.what} | ${row.product} | ${row.reference} | ${row.ratio} | ${row.goal} |`);
}

console.log(
  "\nNow-playing. The goal is a share of 0.70 warm and 0.60 cold, and a p99 of 1.5 times.\n",
);
for (const line of ladder) console.log(line);

console.log(
  "\nSeconds until a change at Spotify is shown, median / p95, over simulated listening:\n",
);
for (const line of await detectionTable()) console.log(line);

console.log("\nWords between nodes. The goal is a p99 of 100 ms.\n");
for (const line of await busTable()) console.log(line);

// The servers of the run still have timers, which would keep this process running.
process.exit(0);
