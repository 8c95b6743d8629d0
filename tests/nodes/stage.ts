import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Accounts, type AddedUser, createAccounts } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/clock.ts";
import { createVault } from "../../src/vault/vault.ts";
import { createMessageSeal } from "../../src/cluster/message-seal.ts";
import type { GaugeName } from "../../src/metrics.ts";
import { openPostgresStore } from "../../src/db/postgres/open.ts";
import { freePort, until } from "../fixtures/clock/waiting.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { type Cluster as PostgresServer, startCluster } from "../fixtures/postgres/cluster.ts";
import {
  createSwallowingProxy,
  type SwallowingProxy,
} from "../fixtures/postgres/swallowing-proxy.ts";
import { type MarqueeProcess, startMarquee } from "../fixtures/servers/marquee-process.ts";
import { storeLink, twitchFlags } from "../fixtures/twitch/links.ts";
import { type StandInTwitch, startTwitch } from "../fixtures/twitch/twitch.ts";
import { startSpotify } from "../fixtures/spotify/listen.ts";
import { idle, randomText, seededRandom, type Track } from "../fixtures/spotify/listening.ts";
import type { Call, StandInUser } from "../fixtures/spotify/spotify.ts";
import { type BusMonitor, openBusMonitor } from "./bus-monitor.ts";
import { type Change, openScreens, type Screens, titleOf } from "./screens.ts";

/** A place for a node: its port stays while programs on it come and go. */
export interface Place {
  readonly port: number;
  readonly url: string;
  server: MarqueeProcess | undefined;
  /** The address at which the program of this place calls Spotify: a new one with each start. */
  door: string;
  /** The same for Twitch's API. */
  chatDoor: string;
}

/** A line of a node that Twitch has taken. */
export interface ChatLine {
  /** The door of the node's place at that time. */
  readonly door: string;
  /** The message that it answers. */
  readonly question: string;
  readonly atMs: number;
}

/** A user; those who push are linked to Spotify, too, but listen to nothing there. */
export interface Person extends AddedUser {
  readonly index: number;
  readonly listener: StandInUser;
  /** The path to which the user's programs push, of those who push. */
  readonly inbox: string | undefined;
}

export interface Stage {
  readonly postgres: PostgresServer;
  readonly databaseUrl: string;
  readonly baseUrl: string;
  /** Four behind the balancer, and two more that only start. */
  readonly places: readonly Place[];
  /** On the way from the last of the four to the database. */
  readonly proxy: SwallowingProxy;
  readonly accounts: Accounts;
  readonly people: readonly Person[];
  readonly screens: Screens;
  readonly monitor: BusMonitor;
  readonly calls: readonly Call[];
  readonly twitch: StandInTwitch;
  /** The lines of all nodes in chats. */
  readonly lines: readonly ChatLine[];
  start(place: Place, environment?: Readonly<Record<string, string>>): Promise<void>;
  /** Adds users and puts their overlays on screens. */
  fill(): Promise<void>;
  /** Adds users who have linked their chats; their channels. */
  linkChats(): Promise<readonly string[]>;
  /** A user plays another track: on Spotify, or pushed to a node. */
  play(person: Person): Promise<Change>;
  push(person: Person, place: Place, more?: object): Promise<Change>;
  remove(): Promise<void>;
}

export const BUDGET = 5_000;
export const BUDGET_WINDOW_MS = 30_000;
export const NODES = 4;
const SPOTIFY_USERS = 400;
const PUSHING_USERS = 100;
export const CHATS = 20;
/** Users with neighbouring ids are often on one node. */
const APART = 12;
/** A chat may be answered again after this time. */
export const QUIET_S = 5;
const TRACK_MS = 600_000;
const LATENCY_MS = 20;
const METRICS_TOKEN = "a-token-for-metrics";
const packaging = join(import.meta.dir, "../../packaging");

export async function setStage(): Promise<Stage> {
  const folder = createTempFolder();
  const postgres = await startCluster();
  const databaseUrl = await postgres.createDatabase();
  const proxy = createSwallowingProxy({
    hostname: "127.0.0.1",
    port: Number(new URL(databaseUrl).port),
  });
  const throughProxy = new URL(databaseUrl);
  throughProxy.port = String(proxy.port);
  const balancerPort = freePort();
  const baseUrl = `http://127.0.0.1:${balancerPort}`;
  const key = Buffer.alloc(32, 7).toString("base64");
  const write = (name: string, text: string) => {
    const path = join(folder.path, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const keyFile = write("secret-key", key);
  const databaseFile = write("database", databaseUrl);
  const databaseFileThroughProxy = write("database-through-proxy", throughProxy.href);

  const spotify = startSpotify({
    latencyMs: LATENCY_MS,
    budget: { calls: BUDGET, windowMs: BUDGET_WINDOW_MS },
  });
  const chats = openChats();
  const places: Place[] = Array.from({ length: NODES + 2 }, () => {
    const port = freePort();
    return { port, url: `http://127.0.0.1:${port}`, server: undefined, door: "", chatDoor: "" };
  });
  const config = await balancerConfig(balancerPort, places.slice(0, NODES));
  let balancer: Bun.Subprocess | undefined;

  const start: Stage["start"] = async (place, environment = {}) => {
    const data = join(folder.path, `data-${place.port}`);
    mkdirSync(data, { recursive: true, mode: 0o700 });
    place.door = spotify.openDoor();
    place.chatDoor = chats.openDoor();
    const isBehindProxy = place === places[NODES - 1];
    place.server = await startMarquee({
      folder: folder.path,
      arguments: [
        ...["--port", String(place.port), "--data", data, "--base-url", baseUrl],
        ...["--trusted-proxies", "127.0.0.1", "--owner", "owner"],
        ...["--spotify-api-url", place.door, "--spotify-accounts-url", spotify.url],
        ...["--spotify-client-id", spotify.spotify.clientId],
        ...["--spotify-budget", String(BUDGET), "--metrics-token", METRICS_TOKEN],
        ...[...twitchFlags(chats.twitch), "--twitch-api-url", place.chatDoor],
      ],
      environment: {
        MARQUEE_DATABASE_FILE: isBehindProxy ? databaseFileThroughProxy : databaseFile,
        MARQUEE_SECRET_KEY_FILE: keyFile,
        ...environment,
      },
    });
  };

  const random = seededRandom(1);
  let number = 0;
  const note = (person: Person): Change => {
    number += 1;
    const change = { user: person.index, number, atMs: performance.now(), seenAtMs: [] };
    screens?.expect(change);
    return change;
  };
  const listenTo = (listener: StandInUser, title: string) => {
    const track: Track = {
      id: randomText(random, 22),
      title,
      artists: ["Juniper Vale"],
      album: "Slow Weather",
      durationMs: TRACK_MS,
      explicit: false,
    };
    listener.setListening({
      at: (ms) => ({ kind: "playing", track, positionMs: ms, sinceMs: 0 }),
    });
  };
  const push: Stage["push"] = async (person, place, more = {}) => {
    const change = note(person);
    const title = titleOf(change.number);
    const answer = await fetch(place.url + (person.inbox ?? ""), {
      method: "POST",
      body: JSON.stringify({ title, duration_ms: TRACK_MS, position_ms: 0, ...more }),
    });
    if (answer.status !== 200) throw new Error(`a push was answered ${answer.status}`);
    await answer.arrayBuffer();
    return change;
  };

  let accounts: Accounts | undefined;
  let closeStore = async () => {};
  let screens: Screens | undefined;
  let monitor: BusMonitor | undefined;
  const people: Person[] = [];
  const there = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error("the stage is not filled yet");
    return part;
  };

  const addPerson = async (index: number): Promise<Person> => {
    const isPushing = index >= SPOTIFY_USERS;
    const listener = spotify.spotify.addUser({ listening: idle });
    const settings = {
      clientId: spotify.spotify.clientId,
      refreshToken: listener.refreshToken,
      consentedAt: Date.now(),
      ...{ accountId: listener.id, displayName: "Ada", product: null },
    };
    const { add, connections } = there(accounts);
    const [added] = await add(
      [`user-${index}`],
      isPushing ? { source: "json", settings: null } : { source: "spotify", settings },
    );
    if (!added) throw new Error("a user was not added");
    if (!isPushing) return { ...added, index, listener, inbox: undefined };
    await connections.connect(added.user, "spotify", settings);
    const [json] = await connections.allOf(added.user.id);
    const secret = await connections.secretOf(json?.id ?? 0);
    return { ...added, index, listener, inbox: `/in/${secret}/json` };
  };

  const openAccounts = async (): Promise<Accounts> => {
    if (accounts) return accounts;
    const store = await openPostgresStore(databaseUrl, { whenMissing: "refuse", most: 4 });
    closeStore = async () => store.close();
    accounts = await createAccounts({ store, vault: createVault(key), wallMs: Date.now });
    await accounts.checkForChanges();
    return accounts;
  };

  return {
    ...{ twitch: chats.twitch, lines: chats.lines },
    ...{ postgres, databaseUrl, baseUrl, places, proxy, people, start, push },
    calls: spotify.spotify.calls,
    get accounts() {
      return there(accounts);
    },
    get screens() {
      return there(screens);
    },
    get monitor() {
      return there(monitor);
    },
    async fill() {
      await openAccounts();
      monitor = openBusMonitor(
        databaseUrl,
        createMessageSeal(createVault(key), () => 0),
      );
      for (let index = 0; index < SPOTIFY_USERS + PUSHING_USERS; index++) {
        people.push(await addPerson(index));
      }
      // It takes all nodes for ready until it has asked them, so they get equally many overlays.
      balancer = Bun.spawn(["haproxy", "-f", write("haproxy.cfg", config)], {
        stdout: "ignore",
        stderr: "ignore",
      });
      await until(async () => (await readiness({ url: baseUrl })) === 200 || undefined);
      screens = openScreens(
        people.map(
          ({ widgetToken }) => `${baseUrl.replace("http", "ws")}/en/widget/${widgetToken}/live`,
        ),
        (user) => monitor?.lastReportsOf(people[user]?.user.id ?? 0) ?? "",
      );
    },
    async linkChats() {
      const { add, chat } = await openAccounts();
      const names = Array.from({ length: CHATS * APART }, (_, index) => `chat-${index}`);
      const added = await add(names, { source: "demo", settings: null });
      const linked = added.map(({ user }) => user).filter((_, index) => index % APART === 0);
      for (const user of linked) {
        await storeLink(chats.twitch, chat, user, { options: { quietS: QUIET_S } });
      }
      return linked.map(({ name }) => name);
    },
    async play(person) {
      const change = note(person);
      listenTo(person.listener, titleOf(change.number));
      return change;
    },
    async remove() {
      balancer?.kill();
      await monitor?.stop();
      await Promise.all(places.map(({ server }) => server?.kill()));
      await closeStore();
      await spotify.stop();
      await chats.stop();
      proxy.stop();
      await postgres.remove();
      folder.remove();
    },
  };
}

/** A stand-in Twitch that each node reaches at an address of its own. */
function openChats() {
  const twitch = startTwitch({ clock: systemClock });
  const lines: ChatLine[] = [];
  const servers: Bun.Server<undefined>[] = [];
  const openDoor = () => {
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        const { method, headers } = request;
        const body = await request.text();
        const answer = await fetch(twitch.apiUrl + pathname + search, {
          ...{ method, headers },
          ...(method !== "GET" && { body }),
        });
        // One whose token has ended is sent again with another.
        if (pathname === "/chat/messages" && answer.ok) {
          const { reply_parent_message_id: question = "" } = JSON.parse(body);
          lines.push({ door: doorOf(server), question, atMs: performance.now() });
        }
        return answer;
      },
    });
    servers.push(server);
    return doorOf(server);
  };
  return {
    ...{ twitch, lines, openDoor },
    async stop() {
      await Promise.all(servers.map((server) => server.stop(true)));
      await twitch.stop();
    },
  };
}

const doorOf = ({ port }: Bun.Server<undefined>) => `http://127.0.0.1:${port}`;

/** The balancer that is shipped, with other addresses. */
async function balancerConfig(port: number, places: readonly Place[]): Promise<string> {
  const shipped = await Bun.file(join(packaging, "haproxy.cfg")).text();
  const servers = places.map((place, at) => `    server node-${at + 1} 127.0.0.1:${place.port}`);
  return `${shipped
    .replace("maxconn 20000", "maxconn 4000")
    .replace("bind :4747", `bind 127.0.0.1:${port}`)
    .replace(/^ *server node-.*\n?/gm, "")}${servers.join("\n")}\n`;
}

/** What a node counts. */
export async function countOf({ url }: Place, gauge: GaugeName): Promise<number> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return Number(new RegExp(`^marquee_${gauge} (.+)$`, "m").exec(text)?.[1]);
}

/** The status of `/readyz`; 0 without an answer within three seconds. */
export async function readiness({ url }: Pick<Place, "url">): Promise<number> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}
