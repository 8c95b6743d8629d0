import { withAccounts } from "../fixtures/data/accounts-of-folder.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { addPushedUsers, push } from "./pushes.ts";
import {
  callSteadily,
  median,
  quantile,
  restingMemoryKib,
  type Row,
  row,
  startProduct,
} from "./measure.ts";

const USERS = 10;
const KEYS_A_USER = 50;
const STREAMS_A_KEY = 10;
const STREAMS = USERS * KEYS_A_USER * STREAMS_A_KEY;
const CHANGES = 10;
/** A change has reached every stream long before. */
const SETTLE_MS = 1_500;

/** Memory for a stream of events, and how long a change takes to reach all streams. */
export async function benchStreams(): Promise<Row[]> {
  const folder = createTempFolder();
  const { keys, inboxes } = await addUsers(folder.path);
  const product = await startProduct(folder.path, "--rate-limit-seconds", "0");
  const origin = `http://127.0.0.1:${product.port}`;
  const change = (title: string) =>
    Promise.all(
      inboxes.map((inbox) =>
        push(origin + inbox, { title, artist: "Juniper Vale", duration_ms: 600_000 }),
      ),
    );
  await change("Before");
  for (const key of keys.slice(0, 1)) (await openStream(product.port, key, () => {})).end();

  const beforeKib = await restingMemoryKib(product.pid);
  let arrivedAfterMs: number[] = [];
  let pushedAtMs = 0;
  const streams: { end(): void }[] = [];
  const arrived = () => void arrivedAfterMs.push(performance.now() - pushedAtMs);
  for (const key of keys) {
    const opened = Array.from({ length: STREAMS_A_KEY }, () =>
      openStream(product.port, key, arrived),
    );
    streams.push(...(await Promise.all(opened)));
  }
  const afterKib = await restingMemoryKib(product.pid);

  const seconds = (CHANGES * SETTLE_MS) / 1_000;
  const calls = callSteadily(`${origin}/api/v1/now-playing`, keys[0] ?? "", seconds);
  const rounds: number[][] = [];
  for (let round = 0; round < CHANGES; round++) {
    arrivedAfterMs = [];
    pushedAtMs = performance.now();
    await change(`Change ${round}`);
    await Bun.sleep(SETTLE_MS);
    if (arrivedAfterMs.length !== STREAMS)
      throw new Error(`${arrivedAfterMs.length} events for ${STREAMS} streams`);
    rounds.push(arrivedAfterMs);
  }
  const [callP99, longestCall] = await calls;
  for (const stream of streams) stream.end();
  await product.stop();
  folder.remove();

  const p99 = rounds.map((round) => quantile(round, 0.99));
  const of = `, of ${STREAMS}`;
  return [
    row(
      `memory for a stream of events${of}`,
      `${((afterKib - beforeKib) / STREAMS).toFixed(1)} KiB`,
      "≤ 20 KiB",
    ),
    row(
      `p99 of the time until a change has reached a stream, median of the changes${of}`,
      `${median(p99).toFixed(0)} ms`,
      "≤ 100 ms",
    ),
    row(
      `p99 of now-playing meanwhile, and the longest answer${of}`,
      `${callP99.toFixed(1)} ms, ${longestCall.toFixed(1)} ms`,
      "≤ 20 ms",
    ),
  ];
}

/** Users whose music is pushed, each with as many keys as there may be. */
async function addUsers(folder: string) {
  const names = Array.from({ length: USERS }, (_, index) => `user-${index}`);
  const inboxes = (await addPushedUsers(folder, "json", names)).map(({ inbox }) => inbox);
  const keys = await withAccounts(folder, async ({ users, keys }) => {
    const made: string[] = [];
    for (const user of users.list()) {
      // The first key was made with the user, and is shown only then.
      for (const { id } of keys.list(user)) await keys.revoke(user, id);
      for (let at = 0; at < KEYS_A_USER; at++) made.push((await keys.add(user, `bench ${at}`)).key);
    }
    return made;
  });
  return { keys, inboxes };
}

/** Opens a stream and reads its first event. Calls back for each later one. */
async function openStream(port: number, key: string, onEvent: () => void) {
  const first = Promise.withResolvers<void>();
  let isOpen = false;
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (opened) =>
        void opened.write(
          `GET /api/v1/now-playing/events HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${key}\r\n\r\n`,
        ),
      data(_, bytes) {
        if (bytes.indexOf("event: now-playing") === -1) return;
        if (isOpen) onEvent();
        isOpen = true;
        first.resolve();
      },
      close: () => first.reject(new Error("a stream was refused")),
      error: (_, error) => first.reject(error),
    },
  });
  await first.promise;
  return socket;
}
