import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Playback, positionAt, reconcile } from "../../../src/playback.ts";
import { createEmby, createJellyfin } from "../../../src/sources/kinds/media-browser/index.ts";
import { createFakeClock, type FakeClock, settle } from "../../fixtures/clock/fake-clock.ts";
import { until } from "../../fixtures/clock/waiting.ts";
import { createLine, isIn, isTitled, listenTo } from "../../fixtures/sources/streamed/listening.ts";
import {
  aSession,
  type MediaServer,
  type Pushing,
  startMediaServer,
} from "../../fixtures/sources/streamed/media-server.ts";

// It is loaded when first needed, which no clock that stands still waits for.
await import("../../../src/upstream/socket.ts");

describe.each(["jellyfin", "emby"] as const)("%s", (kind) => {
  let clock: FakeClock;
  let line: ReturnType<typeof createLine>;
  let stop: AbortController;
  let server: MediaServer;
  const start = (pushing?: Pushing) => {
    server = startMediaServer(kind, pushing, clock.wallMs);
    server.hides([aSession()]);
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

  const listen = (changes: Record<string, string> = {}) => {
    const source = (kind === "jellyfin" ? createJellyfin : createEmby)({
      ...line,
    });
    const settings = { url: server.url, user: "ada", token: server.token, ...changes };
    return listenTo(source, settings, clock, stop.signal);
  };
  const subscribed = () => until(() => server.messages.includes("SessionsStart") || undefined);
  const pass = (ms: number) => line.pass(ms);

  test("says what a user's player plays", async () => {
    start();
    const playback = await listen().next(isTitled("Paper Lanterns"));
    expect(playback).toMatchObject({
      source: kind === "jellyfin" ? "Jellyfin" : "Emby",
      state: "playing",
      track: { id: "item-1", durationMs: 200_000 },
      artists: ["Juniper Vale", "The Ferrymen"],
      album: { name: "Slow Weather" },
      device: { name: "Ada's phone", type: "Finamp", volumePercent: 40 },
      positionMs: 12_000,
    });
  });

  test("has its file's name where it has no title", async () => {
    start();
    const { next } = listen();
    await subscribed();
    server.lists([aSession({ item: { Name: " ", Path: "/music/01 Lanterns.flac" } })]);
    await next(isTitled("01 Lanterns"));
  });

  test("is followed as it pauses, seeks, changes and stops, without being asked again", async () => {
    start();
    const { next, nothing } = listen();
    await subscribed();
    const asked = server.asked();
    server.lists([aSession({ state: { IsPaused: true } })]);
    await next(isIn("paused"));
    server.lists([aSession({ state: { PositionTicks: 900_000_000 } })]);
    await next(({ positionMs }) => positionMs === 90_000);
    server.lists([
      aSession({ item: { Id: "item-2", Name: "Next One" }, state: { PositionTicks: undefined } }),
    ]);
    expect((await next(isTitled("Next One"))).positionMs).toBe(0);
    server.lists([aSession({ NowPlayingItem: undefined })]);
    await nothing();
    expect(server.asked()).toBe(asked);
  });

  test("loads the album's cover from the server, and keeps the token out of the address", async () => {
    start();
    const playback = await listen().next(isTitled("Paper Lanterns"));
    const [cover] = playback.album.artworks;
    expect(new TextDecoder().decode(await cover?.load())).toEndWith(
      "/Items/album-1/Images/Primary",
    );
    expect(cover?.url).toBeUndefined();
    expect(cover?.key).not.toContain(server.token);
    server.lists([aSession({ item: { AlbumPrimaryImageTag: "tag-9" } })]);
    const changed = await listen().next(
      ({ album }) => album.artworks[0]?.key.endsWith("tag-9") === true,
    );
    expect(changed.album.artworks[0]?.key).not.toBe(cover?.key);
  });

  test.each([
    { Type: "AudioBook" },
    { Type: "MusicVideo" },
    { Type: "TvChannel", MediaType: "Audio" },
    { Type: "TvChannel", ChannelType: "Radio" },
  ])("reports what else is listened to: %p", async (item) => {
    start();
    server.lists([aSession({ item })]);
    await listen().next(isTitled("Paper Lanterns"));
  });

  test("says nothing of other users, of films, and of theme songs", async () => {
    start();
    server.hides([
      aSession({ UserName: "Grace" }),
      aSession({ item: { Type: "Movie" } }),
      aSession({ item: { Type: "Episode" } }),
      aSession({ item: { Type: "TvChannel", MediaType: "Video" } }),
      aSession({ item: { ExtraType: "ThemeSong" } }),
      aSession({ NowPlayingItem: undefined }),
    ]);
    await listen().nothing();
  });

  test("shows a playing session rather than a paused one, and keeps to it", async () => {
    start();
    const playing = aSession({ Id: "b", item: { Id: "b", Name: "B" } });
    server.hides([aSession({ Id: "a", state: { IsPaused: true } }), playing]);
    const { next, received } = listen();
    await next(isTitled("B"));
    await subscribed();
    server.lists([aSession({ Id: "c", item: { Id: "c", Name: "C" } }), playing]);
    server.lists([
      aSession({ Id: "c", item: { Id: "c", Name: "C" } }),
      aSession({ Id: "b", item: { Id: "b", Name: "B" }, state: { IsPaused: true } }),
    ]);
    await next(isTitled("C"));
    expect(received.filter((one) => one?.track.title === "A")).toEqual([]);
  });

  test("does not show a player that was switched off while it played", async () => {
    start();
    const ago = (ms: number) => new Date(clock.wallMs() - ms).toISOString();
    server.hides([aSession({ LastPlaybackCheckIn: ago(6 * 60_000) })]);
    const { nothing, next } = listen();
    await nothing();
    await subscribed();
    server.lists([aSession({ LastPlaybackCheckIn: ago(10_000) })]);
    await next(isTitled("Paper Lanterns"));
    // The server goes on listing it, with a position that it counts itself.
    await pass(3 * 60_000);
    await nothing();
  });

  test("goes on showing a player when this machine's clock is put right", async () => {
    const startedAtMs = clock.wallMs() - clock.monotonicMs();
    const serverWallMs = () => startedAtMs + clock.monotonicMs();
    server = startMediaServer(kind, "pushes", serverWallMs);
    clock.setWallMs(serverWallMs() - 86_400_000);
    server.hides([aSession()]);
    const { next } = listen();
    await subscribed();
    clock.setWallMs(serverWallMs());
    const LastPlaybackCheckIn = new Date(serverWallMs() - 10_000).toISOString();
    server.lists([aSession({ LastPlaybackCheckIn, item: { Id: "b", Name: "B" } })]);
    await next(isTitled("B"));
  });

  test("does not jump when the server's own count is coarse", async () => {
    start();
    const { received } = listen();
    // It is asked, and tells those who subscribe.
    await until(() => received.length === 2 || undefined);
    await clock.advance(4_000);
    const before = received.length;
    server.lists([aSession({ state: { PositionTicks: 150_000_000 } })]);
    await until(() => received.length > before || undefined);
    const shownMs = () => {
      const kept = received.reduce<Playback | null>(reconcile, null);
      return kept && positionAt(kept, clock.monotonicMs());
    };
    // 16 seconds by our count, 15 by the server's.
    expect(shownMs()).toBe(16_000);
    server.lists([aSession({ state: { PositionTicks: 150_000_000, VolumeLevel: 10 } })]);
    await clock.advance(4_000);
    await until(() => received.at(-1)?.device.volumePercent === 10 || undefined);
    expect(shownMs()).toBe(20_000);
  });

  test("keeps the connection alive twice a minute", async () => {
    start();
    listen();
    await subscribed();
    await pass(65_000);
    await until(
      () => server.messages.filter((type) => type === "KeepAlive").length === 2 || undefined,
    );
  });

  test.each(["refuses", "silent", "closes"] as const)(
    "is asked again and again where the socket %s",
    async (pushing) => {
      start(pushing);
      const { next } = listen();
      await next(isTitled("Paper Lanterns"));
      server.hides([aSession({ item: { Id: "item-2", Name: "Next One" } })]);
      await until(async () => {
        await pass(500);
        return server.asked() > 2 || undefined;
      });
      await next(isTitled("Next One"));
      const asked = server.asked();
      await pass(5_000);
      expect(server.asked() - asked).toBeWithin(3, 7);
    },
  );

  test("is asked again and again when the push stops telling the truth", async () => {
    start();
    const { next } = listen();
    await subscribed();
    server.lists([aSession()]);
    await next(isTitled("Paper Lanterns"));
    server.hides([aSession({ item: { Id: "item-2", Name: "Next One" } })]);
    await pass(11_000);
    await next(isTitled("Next One"));
    const asked = server.asked();
    await pass(4_000);
    expect(server.asked()).toBeGreaterThan(asked + 1);
  });

  test("is unavailable when the connection is lost", async () => {
    start();
    const { failure, next } = listen();
    await subscribed();
    server.lists([aSession({ state: { IsPaused: true } })]);
    await next(isIn("paused"));
    server.hangsUp();
    expect((await failure()).meaning.kind).toBe("unavailable");
  });

  test.each(["nonsense", '{"MessageType":"Sessions","Data":7}', "[]", "null"])(
    "is not brought down by %s",
    async (text) => {
      start();
      const { next, failure } = listen();
      await subscribed();
      await next(isTitled("Paper Lanterns"));
      server.pushes(text);
      await settle();
      server.lists([aSession({ state: { IsPaused: true } })]);
      const ended = await Promise.race([next(isIn("paused")), failure()]);
      if ("meaning" in ended) expect(ended.meaning.kind).toBe("unavailable");
    },
  );
});
