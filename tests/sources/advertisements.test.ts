import { describe, expect, test } from "bun:test";
import { readWebhook } from "../../src/ingest/web-scrobbler.ts";
import { hasSpotifyAdNames, isSpotifyAdId } from "../../src/sources/advertisements.ts";
import { createHomeAssistant } from "../../src/sources/kinds/homeassistant/index.ts";
import { readSession } from "../../src/sources/kinds/media-session/player.ts";
import { readPlayer } from "../../src/sources/kinds/mpris/player.ts";
import { createPear } from "../../src/sources/kinds/pear/index.ts";
import { createPushedServer } from "../fixtures/ingest/pushed-server.ts";
import { aSession } from "../fixtures/media-session/sessions.ts";
import { firstPlaybackAt } from "../fixtures/sources/first-at.ts";

const AD_IDS = [
  "spotify:ad:000000012c603a6600000020316a17a1",
  "/com/spotify/ad/000000012c603a6600000020316a17a1",
  "https://open.spotify.com/ad/000000012c603a6600000020316a17a1",
];
const SONG_IDS = [
  "spotify:track:2takcwOaAZWiXQijPHIx7B",
  "/com/spotify/track/2takcwOaAZWiXQijPHIx7B",
  "https://open.spotify.com/track/2takcwOaAZWiXQijPHIx7B",
  "spotify:local:::ad:181",
  "spotify:admire",
];

test("an advertisement has an id of its own at Spotify", () => {
  expect(AD_IDS.map(isSpotifyAdId)).toEqual(AD_IDS.map(() => true));
  expect([undefined, ...SONG_IDS].filter(isSpotifyAdId)).toEqual([]);
});

test.each([
  ["Spotify", "Advertisement", []],
  ["Spotify", "Advertisement", [""]],
  ["spotify.exe", "ADVERTISEMENT", ["Spotify"]],
  ["open.spotify.com", "Spotify", ["Spotify"]],
  ["Spotify", "Publicit\u00e9", []],
])("names at %s alone are those of an advertisement: %s by %p", (player, title, artists) => {
  expect(hasSpotifyAdNames({ player, title, artists })).toBe(true);
});

test.each([
  ["Spotify", "Advertisement", ["Juniper Vale"]],
  ["Spotify", "01 - my file", []],
  ["Spotify", "Paper Lanterns", ["Spotify"]],
  ["VLC", "Advertisement", []],
])("names at %s may be those of a song: %s by %p", (player, title, artists) => {
  expect(hasSpotifyAdNames({ player, title, artists })).toBe(false);
});

describe("an advertisement is nothing", () => {
  const mpris = (metadata: object, identity = "Spotify") =>
    readPlayer(
      {
        name: "p",
        identity,
        properties: { PlaybackStatus: "Playing", Metadata: metadata },
        observedAtMs: 0,
      },
      null,
      null,
    );

  test("over D-Bus, by its id, its address or its names", () => {
    for (const id of AD_IDS) {
      const names = { "xesam:title": "Try this", "xesam:artist": ["A shop"] };
      expect(mpris({ ...names, "mpris:trackid": id })).toBe(null);
      expect(mpris({ ...names, "mpris:trackid": "/1", "xesam:url": id })).toBe(null);
    }
    const names = { "xesam:title": "Advertisement", "xesam:artist": [""] };
    expect(mpris(names)).toBe(null);
    expect(mpris(names, "Rhythmbox")).not.toBe(null);
  });

  test("of the media session of Spotify", () => {
    const read = (app: string) =>
      readSession(
        { ...aSession, app, title: "Advertisement", artist: "" },
        { source: { id: "windows", name: "W" }, observedAtMs: 0, before: null, cover: null },
      );
    expect(read("SpotifyAB.SpotifyMusic_zpdnekdrzrea0!Spotify")).toBe(null);
    expect(read("com.spotify.client")).toBe(null);
    expect(read("foobar2000.exe")).not.toBe(null);
  });

  test.each([true, "true", 1])("in Amuse, which marks it with %p", async (isAdvertisement) => {
    const track = { id: "v", title: "Try this", author: "A shop", isAdvertisement };
    const answer = { player: { hasSong: true, isPaused: false }, track };
    expect(await firstPlaybackAt(createPear, { url: "http://a.test" }, answer)).toBe(null);
  });

  test("in Home Assistant, by its id", async () => {
    const attributes = { media_title: "Try this", media_content_id: AD_IDS[0] };
    const settings = { url: "http://a.test", entity: "media_player.den", token: "t" };
    const answer = { state: "playing", attributes };
    expect(await firstPlaybackAt(createHomeAssistant, settings, answer)).toBe(null);
  });

  test("of Web Scrobbler, which says why it does not scrobble", () => {
    const read = (scrobblingDisallowedReason: string | null) =>
      readWebhook(
        JSON.stringify({
          eventName: "nowplaying",
          data: { song: { parsed: { track: "Try this", scrobblingDisallowedReason } } },
        }),
      ).kind;
    expect([read("IsAd"), read("Other"), read(null)]).toEqual(["nothing", "track", "track"]);
  });

  test("of a page of Spotify that a browser reports, and ends the song before it", async () => {
    const server = await createPushedServer("tuna");
    const push = (title: string, artists: readonly string[]) =>
      server.post(`/in/${server.secret}/tuna`, {
        data: { status: "playing", title, artists },
        hostname: "open.spotify.com",
      });
    await push("Paper Lanterns", ["Juniper Vale"]);
    expect(await server.shown()).not.toBe(null);
    await push("Advertisement", ["Spotify"]);
    expect(await server.shown()).toBe(null);
    server.close();
  });
});
