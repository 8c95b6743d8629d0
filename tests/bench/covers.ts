import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { patternPicture } from "../fixtures/sources/pictures.ts";
import { type Calls, callSteadily, type Measured, type Row, startProduct } from "./measure.ts";
import { addPushedUsers, push, type PushedUser } from "./pushes.ts";

const USERS = 40;
const SECONDS = 12;
/** A connection may bring thirty new covers in a minute: more are wanted than one core can draw. */
const EVERY_MS = 2_000;
const WIDTH = 3_464;
const HEIGHT = 2_309;

/** How quickly now-playing answers single calls while covers of eight megapixels are drawn. */
export async function benchCovers(): Promise<Row[]> {
  const folder = createTempFolder();
  const names = Array.from({ length: USERS }, (_, index) => `user-${index}`);
  const users = await addPushedUsers(folder.path, "json", names);
  const picture = await largePicture();
  const covers = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(picture, { headers: { "Content-Type": "image/webp" } }),
  });
  const product = await startProduct(
    folder.path,
    ...["--rate-limit-seconds", "0", "--player-hosts", "127.0.0.1"],
  );
  const quiet = await callsOf(product, users);
  const sockets = users.map(
    ({ overlay }) => new WebSocket(`ws://127.0.0.1:${product.port}${overlay}/live`),
  );
  await Promise.all(sockets.map((socket) => new Promise((open) => (socket.onmessage = open))));
  const pushing = new AbortController();
  const pushed = pushCovers(product, users, covers.url.href, pushing.signal);
  const busy = await callsOf(product, users);
  pushing.abort();
  await pushed;
  for (const socket of sockets) socket.close();
  await product.stop();
  await covers.stop(true);
  folder.remove();
  return [
    {
      what: "p99 of now-playing while covers of 8 megapixels are drawn, and the longest answer",
      product: shown(busy),
      reference: `${shown(quiet)} with none`,
      ratio: "",
      goal: "≤ 20 ms",
    },
  ];
}

const shown = ([p99Ms, longestMs]: Calls) => `${p99Ms.toFixed(1)} ms, ${longestMs.toFixed(1)} ms`;

const callsOf = ({ port }: Measured, [user]: readonly PushedUser[]): Promise<Calls> =>
  callSteadily(`http://127.0.0.1:${port}/api/v1/now-playing`, user?.key ?? "", SECONDS);

/** Gives each user a new cover every two seconds, evenly, until the signal says stop. */
async function pushCovers(
  { port }: Measured,
  users: readonly PushedUser[],
  covers: string,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    users.map(async ({ inbox }, index) => {
      await Bun.sleep((index / users.length) * EVERY_MS);
      for (let round = 0; !signal.aborted; round++) {
        await push(`http://127.0.0.1:${port}${inbox}`, {
          title: `Title ${round}`,
          duration_ms: 200_000,
          cover_url: `${covers}${index}-${round}.webp`,
        });
        await Bun.sleep(EVERY_MS);
      }
    }),
  );
}

/** The format that takes longest to decode, with details as in a photograph, within the limit for a pushed cover. */
async function largePicture(): Promise<Uint8Array<ArrayBuffer>> {
  const small = await patternPicture("png", 500);
  const large = new Bun.Image(small).resize(WIDTH, HEIGHT, { fit: "fill" });
  return new Uint8Array(await large.webp({ quality: 20 }).bytes());
}
