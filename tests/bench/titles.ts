import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { currentChromium } from "../fixtures/browser/chromium.ts";
import { freePort } from "../fixtures/clock/waiting.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { connectProgram, sourceHead, titleHead } from "../fixtures/ingest/broadcasts.ts";
import { silentFlac } from "../fixtures/mpd/flac.ts";
import { createMpdDaemon, mpdIsInstalled } from "../fixtures/mpd/mpd-daemon.ts";
import { playingDatabase } from "../fixtures/sources/decks.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";
import { oggSong } from "../fixtures/streams/ogg.ts";
import { AUDIO, icyHead, icyTitle, startRadio } from "../fixtures/streams/radio-server.ts";
import { broadcast, PART_EVERY_MS } from "./booth.ts";
import { median, quantile, ratio, type Row, row, runCommand, startProduct } from "./measure.ts";
import { paintedAt } from "./painted.ts";
import { push } from "./pushes.ts";

const CHANGES = 20;
/** They take turns, so that covers are cached. */
const TITLES = ["Title 0", "Title 1"];
/** Three seconds for a radio, and some more for what looks once a second. */
const LONGEST_PAUSE_MS = 1_700;

/** A way that songs take to Marquee. */
interface Way {
  readonly what: string;
  readonly goal: string;
  /** What connects it. */
  readonly words: readonly string[];
  /** Begins with a connection's secret and address; what is returned plays a song. */
  begin(secret: string, url: string): Promise<(title: string) => unknown>;
  end?(): Promise<unknown>;
}

/** From a title to the overlay's pixels, for each way; covers are cached. */
export async function benchTitles(): Promise<Row[]> {
  if (!currentChromium.isInstalled) return [row("titles", "needs chromium")];
  const folder = createTempFolder();
  const run = async (...words: readonly string[]) =>
    (await runCommand(folder.path, ...words))[0] ?? {};
  const port = freePort();
  // What is on this computer is for the owner, who is the first user.
  const { widget_url = "" } = await run("user", "add", "ada");
  const product = await startProduct(folder.path, "--broadcast-port", String(port));
  const rows: Row[] = [];
  const browser = await currentChromium.launch();
  const ownMs = median(await timesOfBrowser(browser));
  const url = `http://127.0.0.1:${product.port}${new URL(widget_url).pathname}`;
  for (const way of await waysIn(folder.path, port)) {
    const { secret = "", url: inbox = "" } = await run("connect", "ada", ...way.words);
    const ms = await latenciesOf(browser, url, await way.begin(secret, inbox));
    await run("disconnect", "ada");
    await way.end?.();
    rows.push({
      what: `from a title to the overlay’s pixels: ${way.what}`,
      product: `${median(ms).toFixed(0)} ms (longest ${quantile(ms, 1).toFixed(0)} ms)`,
      reference: `${ownMs.toFixed(0)} ms`,
      ratio: ratio(median(ms) / ownMs),
      goal: way.goal,
    });
  }
  await browser.close();
  await product.stop();
  folder.remove();
  return rows;
}

const VIEWPORT = { width: 500, height: 120 };

/** What the browser alone takes for a change that a page makes itself. */
async function timesOfBrowser(browser: Browser): Promise<number[]> {
  const page = await browser.newPage({ viewport: VIEWPORT });
  await page.setContent('<b class="np-title"></b>');
  const times = await timesUntilPainted(page, (title) =>
    page.evaluate((text) => {
      document.querySelector(".np-title")?.replaceChildren(text);
    }, title),
  );
  await page.close();
  return times;
}

async function latenciesOf(
  browser: Browser,
  url: string,
  play: (title: string) => unknown,
): Promise<number[]> {
  const page = await browser.newPage({ viewport: VIEWPORT });
  await page.goto(url);
  const latencies = await timesUntilPainted(page, play);
  await page.close();
  return latencies;
}

/** The times from a change until its title is on the screen, in milliseconds. */
async function timesUntilPainted(page: Page, play: (title: string) => unknown): Promise<number[]> {
  const times: number[] = [];
  for (let change = 0; change < TITLES.length + CHANGES; change++) {
    const title = TITLES[change % TITLES.length] ?? "";
    const painted = paintedAt(page, title);
    // At any moment of what looks now and then.
    await Bun.sleep(1_000 + Math.random() * LONGEST_PAUSE_MS);
    const playedAtMs = performance.timeOrigin + performance.now();
    await play(title);
    const tookMs = (await painted) - playedAtMs;
    // With the first song the overlay appears, and with each its cover is read.
    if (change >= TITLES.length) times.push(tookMs);
  }
  return times;
}

async function waysIn(folder: string, port: number): Promise<readonly Way[]> {
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
    ...(mpdIsInstalled ? [await mpdWay()] : []),
    {
      what: "json, a push",
      goal: "≤ 60 ms",
      words: ["json"],
      begin: async (_, url) => (title) => push(url, { title, duration_ms: 200_000 }),
    },
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

/** A real MPD, which has a song for each title. */
async function mpdWay(): Promise<Way> {
  const cover = await patternPicture("jpeg", 500);
  const daemon = await createMpdDaemon({
    music: Object.fromEntries(
      TITLES.map((title) => [
        `${title}.flac`,
        silentFlac({ seconds: 600, tags: [["TITLE", title]], cover }),
      ]),
    ),
  });
  for (const title of TITLES) await daemon.command(`add "${title}.flac"`);
  return {
    what: "mpd",
    goal: "≤ 60 ms",
    words: ["mpd", "--address", daemon.address],
    begin: async () => (title) => daemon.command(`play ${TITLES.indexOf(title)}`),
    end: () => daemon.stop(),
  };
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
