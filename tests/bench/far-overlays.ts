import { credentialsIn } from "./far-users.ts";
import { GIVEN_BACK_AFTER_USE_MS, processorShare, quantile, restingMemoryKib } from "./measure.ts";
import { push } from "./pushes.ts";

/**
 * Overlays, in a process of their own: opens so many on a server that has nothing to do, ten of each user,
 * and pushes a song to each user in turn. Prints {@link OverlayFigures} as JSON.
 */
export interface OverlayFigures {
  /** Of the server, in KiB: before anything, and with all overlays once their songs have changed. */
  readonly idleKib: number;
  readonly fullKib: number;
  /** What a socket takes, in KiB, on average of the first thousand and of the second. */
  readonly firstKib: number;
  readonly secondKib: number;
  readonly openedInMs: number;
  /** From before a push until an overlay has the song. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of one core, that the server took while songs changed. */
  readonly processorShare: number;
}

export const OVERLAYS_A_USER = 10;
/** How often each user's song changes. */
const SONG_EVERY_MS = 180_000;
const MEASURED_SECONDS = 60;
const THOUSAND = 1_000;
/** How OBS names itself. */
const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64) Chrome/127.0.0.0 Safari/537.36 OBS/31.0.2";

if (import.meta.main) {
  const [folder = "", port, pid, users] = process.argv.slice(2);
  const figures = await measureOverlays(folder, Number(port), Number(pid), Number(users));
  console.log(JSON.stringify(figures));
  process.exit(0);
}

async function measureOverlays(
  folder: string,
  port: number,
  pid: number,
  users: number,
): Promise<OverlayFigures> {
  const { overlays, inboxes } = credentialsIn(folder);
  const arrivals: number[] = [];
  /** When songs were sent, by their titles. */
  const sentAtMs = new Map<string, number>();
  const onMessage = ({ data }: MessageEvent) => {
    const sent = sentAtMs.get(/Song \d+ of \d+/.exec(String(data))?.[0] ?? "");
    if (sent !== undefined) arrivals.push(performance.now() - sent);
  };
  const open = async (from: number, to: number) => {
    for (let opened = from; opened < to; opened += OVERLAYS_A_USER) {
      const token = overlays[opened / OVERLAYS_A_USER];
      const url = `ws://127.0.0.1:${port}/en/widget/${token}/live`;
      await Promise.all(Array.from({ length: OVERLAYS_A_USER }, () => openOverlay(url, onMessage)));
    }
  };
  /** Without what the server gives back when it has had nothing to do for a while. */
  const settledKib = async () => {
    await Bun.sleep(GIVEN_BACK_AFTER_USE_MS);
    return restingMemoryKib(pid);
  };
  const pushTo = (user: number, song: number) => {
    const title = `Song ${song} of ${user}`;
    if (song > 0) sentAtMs.set(title, performance.now());
    return push(`http://127.0.0.1:${port}${inboxes[user]}`, {
      ...{ title, artist: "Juniper Vale", album: "Paper Lanterns", duration_ms: SONG_EVERY_MS * 2 },
    });
  };

  const idleKib = await settledKib();
  for (let user = 0; user < users; user++) await pushTo(user, 0);
  const beforeKib = await settledKib();
  const oneKib = await open(0, THOUSAND).then(settledKib);
  const twoKib = await open(THOUSAND, 2 * THOUSAND).then(settledKib);
  const openingFromMs = performance.now();
  await open(2 * THOUSAND, users * OVERLAYS_A_USER);
  const openedInMs = performance.now() - openingFromMs;

  const share = processorShare(pid, 0, MEASURED_SECONDS);
  const startedAtMs = performance.now();
  let changes = 0;
  for (; ; changes++) {
    const dueMs = (changes / users) * SONG_EVERY_MS;
    if (dueMs > MEASURED_SECONDS * 1_000) break;
    await Bun.sleep(Math.max(0, startedAtMs + dueMs - performance.now()));
    await pushTo(changes % users, 1);
  }
  const processor = await share;
  const fullKib = await restingMemoryKib(pid);
  const expected = changes * OVERLAYS_A_USER;
  if (arrivals.length !== expected) {
    throw new Error(`${arrivals.length} songs arrived, not ${expected}`);
  }
  return {
    ...{ idleKib, fullKib, openedInMs },
    firstKib: (oneKib - beforeKib) / THOUSAND,
    secondKib: (twoKib - oneKib) / THOUSAND,
    p50Ms: quantile(arrivals, 0.5),
    p99Ms: quantile(arrivals, 0.99),
    processorShare: processor,
  };
}

/** Opens an overlay's socket, as OBS does, and waits for its first message. */
async function openOverlay(url: string, onMessage: (event: MessageEvent) => void): Promise<void> {
  // Bun's sockets send headers; the types are those of browsers.
  const headers = { "User-Agent": USER_AGENT };
  const socket = new WebSocket(url, { headers } as unknown as string[]);
  await new Promise<void>((resolve, reject) => {
    socket.onmessage = () => resolve();
    socket.onerror = () => reject(new Error("a socket was refused"));
  });
  socket.onmessage = onMessage;
  socket.onclose = () => {
    throw new Error("a socket was closed");
  };
}
