import { afterEach, beforeEach, expect, test } from "bun:test";
import { createHomeAssistant } from "../../../src/sources/kinds/homeassistant/index.ts";
import { createFakeClock, type FakeClock } from "../../fixtures/clock/fake-clock.ts";
import { until } from "../../fixtures/clock/waiting.ts";
import {
  aMediaPlayer,
  type FakeHomeAssistant,
  startHomeAssistant,
} from "../../fixtures/sources/streamed/home-assistant.ts";
import {
  isIn,
  isTitled,
  listenTo,
  streamedDeps,
} from "../../fixtures/sources/streamed/listening.ts";

// It is loaded when first needed, which no clock that stands still waits for.
await import("../../../src/upstream/socket.ts");

let clock: FakeClock;
let stop: AbortController;
let server: FakeHomeAssistant;
const start = (attributes?: Record<string, unknown>) => {
  server = startHomeAssistant(attributes, clock.wallMs);
};
beforeEach(() => {
  clock = createFakeClock();
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await server.stop();
});
const listen = (changes: Record<string, string> = {}) =>
  listenTo(
    createHomeAssistant(streamedDeps(clock)),
    { url: server.url, entity: server.entity, token: server.token, ...changes },
    clock,
    stop.signal,
  );
const subscribed = () => until(() => server.subscribers() > 0 || undefined);
const iso = (agoMs: number) => new Date(clock.wallMs() - agoMs).toISOString();

test("a media player is followed with all that it says", async () => {
  start({ ...aMediaPlayer, media_position_updated_at: iso(3_000) });
  const playback = await listen().next(isTitled("Paper Lanterns"));
  expect(playback).toMatchObject({
    source: "Home Assistant",
    state: "playing",
    track: { durationMs: 200_000 },
    artists: ["Juniper Vale"],
    album: { name: "Slow Weather" },
    device: { name: "Living room", type: "speaker", volumePercent: 35 },
    positionMs: 15_000,
  });
  expect(playback.positionUnknown).toBeUndefined();
});

test("its position counts by its own clock, which may be another one", async () => {
  start({ ...aMediaPlayer, media_position_updated_at: iso(-3_600_000 + 3_000) });
  await server.stop();
  server = startHomeAssistant(
    { ...aMediaPlayer, media_position_updated_at: iso(-3_600_000 + 3_000) },
    () => clock.wallMs() + 3_600_000,
  );
  expect((await listen().next(isTitled("Paper Lanterns"))).positionMs).toBe(15_000);
});

test.each([
  ["put right", -3_600_000, 0],
  ["set back", 0, -3_600_000],
  ["set ahead", 0, 3_600_000],
])("its position stays right when this machine's clock is %s", async (_, beforeMs, afterMs) => {
  const startedAtMs = clock.wallMs() - clock.monotonicMs();
  const serverWallMs = () => startedAtMs + clock.monotonicMs();
  server = startHomeAssistant(aMediaPlayer, serverWallMs);
  clock.setWallMs(serverWallMs() + beforeMs);
  const { next } = listen();
  await subscribed();
  clock.setWallMs(serverWallMs() + afterMs);
  const media_position_updated_at = new Date(serverWallMs() - 3_000).toISOString();
  const attributes = { media_title: "Next One", media_position: 5, media_position_updated_at };
  server.changes({ state: "playing", attributes });
  expect((await next(isTitled("Next One"))).positionMs).toBe(8_000);
});

test("a stamp that lies past the length says nothing of the position", async () => {
  start({ ...aMediaPlayer, media_position: 50, media_position_updated_at: iso(2 * 3_600_000) });
  expect(await listen().next(isTitled("Paper Lanterns"))).toMatchObject({
    positionMs: 0,
    positionUnknown: true,
  });
});

test("what plays is reported again while the server answers, though nothing changes", async () => {
  start({ ...aMediaPlayer, media_position_updated_at: iso(3_000) });
  const { next } = listen();
  await next(isTitled("Paper Lanterns"));
  await subscribed();
  await next(isTitled("Paper Lanterns"));
  await clock.advance(10_000);
  expect((await next(isTitled("Paper Lanterns"))).positionMs).toBe(25_000);
});

test("changes are followed as they are reported", async () => {
  start();
  const { next, nothing } = listen();
  await subscribed();
  server.changes({ state: "paused", attributes: { media_position: 20 } });
  expect((await next(isIn("paused"))).positionMs).toBe(20_000);
  server.changes({ state: "playing", attributes: { media_title: "Next One", media_position: 0 } });
  await next(isTitled("Next One"));
  server.changes({ without: ["media_album_name"] });
  expect((await next(({ album }) => album.name === "")).track.title).toBe("Next One");
  server.changes({ state: "idle" });
  await nothing();
});

test.each(["idle", "off", "on", "standby", "unavailable", "unknown"])(
  "%s is nothing",
  async (state) => {
    start();
    const { next, nothing } = listen();
    await subscribed();
    await next(isTitled("Paper Lanterns"));
    server.changes({ state });
    await nothing();
  },
);

test("an entity that is removed is nothing", async () => {
  start();
  const { next, nothing } = listen();
  await subscribed();
  await next(isTitled("Paper Lanterns"));
  server.removesEntity();
  await nothing();
});

test("a player without a position, a length or a volume is followed all the same", async () => {
  start({ media_title: "On Air", media_duration: -1 });
  const playback = await listen().next(isTitled("On Air"));
  expect(playback).toMatchObject({
    positionUnknown: true,
    track: { durationMs: null },
    artists: [],
    device: { name: "media_player.living_room", volumePercent: null },
  });
});

test("the cover comes from the server, and is another one only when its mark changes", async () => {
  start();
  const { next } = listen();
  await subscribed();
  const first = await next(({ album }) => album.artworks.length === 1);
  const [cover] = first.album.artworks;
  expect(new TextDecoder().decode(await cover?.load())).toBe("picture");
  expect(cover?.url).toBeUndefined();
  const proxy = "/api/media_player_proxy/media_player.living_room";
  server.changes({ attributes: { entity_picture: `${proxy}?token=t2&cache=c1`, volume_level: 1 } });
  const same = await next(({ device }) => device.volumePercent === 100);
  expect(same.album.artworks[0]?.key).toBe(cover!.key);
  server.changes({ attributes: { entity_picture: `${proxy}?token=t2&cache=c2`, volume_level: 0 } });
  const other = await next(({ device }) => device.volumePercent === 0);
  expect(other.album.artworks[0]?.key).not.toBe(cover!.key);
});

test("an entity that does not exist is named", async () => {
  start();
  const error = await listen({ entity: "media_player.attic" }).failure();
  expect(error.meaning.kind).toBe("unavailable");
  expect(error.message).toContain("media_player.attic");
});

test("a server that has nothing of Home Assistant is not blamed for an entity", async () => {
  start();
  await server.stop();
  const other = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("", { status: 404 }),
  });
  try {
    const { message } = await listen({ url: other.url.origin }).failure();
    expect(message).toContain("is no Home Assistant");
    expect(message).not.toContain(server.entity);
  } finally {
    await other.stop(true);
  }
});

test("a token that only the socket refuses has to be entered again", async () => {
  start();
  server.refusesSockets();
  expect((await listen().failure()).meaning.kind).toBe("unauthorized");
});

test.each(["nonsense", "[]", "7"])("%s makes it unavailable", async (text) => {
  start();
  const { failure } = listen();
  await subscribed();
  server.sends(text);
  expect((await failure()).meaning.kind).toBe("unavailable");
});
