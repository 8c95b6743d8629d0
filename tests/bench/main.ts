/** Compares the compiled program with a minimal server in the same run, and prints a table. */
import { cpus, loadavg } from "node:os";
import { buildExecutable } from "../fixtures/servers/executable.ts";
import { apiLadder } from "./api.ts";
import { benchBooth } from "./booth.ts";
import { benchChat } from "./chat.ts";
import { benchCovers } from "./covers.ts";
import { detectionTable } from "./detection.ts";
import { benchFar } from "./far.ts";
import { buildReference, type Row } from "./measure.ts";
import { benchOverlay } from "./overlay.ts";
import { benchFloods } from "./floods.ts";
import { benchPages } from "./pages.ts";
import { benchProcess } from "./process.ts";
import { benchPushes } from "./pushes.ts";
import { benchStreams } from "./streams.ts";
import { benchTitles } from "./titles.ts";

/** What can be measured alone: `bun run bench process pages`. */
const BENCHES: Readonly<Record<string, () => Promise<Row[]>>> = {
  process: benchProcess,
  streams: benchStreams,
  titles: benchTitles,
  pushes: benchPushes,
  covers: benchCovers,
  booth: benchBooth,
  chat: benchChat,
  overlay: benchOverlay,
  pages: benchPages,
  floods: benchFloods,
  far: benchFar,
};

/** The same for what prints lines of its own below a heading. */
const LADDERS: Readonly<Record<string, readonly [heading: string, () => Promise<string[]>]>> = {
  api: [
    "Now-playing. The goal is a share of 0.58 warm and 0.54 in the first seconds, there with a p99 of 10 ms.",
    apiLadder,
  ],
  detection: [
    "Seconds until a change at Spotify is shown, median / p95, over simulated listening:",
    detectionTable,
  ],
};

const known = [...Object.keys(LADDERS), ...Object.keys(BENCHES)];
const names = process.argv.slice(2);
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. Choose of ${known.join(", ")}.`);
  process.exit(2);
}
const chosen = <Bench>(benches: Readonly<Record<string, Bench>>) =>
  Object.entries(benches).flatMap(([name, bench]) =>
    names.length === 0 || names.includes(name) ? [bench] : [],
  );

await buildExecutable();
buildReference();
for (const [heading, ladder] of chosen(LADDERS)) {
  const lines = await ladder();
  console.log(`\n${heading}\n\n${lines.join("\n")}`);
}
const rows: Row[] = [];
for (const bench of chosen(BENCHES)) rows.push(...(await bench()));

if (rows.length > 0) {
  console.log(
    "\nThe reference is an empty server, for the overlay a page that steps a clock, for pages an empty one,\nfor chats a bot that always says the same.\n",
  );
  console.log("| | Marquee | reference | ratio | goal |\n|---|---|---|---|---|");
}
for (const row of rows) {
  console.log(`| ${row.what} | ${row.product} | ${row.reference} | ${row.ratio} | ${row.goal} |`);
}
const processor = cpus()[0]?.model ?? "unknown processor";
console.log(
  `\n${cpus().length} × ${processor}, load average ${loadavg()[0]?.toFixed(1)}, Bun ${Bun.version}, requests by ${Bun.which("wrk") ? "wrk" : "fetch"}`,
);

// The servers of the run still have timers, which would keep this process running.
process.exit(0);
