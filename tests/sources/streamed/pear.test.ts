import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Playback, positionAt, reconcile } from "../../../src/playback.ts";
import { createPear } from "../../../src/sources/kinds/pear/index.ts";
import { createFakeClock, type FakeClock } from "../../fixtures/clock/fake-clock.ts";
import { until } from "../../fixtures/clock/waiting.ts";
import { createLine, isIn, isTitled, listenTo } from "../../fixtures/sources/streamed/listening.ts";
import {
  anAmuseAnswer,
  aVideo,
  type PearDesktop,
  startPearDesktop,
} from "../../fixtures/sources/streamed/pear-desktop.ts";

// It is loaded when first needed, which no clock that stands still waits for.
await import("../../../src/upstream/socket.ts");

let clock: FakeClock;
let line: ReturnType<typeof createLine>;
let stop: AbortController;
let server: PearDesktop;
beforeEach(() => {
  clock = createFakeClock();
  line = createLine(clock);
  stop = new AbortController();
  server = startPearDesktop();
});
afterEach(async () => {
  stop.abort();
  await server.stop();
});
const source = () => createPear(line);
const listen = (token: string) =>
  listenTo(source(), { url: server.url, token }, clock, stop.signal);
const subscribed = () => until(() => server.listeners() > 0 || undefined);

const whatBothTell = {
  source: "YouTube Music",
  state: "playing",
  track: { id: "v1", title: "Paper Lanterns", durationMs: 200_000 },
  artists: ["Juniper Vale"],
  positionMs: 12_000,
} as const;

describe("pear-desktop with a token", () => {
  test("is followed with all that it says", async () => {
    const playback = await listen(server.token).next(isTitled("Paper Lanterns"));
    expect(playback).toMatchObject({ ...whatBothTell, album: { name: "Slow Weather" } });
    expect(playback.album.artworks[0]?.url).toBe("https://images.example/cover.jpg");
  });

  test("names the show of an episode as its album, too", async () => {
    server.plays({ ...aVideo, album: null, mediaType: "PODCAST_EPISODE" });
    const playback = await listen(server.token).next(isTitled("Paper Lanterns"));
    expect([playback.artists, playback.album.name]).toEqual([["Juniper Vale"], "Juniper Vale"]);
  });

  test("is followed as it changes", async () => {
    const { next } = listen(server.token);
    await subscribed();
    server.sends({
      type: "PLAYER_INFO",
      song: aVideo,
      isPlaying: true,
      muted: false,
      position: 12,
      volume: 60,
    });
    await next(({ device }) => device.volumePercent === 60);
    server.sends({ type: "PLAYER_STATE_CHANGED", isPlaying: false, position: 20 });
    expect((await next(isIn("paused"))).positionMs).toBe(20_000);
    server.sends({ type: "PLAYER_STATE_CHANGED", isPlaying: true, position: 20 });
    await next(isIn("playing"));
    server.sends({ type: "POSITION_CHANGED", position: 90 });
    await next(({ positionMs }) => positionMs === 90_000);
    server.begins({ ...aVideo, videoId: "v2", title: "Next One" });
    expect((await next(isTitled("Next One"))).positionMs).toBe(0);
  });

  test("goes on where it is while a message says nothing of its position", async () => {
    const { next } = listen(server.token);
    await subscribed();
    await next(isTitled("Paper Lanterns"));
    await clock.advance(4_000);
    server.sends({ type: "VOLUME_CHANGED", volume: 30 });
    expect((await next(({ device }) => device.volumePercent === 30)).positionMs).toBe(16_000);
  });

  test("counts from the first sight where it does not say how far a song is", async () => {
    const { elapsedSeconds: _, ...song } = aVideo;
    server.plays(song);
    const playback = await listen(server.token).next(isTitled("Paper Lanterns"));
    expect(playback).toMatchObject({ positionMs: 0, positionUnknown: true });
  });

  test("does not jump when it counts in whole seconds", async () => {
    const { next, received } = listen(server.token);
    await subscribed();
    await next(isTitled("Paper Lanterns"));
    await clock.advance(1_900);
    const before = received.length;
    server.sends({ type: "POSITION_CHANGED", position: 13 });
    await until(() => received.length > before || undefined);
    const kept = received.reduce<Playback | null>(reconcile, null);
    expect(kept && positionAt(kept, clock.monotonicMs())).toBe(13_900);
  });

  test("plays the song that is chosen while another is paused", async () => {
    const { next } = listen(server.token);
    await subscribed();
    server.sends({ type: "PLAYER_STATE_CHANGED", isPlaying: false, position: 20 });
    await next(isIn("paused"));
    server.begins({ ...aVideo, videoId: "v2", title: "Next One" });
    expect(await next(isTitled("Next One"))).toMatchObject({ state: "playing", positionMs: 0 });
  });

  test("is nothing without a song, and plays the first one that begins", async () => {
    server.plays(null);
    const { nothing, next } = listen(server.token);
    await nothing();
    await subscribed();
    server.sends({ type: "PLAYER_INFO", isPlaying: false, muted: false, position: 0, volume: 100 });
    server.begins(aVideo);
    expect(await next(isTitled("Paper Lanterns"))).toMatchObject({ state: "playing" });
  });

  test("is asked every second where it takes no sockets", async () => {
    server.hasNoSockets();
    const { next, nothing } = listen(server.token);
    await next(isTitled("Paper Lanterns"));
    server.plays({ ...aVideo, isPaused: true });
    await line.pass(1_000);
    await next(isIn("paused"));
    server.plays(null);
    await line.pass(1_000);
    await nothing();
  });

  test("is unavailable when the connection is lost, or says nonsense", async () => {
    const first = listen(server.token);
    await subscribed();
    server.hangsUp();
    expect((await first.failure()).meaning.kind).toBe("unavailable");
    const second = listen(server.token);
    await subscribed();
    server.sends("nonsense");
    expect((await second.failure()).meaning.kind).toBe("unavailable");
  });
});

describe("pear-desktop without a token", () => {
  test("is followed through Amuse, every second", async () => {
    const { next, nothing } = listen("");
    expect(await next(isTitled("Paper Lanterns"))).toMatchObject(whatBothTell);
    server.amuses({ ...anAmuseAnswer, player: { ...anAmuseAnswer.player, isPaused: true } });
    await clock.advance(1_000);
    await next(isIn("paused"));
    server.amuses({ player: { hasSong: false }, track: {} });
    await clock.advance(1_000);
    await nothing();
  });

  test("is expected where Amuse listens, and with one where the API does", () => {
    expect(source().open({}).settings).toMatchObject({ url: "http://127.0.0.1:9863" });
    expect(source().open({ token: "t" }).settings).toMatchObject({ url: "http://127.0.0.1:26538" });
  });
});
