import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { currentChromium } from "../fixtures/browser/chromium.ts";
import { freePort } from "../fixtures/clock/waiting.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { connectProgram, sourceHead, titleHead } from "../fixtures/ingest/broadcasts.ts";
import { runMarquee } from "../fixtures/servers/marquee-process.ts";
import { playingDatabase } from "../fixtures/sources/decks.ts";
import { oggSong } from "../fixtures/streams/ogg.ts";
import { FLOODS } from "../fixtures/streams/floods.ts";
import { AUDIO, icyHead, icyTitle, startRadio } from "../fixtures/streams/radio-server.ts";
import {
  GIVEN_BACK_MS,
  type Measured,
  median,
  processorShare,
  quantile,
  restingMemoryKib,
  type Row,
  startProduct,
} from "./measure.ts";
import { paintedAt } from "./painted.ts";

const CHANGES = 12;
/** Three seconds for a radio, and some more for what looks once a second. */
const LONGEST_PAUSE_MS = 1_700;
/** An encoder's parts of 320 kbit/s. */
const PART = Buffer.alloc(1_000, "U");
const PART_EVERY_MS = 25;
const SECONDS = 200;
const FLOOD_BEGINS_MS = 1_000;
const FLOOD_SECONDS = 5;
const FLOOD_ENDS_MS = 20_000;
const BROADCASTS = 10;

/** A way into the booth. */
interface Way {
  readonly what: string;
  readonly goal: string;
  /** What connects it. */
  readonly words: readonly string[];
  /** Begins with a connection's secret; what is returned plays a song. */
  begin(secret: string): Promise<(title: string) => unknown>;
}

/** From a title to the overlay's pixels for each way into the booth, and what broadcasts cost. */
export async function benchBooth(): Promise<Row[]> {
  if (!currentChromium.isInstalled) {
    return [{ what: "the booth", product: "needs chromium", reference: "", ratio: "", goal: "" }];
  }
  const folder = createTempFolder();
  const run = async (...words: readonly string[]) => {
    const given = [...words, "--json", "--data", folder.path];
    return JSON.parse((await runMarquee({ folder: folder.path, arguments: given })).out);
  };
  const port = freePort();
  // What is on this computer is for the owner, who is the first user.
  const { widget_url } = await run("user", "add", "ada");
  const secrets: string[] = [];
  for (let index = 0; index < BROADCASTS; index++) {
    await run("user", "add", `dj-${index}`);
    secrets.push((await run("connect", `dj-${index}`, "broadcast")).secret);
  }
  const product = await startProduct(folder.path, "--broadcast-port", String(port));
  const rows: Row[] = [];
  const cost = async (what: string, goal: string) => {
    const share = await processorShare(product.pid, 5, SECONDS);
    const kib = await restingMemoryKib(product.pid);
    rows.push(
      row(what, `${(share * 100).toFixed(2)} % of a core, ${(kib / 1024).toFixed(1)} MiB`, goal),
    );
  };
  await Bun.sleep(GIVEN_BACK_MS);
  await cost(`${SECONDS} s without a broadcast`, "");
  const [first = "", ...others] = secrets;
  const ends = [await broadcast(port, first)];
  await cost(`${SECONDS} s of a broadcast`, "≤ 0.50 %, as much memory");
  for (const secret of others) ends.push(await broadcast(port, secret));
  await cost(`${SECONDS} s of ${BROADCASTS} broadcasts`, "as much memory");
  for (const end of ends) end();
  for (const { name } of FLOODS) rows.push(await besideFlood(product, port, name, [first]));
  rows.push(await besideFlood(product, port, "tiny songs", secrets));
  rows.push(await besideFlood(product, port, "connections", []));

  const browser = await currentChromium.launch();
  const url = `http://127.0.0.1:${product.port}${new URL(widget_url).pathname}`;
  for (const way of waysIn(folder.path, port)) {
    const { secret } = await run("connect", "ada", ...way.words);
    const ms = await latenciesOf(browser, url, await way.begin(secret));
    await run("disconnect", "ada");
    const shown = `${median(ms).toFixed(0)} ms (longest ${quantile(ms, 1).toFixed(0)} ms)`;
    rows.push(row(`from a title to the overlay’s pixels: ${way.what}`, shown, way.goal));
  }
  await browser.close();
  await product.stop();
  folder.remove();
  return rows;
}

const row = (what: string, product: string, goal: string): Row => ({
  what,
  product,
  reference: "",
  ratio: "",
  goal,
});

/** How long a request takes while others flood. */
async function besideFlood(
  { port, pid }: Measured,
  floodedPort: number,
  flood: string,
  secrets: readonly string[],
): Promise<Row> {
  const before = await restingMemoryKib(pid);
  const program = (file: string, ...words: readonly string[]) =>
    Bun.spawn([process.execPath, join(import.meta.dir, file), ...words], {
      stdout: "pipe",
      stderr: "inherit",
    });
  const flooding = program("booth-flood.ts", String(floodedPort), flood, ...secrets);
  await Bun.sleep(FLOOD_BEGINS_MS);
  const url = `http://127.0.0.1:${port}/livez`;
  const caller = program("steady-caller.ts", url, "", String(FLOOD_SECONDS));
  const [p99, longest] = JSON.parse(await new Response(caller.stdout).text());
  flooding.kill();
  await flooding.exited;
  // What it has sent is read to its end.
  await Bun.sleep(FLOOD_ENDS_MS);
  const moreMib = ((await restingMemoryKib(pid)) - before) / 1024;
  return row(
    `/livez beside ${flood}${secrets.length > 1 ? `, ${secrets.length} at once` : ""}: p99, longest, memory after`,
    `${p99.toFixed(1)} ms, ${longest.toFixed(1)} ms, ${moreMib.toFixed(1)} MiB more`,
    "≤ 20 ms, as much memory",
  );
}

/** Sends audio at its pace; what is returned ends it. */
async function broadcast(port: number, secret: string): Promise<() => void> {
  const program = await connectProgram(port, sourceHead(secret));
  await program.status();
  const timer = setInterval(() => program.send(PART), PART_EVERY_MS);
  return () => {
    clearInterval(timer);
    program.hangUp();
  };
}

async function latenciesOf(
  browser: Browser,
  url: string,
  play: (title: string) => unknown,
): Promise<number[]> {
  const page = await browser.newPage({ viewport: { width: 500, height: 120 } });
  await page.goto(url);
  const latencies: number[] = [];
  for (let change = 0; change <= CHANGES; change++) {
    const title = `Title ${change}`;
    const painted = paintedAt(page, title);
    // At any moment of what looks now and then.
    await Bun.sleep(1_000 + Math.random() * LONGEST_PAUSE_MS);
    const playedAtMs = performance.timeOrigin + performance.now();
    await play(title);
    const tookMs = (await painted) - playedAtMs;
    // With the first song, the overlay appears.
    if (change > 0) latencies.push(tookMs);
  }
  await page.close();
  return latencies;
}

function waysIn(folder: string, port: number): readonly Way[] {
  const radio = startRadio(icyHead());
  setInterval(() => radio.send(Buffer.concat([AUDIO, Buffer.from([0])])), PART_EVERY_MS);
  const deck = (name: "mixxx" | "serato"): Way => {
    const path = playingDatabase(name, folder);
    return {
      what: name,
      goal: "≤ 1500 ms",
      words: [name, "--path", path],
      begin: async () => (title) => addSong(name, path, title),
    };
  };
  const text = join(folder, "playing.txt");
  writeFileSync(text, "Ada - Before");
  return [
    {
      what: "broadcast, a request",
      goal: "≤ 1000 ms",
      words: ["broadcast"],
      async begin(secret) {
        await broadcast(port, secret);
        return (title) =>
          connectProgram(port, titleHead(secret, `song=Ada+-+${encodeURIComponent(title)}`));
      },
    },
    {
      what: "broadcast, in Ogg",
      goal: "≤ 1000 ms",
      words: ["broadcast"],
      async begin(secret) {
        const program = await connectProgram(port, sourceHead(secret));
        await program.status();
        return (title) => program.send(oggSong({ comments: [`TITLE=${title}`, "ARTIST=Ada"] }));
      },
    },
    {
      what: "radio",
      goal: "≤ 3000 ms",
      words: ["radio", "--url", radio.url],
      begin: async () => (title) => radio.send(Buffer.concat([AUDIO, icyTitle(`Ada - ${title}`)])),
    },
    deck("mixxx"),
    deck("serato"),
    {
      what: "file",
      goal: "≤ 1500 ms",
      words: ["file", "--path", text],
      begin: async () => (title) => writeFileSync(text, `Ada - ${title}`),
    },
  ];
}

/** Writes down a song as the program does when it begins. */
function addSong(deck: "mixxx" | "serato", path: string, title: string): void {
  using database = new Database(path);
  const nowS = Math.floor(Date.now() / 1_000);
  if (deck === "serato") {
    database.run(
      "insert into history_entry values (null, 2, ?, 'Ada', '', 7200, 'x.mp3', ?, 1, 1)",
      [title, nowS],
    );
    return;
  }
  const { lastInsertRowid } = database.run(
    "insert into library (artist, title, duration) values ('Ada', ?, 7200)",
    [title],
  );
  database.run("insert into PlaylistTracks values (null, 3, ?, 1, ?)", [
    Number(lastInsertRowid),
    nowS,
  ]);
}
