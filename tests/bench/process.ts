import { runMarquee } from "../fixtures/servers/marquee-process.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import {
  median,
  privateMemoryKib,
  ratio,
  restingMemoryKib,
  type Row,
  startProduct,
  startReference,
} from "./measure.ts";

const STARTS = 11;
const SOCKETS = 2_000;
const SOCKETS_A_USER = 50;
/** A server that has nothing to do gives memory back after so long. */
const GIVEN_BACK_MS = 6_000;

/** Cold start, idle memory, and memory per overlay on screen. */
export async function benchProcess(): Promise<Row[]> {
  const folder = createTempFolder();
  const names = Array.from({ length: SOCKETS / SOCKETS_A_USER }, (_, index) => `user-${index}`);
  const added = await runMarquee({
    folder: folder.path,
    arguments: ["user", "add", ...names, "--source", "demo", "--json", "--data", folder.path],
  });
  const tokens = added.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).widget_token as string);

  const starts: { product: number; reference: number }[] = [];
  const idle: typeof starts = [];
  const idleAlone: typeof starts = [];
  for (let round = 0; round < STARTS; round++) {
    const reference = await startReference();
    const product = await startProduct(folder.path);
    starts.push({ product: product.startedInMs, reference: reference.startedInMs });
    if (round % 4 === 0) {
      await Bun.sleep(GIVEN_BACK_MS);
      idle.push({
        product: await restingMemoryKib(product.pid),
        reference: await restingMemoryKib(reference.pid),
      });
      idleAlone.push({
        product: privateMemoryKib(product.pid),
        reference: privateMemoryKib(reference.pid),
      });
    }
    await Promise.all([product.stop(), reference.stop()]);
  }

  const product = await startProduct(folder.path);
  const beforeKib = await restingMemoryKib(product.pid);
  const half = tokens.length / 2;
  const sockets = await openSockets(product.port, tokens.slice(0, half));
  const halfwayKib = await restingMemoryKib(product.pid);
  sockets.push(...(await openSockets(product.port, tokens.slice(half))));
  const afterKib = await restingMemoryKib(product.pid);
  for (const socket of sockets) socket.close();
  await product.stop();
  folder.remove();

  const row = (what: string, goal: string, unit: string, rounds: typeof starts): Row => ({
    what,
    product: `${median(rounds.map((round) => round.product)).toFixed(1)} ${unit}`,
    reference: `${median(rounds.map((round) => round.reference)).toFixed(1)} ${unit}`,
    ratio: ratio(median(rounds.map((round) => round.product / round.reference))),
    goal,
  });
  const inMebibytes = (rounds: typeof starts) =>
    rounds.map(({ product, reference }) => ({
      product: product / 1024,
      reference: reference / 1024,
    }));
  return [
    row("cold start to the first 200", "≤ 5", "ms", starts),
    row("idle memory", "≤ 1.7", "MiB", inMebibytes(idle)),
    row("of it in no file", "≤ 8 MiB", "MiB", inMebibytes(idleAlone)),
    {
      what: `memory for an overlay's socket, of ${SOCKETS}`,
      // The first ones also bring the code of overlays into memory.
      product: `${((afterKib - beforeKib) / SOCKETS).toFixed(1)} KiB, of the second half ${(((afterKib - halfwayKib) / SOCKETS) * 2).toFixed(1)} KiB`,
      reference: "",
      ratio: "",
      goal: "≤ 10 KiB",
    },
  ];
}

async function openSockets(port: number, tokens: readonly string[]): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  for (const token of tokens) {
    const opened = await Promise.all(
      Array.from({ length: SOCKETS_A_USER }, async () => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/en/widget/${token}/live`);
        await new Promise<void>((resolve, reject) => {
          socket.onmessage = () => resolve();
          socket.onerror = () => reject(new Error("a socket was refused"));
        });
        return socket;
      }),
    );
    sockets.push(...opened);
  }
  return sockets;
}
