import { afterEach, beforeEach, expect, test } from "bun:test";
import { positionAt } from "../../../src/playback.ts";
import { createPlex } from "../../../src/sources/kinds/plex/index.ts";
import { createFakeClock, type FakeClock } from "../../fixtures/clock/fake-clock.ts";
import { until } from "../../fixtures/clock/waiting.ts";
import { createLine, isIn, isTitled, listenTo } from "../../fixtures/sources/streamed/listening.ts";
import { aTrack, type PlexServer, startPlex } from "../../fixtures/sources/streamed/plex-server.ts";

// It is loaded when first needed, which no clock that stands still waits for.
await import("../../../src/upstream/socket.ts");

let clock: FakeClock;
let line: ReturnType<typeof createLine>;
let stop: AbortController;
let server: PlexServer;
beforeEach(() => {
  clock = createFakeClock();
  line = createLine(clock);
  stop = new AbortController();
  server = startPlex();
  server.lists([aTrack()]);
});
afterEach(async () => {
  stop.abort();
  await server.stop();
});
const listen = (changes: Record<string, string> = {}) =>
  listenTo(
    createPlex(line),
    { url: server.url, token: server.token, ...changes },
    clock,
    stop.signal,
  );
const subscribed = () => until(() => server.listeners() > 0 || undefined);

test("a player is followed with all that Plex says", async () => {
  const playback = await listen().next(isTitled("Paper Lanterns"));
  expect(playback).toMatchObject({
    source: "Plex",
    state: "playing",
    track: { id: "100", durationMs: 200_000 },
    artists: ["Juniper Vale"],
    album: { name: "Slow Weather" },
    device: { name: "Desk", type: "Plexamp", volumePercent: null },
    positionMs: 12_000,
  });
});

test("what changes before notifications are told is asked for", async () => {
  const { next } = listen();
  await next(isTitled("Paper Lanterns"));
  await subscribed();
  server.lists([aTrack({ ratingKey: "101", title: "Next One" })]);
  await line.pass(1_000);
  await next(isTitled("Next One"));
});

test("a notification without a position leaves it as it is", async () => {
  const { next, received } = listen();
  await subscribed();
  await next(isTitled("Paper Lanterns"));
  await line.pass(5_000);
  const before = received.length;
  const told = { sessionKey: "5", ratingKey: "100" };
  server.sends(JSON.stringify(told));
  await until(() => received.length > before || undefined);
  expect(received.at(-1)?.positionMs).toBe(17_000);
  server.sends(JSON.stringify({ ...told, state: "paused", viewOffset: null }));
  expect((await next(isIn("paused"))).positionMs).toBe(17_000);
});

test("the track's own artist counts before the album's", async () => {
  server.lists([aTrack({ originalTitle: "The Ferrymen" })]);
  expect((await listen().next(isTitled("Paper Lanterns"))).artists).toEqual(["The Ferrymen"]);
});

test.each([true, false])(
  "changes are followed as they are notified (in a container: %p)",
  async (wrapped) => {
    const { next, nothing } = listen();
    await subscribed();
    await next(isTitled("Paper Lanterns"));
    const asked = server.asked();
    server.notifies({ sessionKey: "5", state: "paused", viewOffset: 20_000 }, wrapped);
    expect((await next(isIn("paused"))).positionMs).toBe(20_000);
    server.notifies({ sessionKey: "5", state: "playing", viewOffset: 90_000 }, wrapped);
    await next(({ positionMs }) => positionMs === 90_000);
    expect(server.asked()).toBe(asked);
    server.lists([aTrack({ ratingKey: "101", title: "Next One" })]);
    server.notifies({ sessionKey: "5", ratingKey: "101" }, wrapped);
    await next(isTitled("Next One"));
    server.lists([]);
    server.notifies({ sessionKey: "5", ratingKey: "101", state: "stopped" }, wrapped);
    await nothing();
  },
);

test("only the owner is followed, and players without a user, unless another user is named", async () => {
  const grace = aTrack({ sessionKey: "9", title: "Grace's", User: { id: "77", title: "Grace" } });
  server.lists([grace, aTrack()]);
  await listen().next(isTitled("Paper Lanterns"));
  await listen({ user: "grace" }).next(isTitled("Grace's"));
  const { User: _, ...unsigned } = aTrack({ title: "Unsigned" });
  server.lists([grace, unsigned]);
  await listen().next(isTitled("Unsigned"));
});

test("a track without a title has its file's name", async () => {
  const Media = [{ Part: [{ file: "/music/Juniper Vale/01 Lanterns.flac" }] }];
  server.lists([aTrack({ title: "", Media })]);
  await listen().next(isTitled("01 Lanterns"));
});

test("films are not shown", async () => {
  server.lists([aTrack({ type: "movie" }), aTrack({ type: "episode" })]);
  await listen().nothing();
});

test("a player that is listed twice counts with its newest session", async () => {
  server.lists([
    aTrack({ sessionKey: "10", title: "New", player: { state: "paused" } }),
    aTrack({ sessionKey: "9", title: "Old" }),
  ]);
  await listen().next(isTitled("New"));
});

test("the position of a report is not told again as a new one", async () => {
  const { next } = listen();
  await subscribed();
  await next(isTitled("Paper Lanterns"));
  await clock.advance(4_000);
  const asked = server.asked();
  server.notifies({ sessionKey: "unknown" });
  await until(() => server.asked() > asked || undefined);
  const playback = await next(({ observedAtMs }) => observedAtMs === clock.monotonicMs());
  expect(positionAt(playback, clock.monotonicMs())).toBe(16_000);
});

test("a change that was not notified is found within seconds", async () => {
  const { next } = listen();
  await subscribed();
  await next(isTitled("Paper Lanterns"));
  server.lists([aTrack({ ratingKey: "101", title: "Next One" })]);
  await line.pass(15_000);
  await next(isTitled("Next One"));
});

test.each([
  ["another track of the session", { sessionKey: "5", ratingKey: "99" }],
  ["the track with another session", { sessionKey: "6", ratingKey: "100" }],
])("an end that names %s is found a second later", async (_, tick) => {
  const { next, nothing } = listen();
  await subscribed();
  await next(isTitled("Paper Lanterns"));
  server.lists([]);
  server.notifies({ ...tick, state: "stopped" });
  // Once this has arrived, the end has, too.
  server.notifies({ sessionKey: "5", state: "paused" });
  await next(isIn("paused"));
  await line.pass(1_000);
  await nothing();
});

test("the cover is fetched from Plex with the token, which is in no address", async () => {
  const [cover] = (await listen().next(isTitled("Paper Lanterns"))).album.artworks;
  expect(new TextDecoder().decode(await cover?.load())).toBe(
    "picture /library/metadata/99/thumb/1",
  );
  expect(cover?.url).toBeUndefined();
  expect(cover?.key).not.toContain(server.token);
});

test("what is no notification is ignored", async () => {
  const { next } = listen();
  await subscribed();
  for (const text of ["{}", "[1]", "7"]) server.sends(text);
  server.notifies({ sessionKey: "5", state: "paused" });
  await next(isIn("paused"));
});
