import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createAccounts, type AddedUser } from "../../src/accounts/accounts.ts";
import { run } from "../../src/cli/run.ts";
import { resolveConfig } from "../../src/config.ts";
import { openFolder } from "../../src/control/data-folder.ts";
import { freePort } from "../fixtures/clock/waiting.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { silentFlac } from "../fixtures/mpd/flac.ts";
import { createMpdDaemon, type MpdDaemon, mpdIsInstalled } from "../fixtures/mpd/mpd-daemon.ts";
import { dbusIsInstalled, startSessionBus } from "../fixtures/mpris/session-bus.ts";
import { createMpvPlayer, mpvIsInstalled } from "../fixtures/players/mpv-player.ts";
import { type MarqueeProcess, startMarquee } from "../fixtures/servers/marquee-process.ts";
import { aSession, startMediaServer } from "../fixtures/sources/streamed/media-server.ts";
import { startSpotify } from "../fixtures/spotify/listen.ts";
import { playingForEver } from "../fixtures/spotify/listening.ts";
import { type Disk, mountSmallDisk } from "./disk.ts";
import { createNames, type Names, PLAYER_HOST } from "./names.ts";
import { startProxy, type Proxy } from "./proxy.ts";
import { createWallClock, type WallClock } from "../fixtures/clock/wall-clock.ts";

/** A streamer whose music is followed in one way. */
export interface Streamer extends AddedUser {
  readonly name: string;
  /** Plays the next track. */
  next(): Promise<void>;
}

/** Everything that a run needs besides browsers. */
export interface Stage {
  readonly streamers: readonly Streamer[];
  /** The streamer whose music is pushed: what is pushed is known. */
  readonly pushed: Streamer & { push(title: string): Promise<void> };
  /** The path to which that streamer's music is pushed, with its secret. */
  readonly inbox: string;
  /** Keys of those who only ask. */
  readonly keys: string[];
  readonly crowd: readonly AddedUser[];
  /**
   * Carries a command out in this process, which asks the server, and returns what it prints for programs.
   * @throws where it ends with another code than 0
   */
  command(...words: string[]): Promise<Record<string, unknown>[]>;
  readonly folder: string;
  readonly data: string;
  readonly files: string;
  /** Between the server and its players, and between overlays and the server. */
  readonly proxies: {
    readonly upstreams: readonly Proxy[];
    /** The one whose player is known by its name, `PLAYER_HOST`. */
    readonly named: Proxy;
    readonly front: Proxy;
  };
  /** The disk of the data folder, if it has one of its own. */
  readonly disk: Disk | undefined;
  /** What the server knows of host names, if that is not the same as all programs. */
  readonly names: Names | undefined;
  readonly wallClock: WallClock | undefined;
  readonly missing: readonly string[];
  server: MarqueeProcess;
  /** The log of the servers before this one. */
  earlierLog: string;
  /** Starts the server that has ended, with more variables than usual if some are given. */
  restart(environment?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

const CROWD = 20;
const KEYS_EACH = 10;
/** Opens the server's metrics. */
export const METRICS_TOKEN = "metrics-of-an-endurance-run";

const song = (title: string, seconds: number) =>
  silentFlac({
    seconds,
    tags: [
      ["TITLE", title],
      ["ARTIST", "Juniper Vale"],
      ["ALBUM", "Slow Weather"],
    ],
  });

export async function setStage(): Promise<Stage> {
  const folder = createTempFolder();
  const [data, files] = [join(folder.path, "data"), join(folder.path, "files")];
  mkdirSync(data, { mode: 0o700 });
  const disk = mountSmallDisk(data, join(folder.path, "disk.img"));
  const names = createNames(folder.path);
  const wallClock = createWallClock(folder.path);
  const ends: (() => Promise<void> | void)[] = [() => folder.remove(), () => disk?.unmount()];
  const missing: string[] = wallClock ? [] : ["libfaketime"];
  const { config } = resolveConfig({ data }, {});
  const { store, vault } = openFolder(config);
  const accounts = createAccounts({ store, vault, wallMs: Date.now });
  const upstreams: Proxy[] = [];
  const through = (port: number) => {
    const proxy = startProxy({ hostname: "127.0.0.1", port });
    upstreams.push(proxy);
    ends.push(proxy.stop);
    return proxy;
  };
  const add = async (name: string, source: string, settings: unknown): Promise<AddedUser> => {
    const [added] = await accounts.add([name], { source, settings });
    if (!added) throw new Error(`${name} was not added`);
    return added;
  };
  const streamers: Streamer[] = [];

  if (mpdIsInstalled) {
    const music = Object.fromEntries(
      ["Glass Harbour", "Paper Lanterns", "潮騒"].map((title, at) => [
        `${at}.flac`,
        song(title, 300),
      ]),
    );
    const daemon: MpdDaemon = await createMpdDaemon({ music });
    for (const command of ['add "/"', "repeat 1", "play"]) await daemon.command(command);
    ends.push(daemon.stop);
    const address = `127.0.0.1:${through(Number(daemon.address.split(":")[1])).port}`;
    const user = await add("mpd", "mpd", { address });
    streamers.push({ ...user, name: "MPD", next: () => daemon.command("next") });
  } else missing.push("MPD");

  let environment: Record<string, string> = {};
  if (dbusIsInstalled && mpvIsInstalled) {
    const bus = await startSessionBus();
    environment = { DBUS_SESSION_BUS_ADDRESS: bus.address };
    const tracks = Array.from({ length: 3 }, (_, at) => [`${at}.flac`, song(`Reel ${at}`, 300)]);
    const mpv = await createMpvPlayer(Object.fromEntries(tracks), bus.address);
    await mpv.command(["set_property", "loop-playlist", "inf"]);
    ends.push(
      () => bus.stop(),
      () => mpv.stop(),
    );
    const user = await add("mpris", "mpris", { player: "" });
    streamers.push({ ...user, name: "MPRIS", next: () => mpv.command(["playlist-next"]) });
  } else missing.push("a session bus with mpv and mpv-mpris");

  const spotify = startSpotify();
  ends.push(() => spotify.stop());
  // Each track ends by itself after some seconds.
  const listener = spotify.spotify.addUser({ listening: playingForEver([9_000, 13_000, 11_000]) });
  const linked = await add("spotify", "spotify", {
    clientId: spotify.spotify.clientId,
    refreshToken: listener.refreshToken,
    consentedAt: Date.now(),
    ...{ accountId: listener.id, displayName: "Ada", product: null },
  });
  streamers.push({ ...linked, name: "Spotify", next: async () => {} });

  const jellyfin = startMediaServer("jellyfin");
  ends.push(jellyfin.stop);
  let reel = 0;
  const nextReel = async () => {
    reel += 1;
    jellyfin.lists([aSession({ item: { Id: `item-${reel}`, Name: `Episode ${reel}` } })]);
  };
  await nextReel();
  const named = through(Number(new URL(jellyfin.url).port));
  const jelly = await add("jellyfin", "jellyfin", {
    url: `http://${names ? PLAYER_HOST : "127.0.0.1"}:${named.port}`,
    user: "Ada",
    token: jellyfin.token,
  });
  streamers.push({ ...jelly, name: "Jellyfin", next: nextReel });

  const inboxOf = async ({ user }: AddedUser, name: string) => {
    const [connection] = accounts.connections.allOf(user.id);
    const secret = await accounts.connections.secretOf(connection?.id ?? 0);
    return `/in/${secret}/${name}`;
  };
  const post = async (path: string, body: object) => {
    for (;;) {
      const response = await fetch(stage.server.url + path, {
        method: "POST",
        body: JSON.stringify(body),
      });
      await response.text();
      if (response.status === 200) return;
      if (response.status !== 429) throw new Error(`a push was answered ${response.status}`);
      // What a frozen server could not take has piled up, so the program is asked to wait.
      await Bun.sleep(Number(response.headers.get("Retry-After")) * 1_000);
    }
  };
  const json = await add("json", "json", null);
  const jsonInbox = await inboxOf(json, "json");
  let pushes = 0;
  const push = (title: string) =>
    post(jsonInbox, { title, artist: "Osk Veldhuizen", duration_ms: 600_000, position_ms: 0 });
  const pushed = {
    ...{ ...json, name: "JSON", push },
    next: () => push(`Pushed ${(pushes += 1)}`),
  };
  streamers.push(pushed);
  const tuna = await add("tuna", "tuna", null);
  const tunaInbox = await inboxOf(tuna, "tuna");
  let songs = 0;
  let playing = "Tune 0";
  // OBS sends again and again what plays, or it is taken to have stopped.
  const tell = () =>
    post(tunaInbox, {
      data: { title: playing, artists: ["B"], status: "playing", progress: 0, duration: 600_000 },
      hostname: "obs",
    });
  const telling = setInterval(() => void tell().catch(() => {}), 1_000);
  ends.push(() => clearInterval(telling));
  streamers.push({
    ...{ ...tuna, name: "Tuna" },
    async next() {
      playing = `Tune ${(songs += 1)}`;
      await tell();
    },
  });

  const crowd = await accounts.add(
    Array.from({ length: CROWD }, (_, at) => `crowd-${at}`),
    { source: "demo", settings: null },
  );
  const keys: string[] = crowd.map(({ key }) => key);
  for (const { user } of crowd) {
    for (let made = 1; made < KEYS_EACH; made++) {
      keys.push((await accounts.keys.add(user, `caller ${made}`)).key);
    }
  }

  // From here on the data are the server's.
  store.close();
  const port = freePort();
  const front = startProxy({ hostname: "127.0.0.1", port });
  ends.push(front.stop);
  const start = (more: Readonly<Record<string, string>> = {}) =>
    startMarquee({
      folder: folder.path,
      environment: { ...environment, ...names?.environment, ...more },
      ...(names && { through: names.command }),
      arguments: [
        ...["--data", data, "--port", String(port), "--files", files],
        ...["--spotify-api-url", spotify.url, "--spotify-accounts-url", spotify.url],
        ...["--spotify-client-id", spotify.spotify.clientId, "--metrics-token", METRICS_TOKEN],
      ],
    });
  const stage: Stage = {
    ...{ streamers, pushed, keys, crowd, data, files, missing },
    inbox: jsonInbox,
    command: (...words) => carriedOut(data, words),
    ...{ disk, names, wallClock },
    folder: folder.path,
    proxies: { upstreams, named, front },
    server: await start(),
    earlierLog: "",
    async restart(more) {
      const started = await start(more);
      stage.earlierLog += stage.server.log();
      stage.server = started;
    },
    async stop() {
      await stage.server.stop();
      for (const end of ends.toReversed()) await end();
    },
  };
  for (const streamer of streamers) await streamer.next();
  return stage;
}

async function carriedOut(data: string, words: readonly string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const code = await run([...words, "--json"], {
    environment: { MARQUEE_DATA: data },
    out: (line) => out.push(line),
    error: (line) => errors.push(line),
  });
  if (code !== 0) throw new Error(`marquee ${words.slice(0, 2).join(" ")}: ${errors.join(" ")}`);
  return out.map((line): Record<string, unknown> => JSON.parse(line));
}
