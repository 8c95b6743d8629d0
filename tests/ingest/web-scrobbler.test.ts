import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readWebhook } from "../../src/ingest/web-scrobbler.ts";
import { WEBSCROBBLER } from "../../src/sources/pushed.ts";
import { expectHarmless } from "../fixtures/ingest/fuzz.ts";
import { hostileTexts } from "../fixtures/ingest/hostile.ts";
import { createPushedServer, type PushedServer } from "../fixtures/ingest/pushed-server.ts";

const PARSED = {
  track: "Paper Lanterns (Official Video)",
  artist: "Juniper Vale",
  album: null,
  albumArtist: null,
  duration: 200,
  uniqueID: "dQw4",
  currentTime: 10,
  isPlaying: true,
  trackArt: "https://covers.example/1.jpg",
  isPodcast: false,
  originUrl: "https://video.example/watch?v=dQw4",
};
const SONG = {
  parsed: PARSED,
  processed: { track: "Paper Lanterns", artist: null, album: "Slow Weather", duration: null },
  metadata: { label: "YouTube", startTimestamp: 1_700_000_000 },
  connector: { label: "YouTube Music", id: "youtube-music" },
};
const event = (eventName: string, song: unknown = SONG) => ({
  eventName,
  time: 1_700_000_000_000,
  data: { song },
});

let server: PushedServer;
beforeEach(async () => {
  server = await createPushedServer("webscrobbler");
});
afterEach(() => server.close());

const send = async (body: unknown) => {
  const response = await server.post(`/in/${server.secret}/webscrobbler`, body);
  return { status: response.status, body: await response.json() };
};
const OK = { status: 200, body: { success: true } };

describe("Web Scrobbler", () => {
  test("is believed about what plays, as its user has corrected it", async () => {
    expect(await send(event("nowplaying"))).toEqual(OK);
    await server.clock.advance(2_000);
    const shown = await server.shown();
    expect(shown).toMatchObject({
      is_playing: true,
      progress_ms: 12_000,
      track: { id: "dQw4", name: "Paper Lanterns", duration_ms: 200_000 },
      artist_name: "Juniper Vale",
      album: { name: "Slow Weather" },
      device: { name: "YouTube Music" },
    });
    expect(shown?.album.images).toHaveLength(1);
  });

  test("names the show of an episode as its album, too", async () => {
    const episode = { ...PARSED, album: null, isPodcast: true };
    await send(event("nowplaying", { ...SONG, parsed: episode, processed: {} }));
    expect(await server.shown()).toMatchObject({
      artist_name: "Juniper Vale",
      album: { name: "Juniper Vale" },
    });
  });

  test("pauses and goes on where it says", async () => {
    await send(event("nowplaying"));
    await server.clock.advance(5_000);
    await send(event("paused", { ...SONG, parsed: { ...PARSED, currentTime: 15 } }));
    await server.clock.advance(60_000);
    expect(await server.shown()).toMatchObject({ is_playing: false, progress_ms: 15_000 });
    await send(event("resumedplaying", { ...SONG, parsed: { ...PARSED, currentTime: 15 } }));
    await server.clock.advance(1_000);
    expect(await server.shown()).toMatchObject({ is_playing: true, progress_ms: 16_000 });
  });

  test("begins another song under the same id at its beginning, though no position is sent", async () => {
    await send(event("nowplaying"));
    await server.clock.advance(60_000);
    const named = (track: string) => ({
      ...SONG,
      parsed: { ...PARSED, currentTime: null },
      processed: { ...SONG.processed, track },
    });
    await send(event("nowplaying", named("Paper Lanterns")));
    expect(await server.shown()).toMatchObject({ progress_ms: 70_000 });
    await send(event("nowplaying", named("Undertow")));
    expect(await server.shown()).toMatchObject({ progress_ms: 0, track: { name: "Undertow" } });
  });

  test("shows the tab that plays while another one pauses or has an advertisement", async () => {
    const inTab = (controllerTabId: number, changes: object) => ({
      ...SONG,
      parsed: { ...PARSED, ...changes },
      processed: {},
      controllerTabId,
    });
    await send(event("nowplaying", inTab(1, { track: "A", uniqueID: "a" })));
    await send(event("nowplaying", inTab(2, { track: "B", uniqueID: "b" })));
    await send(event("paused", inTab(1, { track: "A", uniqueID: "a" })));
    const ad = { track: "C", uniqueID: "c", scrobblingDisallowedReason: "IsAd" };
    await send(event("nowplaying", inTab(1, ad)));
    await send(event("nowplaying", inTab(1, { track: "C", uniqueID: "spotify:ad:000c" })));
    expect(await server.shown()).toMatchObject({ is_playing: true, track: { name: "B" } });
    await send(event("paused", inTab(2, { track: "B", uniqueID: "b" })));
    expect(await server.shown()).toMatchObject({ is_playing: false, track: { name: "B" } });
    await send(event("resumedplaying", inTab(1, { track: "A", uniqueID: "a" })));
    expect(await server.shown()).toMatchObject({ is_playing: true, track: { name: "A" } });
  });

  test("expires fifteen seconds after the end of the track", async () => {
    await send(event("nowplaying"));
    await server.clock.advance(204_999);
    expect(await server.shown()).not.toBe(null);
    await server.clock.advance(1);
    expect(await server.shown()).toBe(null);
  });

  test.each(["scrobble", "loved", "somethingElse"])("is not played about %s", async (name) => {
    await send(event("nowplaying"));
    const other = { ...SONG, processed: { track: "Another" } };
    expect(await send(event(name, other))).toEqual(OK);
    expect(await send({ eventName: name })).toEqual(OK);
    expect((await server.shown())?.track.name).toBe("Paper Lanterns");
  });

  test("loses a cover that may not be used, and nothing else", async () => {
    const parsed = { ...PARSED, trackArt: "http://127.0.0.1/private.png" };
    expect(await send(event("nowplaying", { ...SONG, parsed }))).toEqual(OK);
    expect((await server.shown())?.album.images).toEqual([]);
  });

  test.each<[what: string, body: unknown]>([
    ["The body", "[]"],
    ["eventName", { data: { song: SONG } }],
    ["data.song", { eventName: "nowplaying" }],
    ["data.song.parsed.track", event("nowplaying", { parsed: {} })],
  ])("is refused with a sentence that names %s", async (what, body) => {
    await send(event("nowplaying"));
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toStartWith(what);
    expect(await server.shown()).not.toBe(null);
  });

  test("survives thousands of hostile messages", () => {
    const samples = [event("nowplaying"), event("paused"), event("scrobble")];
    expectHarmless(WEBSCROBBLER, hostileTexts(samples), readWebhook);
  });
});
