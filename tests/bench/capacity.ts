import { Database } from "bun:sqlite";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { askServer } from "../../src/control/client.ts";
import { readRunningFacts } from "../../src/control/folder-lock.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { runMarquee } from "../fixtures/servers/marquee-process.ts";
import { applyLoad } from "./load.ts";
import { type Measured, quantile, restingMemoryKib, startProduct } from "./measure.ts";
import { push } from "./pushes.ts";

/** What one server carries: users who all stream at the same time. */

const USERS = [100, 1_000, 3_000] as const;
/** How long a user's bot waits after an answer of the API, as the limit wants it. */
const ASKED_EVERY_MS = 5_000;
/** How often a user's player says that another song plays. */
const SONG_EVERY_MS = 180_000;
/** The first round of calls loads and caches, and is not measured. */
const WARM_UP_MS = ASKED_EVERY_MS * 2;
const MEASURED_MS = 60_000;
const MOST_CALLS_SECONDS = 10;
const SONGS = 100_000;
/** The unit of the times in /proc. */
const TICKS_A_SECOND = 100;

/** A user with an overlay, a bot and a player that sends. */
interface Streamer {
  readonly key: string;
  readonly overlay: string;
  readonly inbox: string;
}

/** Lines of a table. */
export async function capacityTable(): Promise<string[]> {
  const lines = [
    "| Users who stream | processor | memory | API calls/s | p50, p99 ms | song sent until shown, p50, p99 ms | database | API calls/s at most |",
    "|---|---|---|---|---|---|---|---|",
  ];
  for (const users of USERS) {
    const line = await carry(users);
    // It takes minutes.
    console.error(line);
    lines.push(line);
  }
  return [...lines, "", `A song that is kept takes ${await bytesOfASong()} bytes.`];
}

async function carry(users: number): Promise<string> {
  const folder = createTempFolder();
  const names = Array.from({ length: users }, (_, index) => `user-${index}`);
  const added = await runMarquee({
    folder: folder.path,
    arguments: ["user", "add", ...names, "--source", "json", "--json", "--data", folder.path],
  });
  const server = await startProduct(folder.path);
  const streamers = await streamersIn(added.out, folder.path);
  const origin = `127.0.0.1:${server.port}`;
  const shown = new Map<string, (atMs: number) => void>();
  const sockets: WebSocket[] = [];
  for (const { overlay } of streamers) sockets.push(await openOverlay(origin + overlay, shown));

  const calls: number[] = [];
  const changes: number[] = [];
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + WARM_UP_MS + MEASURED_MS;
  const isMeasured = (atMs: number) => atMs > startedAtMs + WARM_UP_MS;
  const ask = async ({ key }: Streamer, offset: number) => {
    await Bun.sleep(offset * ASKED_EVERY_MS);
    for (;;) {
      const sentAtMs = performance.now();
      if (sentAtMs > endsAtMs) return;
      const url = `http://${origin}/api/v1/now-playing`;
      const response = await fetch(url, { headers: { "X-Api-Key": key } });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`a call was answered ${response.status}`);
      if (isMeasured(sentAtMs)) calls.push(performance.now() - sentAtMs);
      await Bun.sleep(ASKED_EVERY_MS);
    }
  };
  const play = async ({ inbox, overlay }: Streamer, offset: number) => {
    // The first song, then those of the time that is measured.
    for (const sinceStartMs of [offset * WARM_UP_MS, WARM_UP_MS + offset * SONG_EVERY_MS]) {
      const dueAtMs = startedAtMs + sinceStartMs;
      if (dueAtMs > endsAtMs) return;
      await Bun.sleep(Math.max(0, dueAtMs - performance.now()));
      const title = `${overlay} at ${sinceStartMs.toFixed(0)}`;
      const arrives = new Promise<number>((resolve) => shown.set(title, resolve));
      const sentAtMs = performance.now();
      await push(`http://${origin}${inbox}`, { title, artist: "Ada", duration_ms: SONG_EVERY_MS });
      const tookMs = (await arrives) - sentAtMs;
      if (isMeasured(sentAtMs)) changes.push(tookMs);
    }
  };
  const processor = async () => {
    await Bun.sleep(WARM_UP_MS);
    const beforeMs = processorMs(server);
    await Bun.sleep(MEASURED_MS);
    return (processorMs(server) - beforeMs) / MEASURED_MS;
  };
  const [share] = await Promise.all([
    processor(),
    ...streamers.map((streamer, index) => ask(streamer, index / users)),
    ...streamers.map((streamer, index) => play(streamer, index / users)),
  ]);
  const memoryKib = await restingMemoryKib(server.pid);
  for (const socket of sockets) socket.close();
  await server.stop();
  const databaseBytes = statSync(join(folder.path, "marquee.db")).size;

  const unlimited = await startProduct(folder.path, "--rate-limit-seconds", "0");
  const keys = streamers.map(({ key }) => key);
  await applyLoad(unlimited.port, keys, MOST_CALLS_SECONDS, folder.path);
  const most = await applyLoad(unlimited.port, keys, MOST_CALLS_SECONDS, folder.path);
  await unlimited.stop();
  folder.remove();
  const both = (values: readonly number[]) =>
    [0.5, 0.99].map((at) => quantile(values, at).toFixed(1)).join(", ");
  return `| ${[
    users,
    `${(share * 100).toFixed(1)} % of one`,
    `${(memoryKib / 1024).toFixed(0)} MiB`,
    ((calls.length / MEASURED_MS) * 1_000).toFixed(0),
    both(calls),
    both(changes),
    `${(databaseBytes / 1024 / 1024).toFixed(1)} MiB`,
    most.requestsPerSecond.toFixed(0),
  ].join(" | ")} |`;
}

/** The users that were added, with the paths of their overlays and inboxes. */
async function streamersIn(added: string, folder: string): Promise<Streamer[]> {
  const facts = readRunningFacts(folder);
  if (!facts) throw new Error("the server has not written where it is");
  const pathOf = (url: string | undefined) => new URL(url ?? "").pathname;
  const streamers: Streamer[] = [];
  for (const line of added.trim().split("\n")) {
    const { username, api_key: key, widget_url }: Record<string, string> = JSON.parse(line);
    let inbox: Record<string, string> = {};
    await askServer(
      facts,
      {
        command: "connection list",
        texts: { user: username ?? "", showSecrets: "1" },
        asJson: true,
      },
      { out: (text) => void (inbox = JSON.parse(text)), error: console.error },
      systemClock,
    );
    streamers.push({
      key: key ?? "",
      overlay: pathOf(widget_url),
      inbox: pathOf(inbox["url"]),
    });
  }
  return streamers;
}

/** Opens an overlay's socket, which reports each title that somebody waits for. */
async function openOverlay(
  address: string,
  shown: Map<string, (atMs: number) => void>,
): Promise<WebSocket> {
  const socket = new WebSocket(`ws://${address}/live`);
  await new Promise<void>((resolve, reject) => {
    socket.onerror = () => reject(new Error("a socket was refused"));
    socket.onmessage = () => resolve();
  });
  socket.onmessage = ({ data }) => {
    const title = /\/en\/widget\/\w+ at \d+/.exec(String(data))?.[0] ?? "";
    shown.get(title)?.(performance.now());
    shown.delete(title);
  };
  return socket;
}

/** Processor time that all threads of a server have taken, in milliseconds. */
function processorMs({ pid }: Pick<Measured, "pid">): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND) * 1_000;
}

/** How much the database grows by a song, with names of usual length. */
async function bytesOfASong(): Promise<string> {
  const folder = createTempFolder();
  const given = ["user", "add", "ada", "--source", "json", "--json", "--data", folder.path];
  await runMarquee({ folder: folder.path, arguments: given });
  const path = join(folder.path, "marquee.db");
  const database = new Database(path);
  database.run("PRAGMA journal_mode = DELETE");
  const before = statSync(path).size;
  const insert = database.prepare(
    `INSERT INTO songs (user_id, started_at, played_ms, source, track_id, title, duration_ms, explicit,
      artists, album_name, cover_path, cover_url)
    VALUES (1, ?, 180000, 'spotify', ?, 'A Title of Usual Length', 200000, 0, '["Juniper Vale"]',
      'An Album of Usual Length', NULL, ?)`,
  );
  database.transaction(() => {
    for (let song = 0; song < SONGS; song++) {
      const id = Bun.hash(String(song)).toString(36).padStart(22, "0");
      insert.run(song * SONG_EVERY_MS, id, `https://i.scdn.co/image/${id.padStart(40, "0")}`);
    }
  })();
  database.close();
  const bytes = (statSync(path).size - before) / SONGS;
  folder.remove();
  return bytes.toFixed(0);
}
