import { afterEach, beforeEach, describe, expect, test as bunTest } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Playback } from "../../../src/playback.ts";
import { SEEK_SETTLES_MS } from "../../../src/sources/kinds/mpris/seek.ts";
import { inTime } from "../../fixtures/clock/waiting.ts";
import { createTempFolder } from "../../fixtures/data/temp-folder.ts";
import {
  aSong,
  type FakePlayer,
  type FakeProperties,
  startFakePlayer,
} from "../../fixtures/mpris/fake-player.ts";
import { listenToBus } from "../../fixtures/mpris/listening.ts";
import { dbusIsInstalled, startSessionBus } from "../../fixtures/mpris/session-bus.ts";
import { sharedBus } from "../../fixtures/mpris/shared-bus.ts";
import { testWith } from "../../fixtures/real-parts.ts";
import { noisePicture, patternPicture } from "../../fixtures/sources/pictures.ts";

const test = testWith("dbus-daemon", dbusIsInstalled);

const bus = sharedBus();
let folder: ReturnType<typeof createTempFolder>;
let stop: AbortController;
let players: FakePlayer[] = [];
beforeEach(() => {
  stop = new AbortController();
  folder = createTempFolder();
});
afterEach(async () => {
  stop.abort();
  for (const player of players.splice(0)) await player.leaves();
  folder.remove();
});

async function play(name: string, properties: Partial<FakeProperties> = {}) {
  const player = await startFakePlayer(bus().address, name, { ...aSong, ...properties });
  players.push(player);
  return player;
}

const listen = (settings: { player?: string } = {}, busAddress = bus().address) =>
  listenToBus(busAddress, stop.signal, settings);

const titled = (title: string) => ({
  Metadata: { ...aSong.Metadata, "xesam:title": ["s", title] } as const,
});
const withCover = (artUrl: string) => ({
  Metadata: { ...aSong.Metadata, "mpris:artUrl": ["s", artUrl] } as const,
});
const isTitled = (title: string) => (playback: Playback) => playback.track.title === title;

describe("a player on the session bus", () => {
  test("is followed with all that it says", async () => {
    await play("lute");
    const playback = await listen().next(isTitled("Paper Lanterns"));
    expect(playback).toMatchObject({
      source: "MPRIS",
      state: "playing",
      track: { title: "Paper Lanterns", durationMs: 200_000 },
      artists: ["Juniper Vale", "The Ferrymen"],
      album: { name: "Slow Weather", artworks: [] },
      device: { name: "The lute", type: "mpris", volumePercent: 50 },
      positionMs: 12_000,
      rate: 1,
    });
  });

  test("is followed when it pauses, goes on, seeks and changes the track", async () => {
    const player = await play("lute");
    const { next } = listen();
    await next(isTitled("Paper Lanterns"));
    player.says({ PlaybackStatus: "Paused", positionMs: 20_000 });
    expect((await next(({ state }) => state === "paused")).positionMs).toBe(20_000);
    player.says({ PlaybackStatus: "Playing" });
    await next(({ state }) => state === "playing");
    player.seeks(90_000);
    await next(({ positionMs }) => positionMs >= 90_000);
    player.settles();
    player.says(titled("Next One"));
    await next(isTitled("Next One"));
  });

  test.each<[answer: string, answeredMs: number]>([
    ["0", 0],
    ["the position before it", 12_000],
  ])("is believed about a seek although it answers %s for a while", async (_, answeredMs) => {
    const player = await play("lute");
    const { next, received } = listen();
    await next(isTitled("Paper Lanterns"));
    const soughtAtMs = performance.now();
    player.seeks(90_000, answeredMs);
    const sought = await next(({ positionMs }) => positionMs > 12_000);
    const since = received.indexOf(sought);
    // Whatever it signals meanwhile is read with the same wrong position.
    player.says({ Volume: 0.25 });
    const louder = await next(({ device }) => device.volumePercent === 25);
    const elapsedMs = louder.observedAtMs - sought.observedAtMs;
    expect(louder.positionMs - sought.positionMs).toBeWithin(elapsedMs - 1, elapsedMs + 1);
    player.settles();
    // A fake player's position stands still, so that it shows when it was read.
    const settled = await next(
      ({ positionMs, observedAtMs }) => positionMs === 90_000 && observedAtMs - soughtAtMs > 500,
    );
    expect(settled.observedAtMs - soughtAtMs).toBeGreaterThanOrEqual(SEEK_SETTLES_MS);
    expect(received.slice(since).every((one) => one && one.positionMs >= 90_000)).toBe(true);
  });

  test("is at the beginning of the next track, although it has just sought in the one before", async () => {
    const player = await play("lute");
    const { next } = listen();
    await next(isTitled("Paper Lanterns"));
    player.seeks(90_000);
    await next(({ positionMs }) => positionMs >= 90_000);
    player.settles();
    player.says({ ...titled("Next One"), positionMs: 300 });
    expect((await next(isTitled("Next One"))).positionMs).toBe(300);
  });

  test("has not begun yet at a negative position, but stays where it was at one that says nothing", async () => {
    const player = await play("lute");
    const { next } = listen();
    await next(isTitled("Paper Lanterns"));
    player.says({ PlaybackStatus: "Paused", positionMs: 20_000 });
    await next(({ positionMs }) => positionMs === 20_000);
    player.says({ positionMs: -1, Volume: 0.25 });
    expect((await next(({ device }) => device.volumePercent === 25)).positionMs).toBe(20_000);
    player.says({ positionMs: -182, Volume: 0.75 });
    expect((await next(({ device }) => device.volumePercent === 75)).positionMs).toBe(0);
  });

  test("is nothing when it stops, and when it leaves", async () => {
    const player = await play("lute");
    const { next, nothing } = listen();
    await next(isTitled("Paper Lanterns"));
    player.says({ PlaybackStatus: "Stopped" });
    await nothing();
    player.says({ PlaybackStatus: "Playing" });
    await next(isTitled("Paper Lanterns"));
    await player.leaves();
    players = [];
    await nothing();
  });

  test("is found when it comes later", async () => {
    const { next, nothing } = listen();
    await nothing();
    await play("lute");
    await next(isTitled("Paper Lanterns"));
  });

  test("may send single names, other numbers and no title", async () => {
    await play("lute", {
      Volume: 1.4,
      Rate: 0,
      Metadata: {
        "mpris:length": ["d", 61_500_000],
        "xesam:artist": ["s", "One Name"],
        "xesam:url": ["s", "file:///home/ada/Music/A%20File.flac"],
      },
    });
    const playback = await listen().next(isTitled("A File"));
    expect(playback).toMatchObject({
      track: { durationMs: 61_500 },
      artists: ["One Name"],
      device: { volumePercent: 100 },
      rate: 1,
    });
    // The folders of its owner are nobody's business.
    expect(JSON.stringify(playback)).not.toContain("ada");
  });

  test("that names every track the same is seen to change it", async () => {
    const player = await play("lute");
    const { next } = listen();
    const first = await next(isTitled("Paper Lanterns"));
    player.says(titled("Next One"));
    expect((await next(isTitled("Next One"))).track.id).not.toBe(first.track.id);
  });

  test("that plays is followed rather than one that is paused, and the one followed before stays", async () => {
    const first = await play("lute", { PlaybackStatus: "Paused" });
    const second = await play("harp", titled("Harp Song"));
    const { next, received } = listen();
    await next(isTitled("Harp Song"));
    first.says({ ...titled("Lute Song"), PlaybackStatus: "Playing" });
    second.says({ positionMs: 1_000 });
    await next(({ positionMs }) => positionMs === 1_000);
    expect(received.some((one) => one?.track.title === "Lute Song")).toBe(false);
    second.says({ PlaybackStatus: "Paused" });
    await next(isTitled("Lute Song"));
  });

  test("is the only one followed when the user names it", async () => {
    await play("lute.instance42", titled("Lute Song"));
    const harp = await play("harp", titled("Harp Song"));
    const { next, received } = listen({ player: "lute" });
    await next(isTitled("Lute Song"));
    harp.says({});
    await play("lutes", titled("Another"));
    expect(new Set(received.map((one) => one?.track.title))).toEqual(new Set(["Lute Song"]));
  });

  test("that repeats others is ignored", async () => {
    await play("playerctld", titled("Echo"));
    await play("lute");
    const { next, received } = listen();
    await next(isTitled("Paper Lanterns"));
    expect(received.some((one) => one?.track.title === "Echo")).toBe(false);
  });

  test("that hangs keeps nobody from following another", async () => {
    const hung = await play("lute");
    hung.hangs();
    await play("harp", titled("Harp Song"));
    await listen().next(isTitled("Harp Song"));
  });
});

describe("a cover", () => {
  const loaded = async (playback: Playback) => playback.album.artworks[0]?.load();

  test("in a file is read, and is another one when the file changes", async () => {
    const path = join(folder.path, "a cover.png");
    writeFileSync(path, await patternPicture("png", 8));
    const player = await play("lute", withCover(`file://${encodeURI(path)}`));
    const { next, last } = listen();
    const playback = await next(({ album }) => album.artworks.length === 1);
    expect(await loaded(playback)).toEqual(await patternPicture("png", 8));
    player.says({ positionMs: 1_000 });
    const again = await next(({ positionMs }) => positionMs === 1_000);
    expect(again.album.artworks[0]?.key).toBe(playback.album.artworks[0]?.key);
    writeFileSync(path, await patternPicture("png", 16));
    player.says({ positionMs: 2_000 });
    const changed = await next(({ positionMs }) => positionMs === 2_000);
    expect(changed.album.artworks[0]?.key).not.toBe(playback.album.artworks[0]?.key);
    expect(last()?.album.artworks[0]?.url).toBeUndefined();
  });

  test("inside its address is read", async () => {
    const picture = await patternPicture("png", 8);
    await play(
      "lute",
      withCover(`data:image/png;base64,${Buffer.from(picture).toString("base64")}`),
    );
    const playback = await listen().next(({ album }) => album.artworks.length === 1);
    expect(Buffer.from((await loaded(playback)) ?? []).equals(picture)).toBe(true);
    expect(playback.album.artworks[0]?.key.length).toBeLessThan(100);
  });

  test("inside its address is read when it is larger than anybody else may send", async () => {
    const picture = noisePicture(160);
    const base64 = Buffer.from(picture).toString("base64");
    expect(base64.length).toBeGreaterThan(48 * 1024);
    await play("lute", withCover(`data:image/png;charset=utf-8;base64,${base64}`));
    const playback = await listen().next(({ album }) => album.artworks.length === 1);
    expect(Buffer.from((await loaded(playback)) ?? []).equals(picture)).toBe(true);
  });

  test("on a listed host is read with plain http", async () => {
    const picture = await patternPicture("png", 8);
    await using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(Buffer.from(picture)),
    });
    await play("lute", withCover(`${server.url}cover.png`));
    const playback = await listen().next(({ album }) => album.artworks.length === 1);
    expect(Buffer.from((await loaded(playback)) ?? []).equals(Buffer.from(picture))).toBe(true);
    expect(playback.album.artworks[0]?.url).toBeUndefined();
  });

  test("of more than eight megabytes, in a folder or in a pipe is not read", async () => {
    writeFileSync(join(folder.path, "large"), new Uint8Array(8 * 1024 * 1024 + 1));
    mkdirSync(join(folder.path, "folder"));
    Bun.spawnSync(["mkfifo", join(folder.path, "pipe")]);
    const player = await play("lute");
    const { next } = listen();
    for (const [index, name] of ["large", "folder", "pipe"].entries()) {
      player.says({ positionMs: index, ...withCover(`file://${join(folder.path, name)}`) });
      const playback = await next(
        ({ positionMs, album }) => positionMs === index && album.artworks.length === 1,
      );
      expect(
        await inTime(
          name,
          loaded(playback).then(undefined, () => "refused"),
        ),
      ).toBe("refused");
    }
  });

  test.each([
    "file://elsewhere/cover.png",
    "file:///no/such/file",
    "http://192.168.1.1/cover.png",
    "ftp://example.com/a.png",
    "data:text/html,hello",
    "nonsense",
  ])("at %s is left out", async (artUrl) => {
    await play("lute", withCover(artUrl));
    const playback = await listen().next(isTitled("Paper Lanterns"));
    expect(playback.album.artworks).toEqual([]);
  });

  test("on a server of the home network is not fetched", async () => {
    await play("lute", withCover("https://192.168.1.1/cover.png"));
    const playback = await listen().next(({ album }) => album.artworks.length === 1);
    await expect(loaded(playback)).rejects.toThrow("not an address that may be called");
  });
});

describe("the session bus", () => {
  test.each(["unix:path=/nowhere/bus", "nonsense"])("at %s is unavailable", async (address) => {
    const failure = await listen({}, address).failure();
    expect(failure.meaning.kind).toBe("unavailable");
    expect(failure.message).toContain("the session of your desktop");
  });

  test("that answers nothing makes the source unavailable, and breaks nothing else", async () => {
    const silent = Bun.listen({
      unix: join(folder.path, "bus"),
      socket: {
        data(socket, bytes) {
          // Who comes is let in; after that it is silent.
          if (bytes.includes("AUTH EXTERNAL")) socket.write(`OK ${"0".repeat(32)}\r\n`);
        },
      },
    });
    const address = `unix:path=${join(folder.path, "bus")}`;
    expect((await listen({}, address).failure()).meaning.kind).toBe("unavailable");
    silent.stop(true);
  });

  test("that ends makes the source unavailable", async () => {
    const own = await startSessionBus();
    const { failure, nothing } = listen({}, own.address);
    await nothing();
    await own.stop();
    await failure();
  });
});

// The tests of a source without its bus are of no use; this one needs none.
bunTest("importing the source loads nothing of D-Bus", async () => {
  const child = Bun.spawn(
    [
      process.execPath,
      "-e",
      `await import(${JSON.stringify(join(import.meta.dir, "../../../src/sources/kinds/mpris/index.ts"))});
       console.log(Object.keys(require.cache).filter((path) => path.includes("dbus-native")).length)`,
    ],
    { stdout: "pipe", stderr: "ignore" },
  );
  expect((await new Response(child.stdout).text()).trim()).toBe("0");
});
