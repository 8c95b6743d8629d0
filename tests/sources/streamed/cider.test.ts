import { afterEach, beforeEach, expect, test } from "bun:test";
import { createCider } from "../../../src/sources/kinds/cider/index.ts";
import { createFakeClock, type FakeClock } from "../../fixtures/clock/fake-clock.ts";
import { until } from "../../fixtures/clock/waiting.ts";
import {
  aCiderSong,
  type CiderApp,
  startCider,
} from "../../fixtures/sources/streamed/cider-app.ts";
import { createLine, isIn, isTitled, listenTo } from "../../fixtures/sources/streamed/listening.ts";

// It is loaded when first needed, which no clock that stands still waits for.
await import("../../../src/upstream/socket.ts");

let clock: FakeClock;
let line: ReturnType<typeof createLine>;
let stop: AbortController;
let server: CiderApp;
const start = (options?: Parameters<typeof startCider>[0]) => {
  server = startCider(options);
};
beforeEach(() => {
  clock = createFakeClock();
  line = createLine(clock);
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await server.stop();
});
const listen = (token = server.token) =>
  listenTo(createCider(line), { url: server.url, token }, clock, stop.signal);
const joined = () => until(() => server.listeners() > 0 || undefined);

test("Cider is followed with all that it says", async () => {
  start();
  const playback = await listen().next(isTitled("Paper Lanterns"));
  expect(playback).toMatchObject({
    source: "Cider",
    state: "playing",
    track: { id: "c1", durationMs: 200_000, explicit: true },
    artists: ["Juniper Vale"],
    album: { name: "Slow Weather" },
    positionMs: 12_000,
  });
  expect(playback.album.artworks[0]?.url).toBe("https://images.example/640x640.jpg");
});

test.each(["", "another-token"])("asks for another token than %p", async (token) => {
  start();
  expect((await listen(token).failure()).meaning.kind).toBe("unauthorized");
});

test("changes are followed as they happen", async () => {
  start();
  const { next, nothing } = listen();
  await joined();
  // Once at first, and once since it tells of changes.
  await until(() => server.asked() === 2 || undefined);
  const asked = server.asked();
  server.tells("playbackStatus.playbackStateDidChange", {
    state: "paused",
    attributes: aCiderSong,
  });
  await next(isIn("paused"));
  server.tells("playbackStatus.playbackStateDidChange", {
    state: "playing",
    attributes: aCiderSong,
  });
  await next(isIn("playing"));
  server.tells("playbackStatus.playbackTimeDidChange", {
    currentPlaybackTime: 90.5,
    currentPlaybackDuration: 200,
    isPlaying: true,
  });
  await next(({ positionMs }) => positionMs === 90_500);
  server.tells("playerStatus.volumeDidChange", 0.4);
  await next(({ device }) => device.volumePercent === 40);
  const song = { ...aCiderSong, name: "Next One", playParams: { id: "c2" } };
  server.tells("playbackStatus.nowPlayingItemDidChange", song);
  expect((await next(isTitled("Next One"))).positionMs).toBe(0);
  server.tells("playbackStatus.nowPlayingItemDidChange", null);
  await nothing();
  expect(server.asked()).toBe(asked);
});

test("what changes before events are told is asked for", async () => {
  const song = { ...aCiderSong, name: "Next One", playParams: { id: "c2" } };
  start({ beforeJoining: () => server.plays(song) });
  await listen().next(isTitled("Next One"));
});

test("a song goes on where it is while an event says nothing of its position", async () => {
  start();
  const { next, received } = listen();
  // Once at first, and once since it tells of changes.
  await until(() => received.length === 2 || undefined);
  await clock.advance(4_000);
  server.tells("playerStatus.volumeDidChange", 0.4);
  expect((await next(({ device }) => device.volumePercent === 40)).positionMs).toBe(16_000);
  server.tells("playbackStatus.playbackStateDidChange", { state: "paused" });
  expect((await next(isIn("paused"))).positionMs).toBe(16_000);
});

const playParams = { id: "ra.1", kind: "radioStation" };

test("each song of a radio station has an id of its own", async () => {
  start();
  const { next } = listen();
  await joined();
  const idOf = async (name: string) => {
    server.tells("playbackStatus.nowPlayingItemDidChange", { ...aCiderSong, name, playParams });
    return (await next(isTitled(name))).track.id;
  };
  expect(await idOf("First")).not.toBe(await idOf("Second"));
});

test("the songs of a radio station have the station's position, and not its length", async () => {
  start();
  const station = { ...aCiderSong, currentPlaybackTime: 3_000, durationInMillis: 7_200_000 };
  server.plays({ ...station, name: "First", playParams });
  const { next, received } = listen();
  // Once at first, and once since it tells of changes.
  await until(() => received.length === 2 || undefined);
  await clock.advance(4_000);
  const second = { ...station, name: "Second", playParams };
  server.tells("playbackStatus.nowPlayingItemDidChange", second);
  expect(await next(isTitled("Second"))).toMatchObject({
    track: { durationMs: null },
    positionMs: 3_004_000,
  });
  const another = { ...second, name: "Third", playParams: { ...playParams, id: "ra.2" } };
  server.tells("playbackStatus.nowPlayingItemDidChange", another);
  expect((await next(isTitled("Third"))).positionMs).toBe(0);
});

test("pings are answered, and what is not about playback is ignored", async () => {
  start();
  const { next } = listen();
  await joined();
  server.sends("2");
  server.sends('42["API:Other",{}]');
  server.sends("6");
  await until(() => server.packets.includes("3") || undefined);
  server.tells("playbackStatus.playbackStateDidChange", { state: "paused" });
  await next(isIn("paused"));
});

test("it is asked every second where it pushes nothing", async () => {
  start({ pushes: false });
  const { next, nothing } = listen();
  await next(isTitled("Paper Lanterns"));
  // The next question is due once the push has been refused.
  await until(() => clock.waiting() > 0 || undefined);
  server.plays(aCiderSong, false);
  await until(async () => {
    await line.pass(500);
    return server.asked() > 1 || undefined;
  });
  await next(isIn("paused"));
  server.plays({});
  await until(async () => {
    await line.pass(500);
    return server.asked() > 2 || undefined;
  });
  await nothing();
});
