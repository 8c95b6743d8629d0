import { noMetrics } from "../../src/metrics.ts";
import { afterEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "../../src/clock.ts";
import { resolveConfig } from "../../src/config.ts";
import { createSources, withoutServer } from "../../src/sources/index.ts";
import type { Found } from "../../src/sources/here/players-here.ts";
import { isConnectedAs } from "../../src/sources/here/players-here.ts";
import type { Fetch } from "../../src/upstream/index.ts";
import { createFakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import { inTime, until } from "../fixtures/clock/waiting.ts";
import { createTempFolder } from "../fixtures/data/temp-folder.ts";
import { createFakeMpd } from "../fixtures/mpd/fake-mpd.ts";
import { silentFlac } from "../fixtures/mpd/flac.ts";
import { createMpdDaemon, mpdIsInstalled } from "../fixtures/mpd/mpd-daemon.ts";
import { aSong, startFakePlayer } from "../fixtures/mpris/fake-player.ts";
import { dbusIsInstalled } from "../fixtures/mpris/session-bus.ts";
import { sharedBus } from "../fixtures/mpris/shared-bus.ts";
import { createVlcPlayer, vlcIsInstalled } from "../fixtures/players/vlc-player.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { aCiderSong, startCider } from "../fixtures/sources/streamed/cider-app.ts";
import { startPearDesktop } from "../fixtures/sources/streamed/pear-desktop.ts";
import { emptyMachine } from "../fixtures/sources/empty-machine.ts";
import { networkOf } from "../fixtures/http/network.ts";
import { NETWORK } from "../../src/upstream/index.ts";

const NOWHERE = "127.0.0.1:1";
const MPD = "127.0.0.1:6600";
const VLC = "http://127.0.0.1:8080";
const BEEFWEB = "http://127.0.0.1:8880";
const CIDER = "http://127.0.0.1:10767";
const AMUSE = "http://127.0.0.1:9863";
const PEAR = "http://127.0.0.1:26538";

interface TestMachine {
  /** Where programs are, by their usual addresses; the others are not there. */
  readonly places?: Readonly<Record<string, string>>;
  readonly busAddress?: string;
  readonly clock?: Clock;
  readonly fetch?: Fetch;
  onCall?(source: string): void;
}

/** A machine on which only these programs are. */
const sourcesOn = ({
  places = {},
  busAddress = emptyMachine.busAddress,
  clock = systemClock,
  fetch = NETWORK.fetch,
  onCall = () => {},
}: TestMachine) =>
  createSources({
    ...withoutServer(),
    clock,
    settings: resolveConfig({}, {}).config,
    memory: {
      appOf: () => undefined,
      pauseOf: () => undefined,
      rememberPause: async () => {},
    },
    network: networkOf(fetch),
    metrics: { ...noMetrics, upstreamCall: onCall },
    machine: {
      ...emptyMachine,
      at: (usual) => places[usual] ?? (usual.startsWith("http") ? `http://${NOWHERE}` : NOWHERE),
      busAddress,
    },
  });
/** What is found, without the source itself. */
const foundOn = async (machine: TestMachine) =>
  (await sourcesOn(machine).playersHere()).map(({ source, ...found }) => ({
    source: source.id,
    ...found,
  }));
const lanterns = { title: "Paper Lanterns", artist: "Juniper Vale" };
const flac = silentFlac({
  seconds: 180,
  tags: [
    ["TITLE", lanterns.title],
    ["ARTIST", lanterns.artist],
  ],
});

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
const started = <Part extends { stop(): unknown }>(part: Part): Part => {
  stops.push(() => part.stop());
  return part;
};
/** A server that answers every request, and notes their paths. */
function answering(answer: () => Response) {
  const paths: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      paths.push(new URL(request.url).pathname);
      return answer();
    },
  });
  stops.push(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}`, paths };
}

describe("on this machine", () => {
  test("nothing is found where there is nothing", async () => {
    expect(await foundOn({})).toEqual([]);
  });

  testWith("MPD", mpdIsInstalled)("a real MPD is found, with what it plays", async () => {
    const mpd = started(await createMpdDaemon({ music: { "one.flac": flac } }));
    const search = () => foundOn({ places: { [MPD]: mpd.address } });
    const settings = { address: mpd.address };
    expect(await search()).toEqual([{ source: "mpd", settings, track: null }]);
    await mpd.command('add "one.flac"');
    await mpd.command("play");
    const track = { ...lanterns, state: "playing" } as const;
    expect(await search()).toEqual([{ source: "mpd", settings, track }]);
  });

  testWith("MPD", mpdIsInstalled)("a real MPD with a password asks for it", async () => {
    const mpd = started(await createMpdDaemon({ music: {}, password: "swordfish" }));
    expect(await foundOn({ places: { [MPD]: mpd.address } })).toEqual([
      { source: "mpd", settings: { address: mpd.address }, needs: "password" },
    ]);
  });

  test("MPD is asked once, and not for its cover", async () => {
    const mpd = started(createFakeMpd());
    mpd.answers.set("status+currentsong", "state: play\nfile: a.mp3\nTitle: A\nOK\n");
    await foundOn({ places: { [MPD]: mpd.address } });
    expect(mpd.received).toEqual(["status+currentsong"]);
  });

  testWith("vlc", vlcIsInstalled)("a real VLC is found, and asks for its password", async () => {
    const vlc = started(await createVlcPlayer({ "one.flac": flac }));
    expect(await foundOn({ places: { [VLC]: vlc.url } })).toEqual([
      { source: "vlc", settings: { url: vlc.url }, needs: "password" },
    ]);
  });

  test("another program at VLC's port is not taken for VLC", async () => {
    const headers = { "WWW-Authenticate": 'Basic realm="Router"' };
    for (const answer of [
      () => new Response("", { status: 401, headers }),
      () => new Response("<h1>It works!</h1>"),
      () => Response.json({ state: "playing" }),
    ]) {
      const { url, paths } = answering(answer);
      const places = { [VLC]: url, [BEEFWEB]: url, [CIDER]: url, [AMUSE]: url };
      expect(await foundOn({ places })).toEqual([]);
      expect(paths.toSorted()).toEqual([
        "/api/player",
        "/api/v1/playback/now-playing",
        "/query",
        "/requests/status.json",
      ]);
    }
  });

  test("Beefweb is found by the name of its player, or asks for its password", async () => {
    const player = {
      info: { title: "foobar2000" },
      activeItem: { columns: ["Paper Lanterns", "Juniper Vale", "Slow Weather"] },
      playbackState: "paused",
    };
    const open = answering(() => Response.json({ player }));
    expect(await foundOn({ places: { [BEEFWEB]: open.url } })).toEqual([
      {
        source: "beefweb",
        name: "foobar2000",
        settings: { url: open.url },
        track: { ...lanterns, state: "paused" },
      },
    ]);
    const headers = { "WWW-Authenticate": 'Basic realm="beefweb"' };
    const locked = answering(() => new Response("", { status: 401, headers }));
    expect(await foundOn({ places: { [BEEFWEB]: locked.url } })).toEqual([
      { source: "beefweb", settings: { url: locked.url }, needs: "password" },
    ]);
  });

  test("Cider asks for its token, or tells its song to everybody", async () => {
    const cider = started(startCider());
    expect(await foundOn({ places: { [CIDER]: cider.url } })).toEqual([
      { source: "cider", settings: { url: cider.url }, needs: "token" },
    ]);
    const open = answering(() => Response.json({ status: "ok", info: aCiderSong }));
    expect(await foundOn({ places: { [CIDER]: open.url } })).toEqual([
      { source: "cider", settings: { url: open.url }, track: lanterns },
    ]);
  });

  test("pear-desktop is found by Amuse, which needs no token, else by its API", async () => {
    const pear = started(startPearDesktop());
    const api = { [PEAR]: pear.url };
    expect(await foundOn({ places: api })).toMatchObject([
      { source: "pear", settings: { url: pear.url }, needs: "token" },
    ]);
    expect(await foundOn({ places: { ...api, [AMUSE]: pear.url } })).toMatchObject([
      { source: "pear", settings: { url: pear.url }, track: { ...lanterns, state: "playing" } },
    ]);
  });

  test("a program that never answers is left out after a second, the others are found", async () => {
    const clock = createFakeClock();
    const cider = answering(() => Response.json({ info: aCiderSong }));
    const aborted: string[] = [];
    let underWay = 0;
    const whole = async (...call: Parameters<Fetch>) => {
      underWay += 1;
      try {
        const response = await fetch(...call);
        return new Response(await response.bytes(), response);
      } finally {
        underWay -= 1;
      }
    };
    const hanging: Fetch = (url, init) =>
      url.startsWith(cider.url)
        ? whole(url, init)
        : new Promise((_, reject) => {
            init.signal?.addEventListener("abort", () => {
              aborted.push(new URL(url).pathname);
              reject(new Error("aborted"));
            });
          });
    const places = { [CIDER]: cider.url, [VLC]: "http://127.0.0.1:2" };
    const searching = foundOn({ places, clock, fetch: hanging });
    await until(() => (cider.paths.length > 0 ? true : undefined));
    do {
      await until(() => (underWay === 0 ? true : undefined));
      await settle();
    } while (underWay > 0);
    await clock.advance(1_000);
    expect(await inTime("the search", searching)).toMatchObject([{ source: "cider" }]);
    expect(aborted).toContain("/requests/status.json");
  });

  test("calls that look for players are not counted as calls of the sources", async () => {
    const counted: string[] = [];
    const sources = sourcesOn({ onCall: (source) => counted.push(source) });
    expect(await sources.playersHere()).toEqual([]);
    expect(counted).toEqual([]);
  });

  test("players are asked again only after some seconds", async () => {
    const clock = createFakeClock();
    const cider = answering(() => Response.json({ info: aCiderSong }));
    const { playersHere } = sourcesOn({ places: { [CIDER]: cider.url }, clock, fetch });
    await Promise.all([playersHere(), playersHere()]);
    await playersHere();
    expect(cider.paths).toHaveLength(1);
    await clock.advance(3_000);
    await playersHere();
    expect(cider.paths).toHaveLength(2);
  });
});

describe("on the session bus", () => {
  const busTest = testWith("dbus-daemon", dbusIsInstalled);
  const bus = sharedBus();

  busTest("every player is found by its name, without the number of its process", async () => {
    for (const [name, state] of [
      ["chromium.instance42", "Paused"],
      ["chromium.instance43", "Playing"],
      ["idle", "Stopped"],
    ] as const) {
      const player = await startFakePlayer(bus().address, name, {
        ...aSong,
        PlaybackStatus: state,
      });
      stops.push(() => player.leaves());
    }
    const found = await foundOn({ busAddress: bus().address });
    expect(found.toSorted((a, b) => String(a.name).localeCompare(String(b.name)))).toEqual([
      {
        source: "mpris",
        name: "The chromium.instance43",
        settings: { player: "chromium" },
        track: {
          title: "Paper Lanterns",
          artist: "Juniper Vale, The Ferrymen",
          state: "playing",
        },
      },
      { source: "mpris", name: "The idle", settings: { player: "idle" }, track: null },
    ]);
  });

  const mpvIsInstalled = Bun.which("mpv") !== null && dbusIsInstalled;
  testWith("mpv with mpv-mpris", mpvIsInstalled)("a real mpv is found", async () => {
    const folder = createTempFolder();
    const path = join(folder.path, "a.flac");
    writeFileSync(path, flac);
    const mpv = Bun.spawn(["mpv", "--no-terminal", "--ao=null", "--no-video", path], {
      env: bus().environment,
      stdout: "ignore",
      stderr: "ignore",
    });
    stops.push(async () => {
      mpv.kill("SIGKILL");
      await mpv.exited;
      folder.remove();
    });
    const found = await until(async () => {
      const [player] = await sourcesOn({ busAddress: bus().address }).playersHere();
      return player?.track?.artist === lanterns.artist ? player : undefined;
    });
    expect(found).toMatchObject({
      name: "mpv",
      settings: { player: "mpv" },
      track: { ...lanterns, state: "playing" },
    });
  });
});

describe("a player is followed already", () => {
  const sources = sourcesOn({});
  const found = (
    id: string,
    settings: Found["settings"],
    otherSettings?: Found["settings"],
  ): Found => {
    const source = sources.byId(id);
    if (!source) throw new Error(`there is no source ${id}`);
    return { source, settings, ...(otherSettings && { otherSettings }) };
  };
  const isAudible = (one: Found, connected: object) =>
    isConnectedAs(one, one.source.open(connected));

  test.each(["127.0.0.1:6600", "localhost", "[::1]:6600", "127.0.0.1"])(
    "by a connection to its address, written %s",
    (address) => {
      expect(isAudible(found("mpd", { address: MPD }), { address })).toBe(true);
    },
  );

  test.each(["127.0.0.1:6601", "192.168.1.20:6600", "/run/mpd/socket"])(
    "but not by one to %s",
    (address) => {
      expect(isAudible(found("mpd", { address: MPD }), { address })).toBe(false);
    },
  );

  test("by a connection to the other address of the same player", () => {
    const pear = found("pear", { url: AMUSE }, { url: PEAR });
    expect(isAudible(pear, { url: PEAR, token: "correct-horse" })).toBe(true);
    expect(isAudible(pear, { url: "http://127.0.0.1:9999" })).toBe(false);
  });

  test("by a connection to all players of the desktop, or to this one", () => {
    const mpv = found("mpris", { player: "mpv" });
    expect([{}, { player: "mpv" }, { player: "vlc" }].map((one) => isAudible(mpv, one))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
