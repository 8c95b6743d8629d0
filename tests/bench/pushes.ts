import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import {
  type Measured,
  quantile,
  ratio,
  restingMemoryKib,
  type Row,
  runCommand,
  startProduct,
  startReference,
} from "./measure.ts";

/** A user whose music is pushed: the API key, and the paths of the overlay and of the inbox. */
export interface PushedUser {
  readonly key: string;
  readonly overlay: string;
  readonly inbox: string;
}

export async function addPushedUsers(
  folder: string,
  source: string,
  names: readonly string[],
): Promise<PushedUser[]> {
  const pathOf = (url: string | undefined) => new URL(url ?? "").pathname;
  const added = await runCommand(folder, "user", "add", ...names, "--source", source);
  const users: PushedUser[] = [];
  for (const { username = "", api_key = "", widget_url } of added) {
    const [inbox] = await runCommand(folder, "connection", "list", username, "--show-secrets");
    users.push({ key: api_key, overlay: pathOf(widget_url), inbox: pathOf(inbox?.["url"]) });
  }
  return users;
}

export async function push(url: string, body: object): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`a push was answered ${response.status}`);
}

const USERS = 200;
const REFERENCE_USERS = 20;
const EVERY_MS = 500;
const ROUNDS = 120;
/** In how many rounds the title stays the same, and only the position moves on. */
const ROUNDS_A_TRACK = 20;

/** Two hundred users, each with an overlay on screen, pushed to twice a second for a minute. */
export async function benchPushes(): Promise<Row[]> {
  const folder = createTempFolder();
  const names = Array.from({ length: USERS }, (_, index) => `user-${index}`);
  const users = await addPushedUsers(folder.path, "tuna", names);
  const reference = await startReference();
  const product = await startProduct(folder.path);
  const sockets = users.map(
    ({ overlay }) => new WebSocket(`ws://127.0.0.1:${product.port}${overlay}/live`),
  );
  await Promise.all(sockets.map((socket) => new Promise((open) => (socket.onmessage = open))));
  // What is loaded when it is first used is no growth.
  await pushToAll(product, users, ROUNDS_A_TRACK);
  const memory = [await restingMemoryKib(product.pid)];
  const times: number[] = [];
  const referenceMs: number[] = [];
  for (let half = 0; half < 2; half++) {
    // At the same time, a few push to the reference: both meet what else the machine does.
    const [own, others] = await Promise.all([
      pushToAll(product, users, ROUNDS / 2),
      pushToAll(reference, users.slice(0, REFERENCE_USERS), ROUNDS / 2),
    ]);
    times.push(...own);
    referenceMs.push(...others);
    memory.push(await restingMemoryKib(product.pid));
  }
  for (const socket of sockets) socket.close();
  await Promise.all([product.stop(), reference.stop()]);
  folder.remove();

  const row = (name: string, share: number, goal: string): Row => ({
    what: `a push, ${USERS} users each ${EVERY_MS} ms, ${name}`,
    product: `${quantile(times, share).toFixed(2)} ms`,
    reference: `${quantile(referenceMs, share).toFixed(2)} ms`,
    ratio: ratio(quantile(times, share) / quantile(referenceMs, share)),
    goal,
  });
  return [
    row("median", 0.5, ""),
    row("p99", 0.99, "≤ 20 ms"),
    {
      what: "memory at the start, in the middle and at the end of these pushes",
      product: `${memory.map((kib) => (kib / 1024).toFixed(1)).join(", ")} MiB`,
      reference: "",
      ratio: ratio((memory[2] ?? 0) / (memory[0] ?? 0)),
      goal: "flat",
    },
  ];
}

/** Pushes to all users evenly over each half second; the time that each push took, in ms. */
async function pushToAll(
  { port }: Measured,
  users: readonly PushedUser[],
  rounds: number,
): Promise<number[]> {
  const times: number[] = [];
  const startedAtMs = performance.now();
  await Promise.all(
    users.map(async ({ inbox }, index) => {
      for (let round = 0; round < rounds; round++) {
        const dueAtMs = startedAtMs + (round + index / users.length) * EVERY_MS;
        await Bun.sleep(Math.max(0, dueAtMs - performance.now()));
        const sentAtMs = performance.now();
        await push(`http://127.0.0.1:${port}${inbox}`, {
          data: {
            title: `Title ${Math.floor(round / ROUNDS_A_TRACK)}`,
            artists: ["Juniper Vale"],
            status: "playing",
            progress: (round % ROUNDS_A_TRACK) * EVERY_MS,
            duration: 200_000,
          },
          hostname: "Chromium",
        });
        times.push(performance.now() - sentAtMs);
      }
    }),
  );
  return times;
}
