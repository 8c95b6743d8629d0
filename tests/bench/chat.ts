import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { freePort, inTime, until } from "../fixtures/clock/waiting.ts";
import { withAccounts } from "../fixtures/data/accounts-of-folder.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { storeLink, twitchFlags } from "../fixtures/twitch/links.ts";
import { type StandInTwitch, startTwitch } from "../fixtures/twitch/twitch.ts";
import { quantile, ratio, type Row, startProduct } from "./measure.ts";

const CHATS = 200;
/** A chat may be answered again after this time. */
const QUIET_S = 5;
const ROUND_MS = QUIET_S * 1_000 + 200;
const ROUNDS = 4;

const OVERLAYS = 100;
/** Below the five a second that an overlay may be shown. */
const SHOW_EVERY_MS = 210;
const SHOWS = 200;

/**
 * From a question in chat until its answer is sent, and from a request that shows overlays until all
 * know of it. The references are a bot and a server that do nothing
 * besides: `chat-reference.ts`.
 */
export async function benchChat(): Promise<Row[]> {
  return [...(await benchAnswers()), ...(await benchDemand())];
}

/** Unix time, in fractions of milliseconds. */
const wallMs = () => performance.timeOrigin + performance.now();

async function benchAnswers(): Promise<Row[]> {
  const folder = createTempFolder();
  const twitch = startTwitch({ clock: { ...systemClock, wallMs } });
  const channels = Array.from({ length: CHATS }, (_, index) => `user${index}`);
  await withAccounts(folder.path, async ({ add, chat }) => {
    const added = await add(channels, { source: "demo", settings: null });
    for (const { user } of added) {
      await storeLink(twitch, chat, user, { options: { quietS: QUIET_S } });
    }
  });
  const product = await startProduct(folder.path, ...twitchFlags(twitch));
  const { clientId, apiUrl, eventsubUrl } = twitch;
  const others = channels.map((channel) => `other${channel}`);
  const accounts = others.map((login) => twitch.link(login));
  const reference = startReference(["answer"], { clientId, apiUrl, eventsubUrl, accounts });
  const isSubscribed = () => requestsIn(twitch, "/helix/eventsub/subscriptions").length;
  await until(() => isSubscribed() >= CHATS * 2 || undefined, 60_000);

  // What is loaded when it is first used is not measured.
  await askAll(twitch, channels, 0);
  await askAll(twitch, others, 0);
  const spread = { product: [] as number[], reference: [] as number[] };
  const atOnce = { product: [] as number[], reference: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    await Bun.sleep(ROUND_MS);
    spread.product.push(...(await askAll(twitch, channels, ROUND_MS)));
    spread.reference.push(...(await askAll(twitch, others, ROUND_MS)));
    atOnce.product.push(...(await askAll(twitch, channels, 0)));
    atOnce.reference.push(...(await askAll(twitch, others, 0)));
  }
  await reference.stop();
  await product.stop();
  await twitch.stop();
  folder.remove();
  const what = `\`!song\` in ${CHATS} chats until the answer is sent`;
  return [
    ...rowsOf(`${what}, one after the other`, spread, "≤ 300 ms"),
    ...rowsOf(`${what}, all at once`, atOnce, ""),
  ];
}

/** The requests for a path that have arrived, of the log from an entry on. */
const requestsIn = ({ log }: StandInTwitch, path: string, from = 0) =>
  log
    .slice(from)
    .filter((entry) => entry.kind === "request")
    .filter((entry) => entry.path === path);

/** Somebody asks in each chat, evenly over a time. From each question until its answer, in ms. */
async function askAll(
  twitch: StandInTwitch,
  channels: readonly string[],
  overMs: number,
): Promise<number[]> {
  const askedAtMs = new Map<string, number>();
  const from = twitch.log.length;
  const beganAtMs = performance.now();
  for (const [index, channel] of channels.entries()) {
    const dueAtMs = beganAtMs + (index / channels.length) * overMs;
    if (overMs > 0) await Bun.sleep(Math.max(0, dueAtMs - performance.now()));
    askedAtMs.set(twitch.person(channel).id, wallMs());
    // Nobody is answered twice in thirty seconds.
    twitch.say({ channel, from: `viewer${from}`, text: "!song" });
  }
  const answers = await until(() => {
    const found = requestsIn(twitch, "/helix/chat/messages", from);
    return found.length === channels.length ? found : undefined;
  });
  return answers.map(({ atMs, fields }) => {
    const { broadcaster_id } = JSON.parse(fields["body"] ?? "");
    return atMs - (askedAtMs.get(broadcaster_id) ?? NaN);
  });
}

async function benchDemand(): Promise<Row[]> {
  const folder = createTempFolder();
  const paths = await withAccounts(folder.path, async ({ add, widgets }) => {
    const [ada] = await add(["ada"], { source: "demo", settings: null });
    if (!ada) throw new Error("ada was not added");
    const token = await widgets.showTokenOf(ada.user, 1);
    return { overlay: `/en/widget/${ada.widgetToken}/live`, show: `/show/${token}` };
  });
  const product = await startProduct(folder.path);
  const port = freePort();
  const reference = startReference(["show", String(port)]);
  const [own, other] = [await openOverlays(product.port, paths.overlay), await openOverlays(port)];
  const times = { product: [] as number[], reference: [] as number[] };
  // What is loaded when it is first used is not measured.
  await own.show(paths.show);
  await other.show("/show");
  for (let turn = 0; turn < SHOWS; turn++) {
    await Bun.sleep(SHOW_EVERY_MS);
    times.product.push(await own.show(paths.show));
    times.reference.push(await other.show("/show"));
  }
  for (const { close } of [own, other]) close();
  await reference.stop();
  await product.stop();
  folder.remove();
  const what = `\`GET /show\` until ${OVERLAYS} overlays know of it`;
  return rowsOf(what, times, "≤ 100 ms");
}

/** Opens overlays of one widget. */
async function openOverlays(port: number, path = "/") {
  let missing = OVERLAYS;
  let all = Promise.withResolvers<void>();
  const count = () => {
    missing -= 1;
    if (missing === 0) all.resolve();
  };
  const sockets = await until(async () => {
    const open = Array.from({ length: OVERLAYS }, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      socket.onmessage = ({ data }) => {
        resolve();
        if (String(data).includes('"type":"demand"')) count();
      };
      socket.onerror = () => reject(new Error("a socket was refused"));
      await promise;
      return socket;
    });
    return Promise.all(open).catch(() => undefined);
  });
  return {
    /** From the request until the last overlay has its message, in ms. */
    async show(showPath: string): Promise<number> {
      missing = OVERLAYS;
      all = Promise.withResolvers<void>();
      const askedAtMs = performance.now();
      const answered = fetch(`http://127.0.0.1:${port}${showPath}`);
      await inTime("all overlays", all.promise);
      const tookMs = performance.now() - askedAtMs;
      const { status } = await answered;
      if (status !== 204) throw new Error(`showing answered ${status}`);
      return tookMs;
    },
    close() {
      for (const socket of sockets) socket.close();
    },
  };
}

function startReference(words: readonly string[], input: object = {}) {
  const source = join(import.meta.dir, "chat-reference.ts");
  const child = Bun.spawn([process.execPath, source, ...words], {
    stdin: Buffer.from(JSON.stringify(input)),
    ...{ stdout: "ignore", stderr: "inherit" },
  });
  return {
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

interface Times {
  readonly product: readonly number[];
  readonly reference: readonly number[];
}

function rowsOf(what: string, { product, reference }: Times, goal: string): Row[] {
  const row = (name: string, share: number, its: string): Row => ({
    what: `${what}, ${name}`,
    product: `${quantile(product, share).toFixed(1)} ms`,
    reference: `${quantile(reference, share).toFixed(1)} ms`,
    ratio: ratio(quantile(product, share) / quantile(reference, share)),
    goal: its,
  });
  return [row("median", 0.5, ""), row("p99", 0.99, goal)];
}
