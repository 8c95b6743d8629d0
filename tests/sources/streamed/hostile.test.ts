import { describe, expect, test } from "bun:test";
import { HOSTILE_RUNS } from "../../fixtures/thorough.ts";
import fc from "fast-check";
import { boundPlayback } from "../../../src/channels/bounds.ts";
import type { Artwork, Playback } from "../../../src/playback.ts";
import { createCider } from "../../../src/sources/kinds/cider/index.ts";
import * as homeassistant from "../../../src/sources/kinds/homeassistant/entity.ts";
import { identifierOf, UnreadableAnswer } from "../../../src/upstream/json.ts";
import * as mediaBrowser from "../../../src/sources/kinds/media-browser/sessions.ts";
import { readPlayer } from "../../../src/sources/kinds/mpris/player.ts";
import { createPear } from "../../../src/sources/kinds/pear/index.ts";
import * as plex from "../../../src/sources/kinds/plex/sessions.ts";
import type { Source } from "../../../src/sources/source.ts";
import type { Upstream } from "../../../src/upstream/index.ts";
import { createFakeClock } from "../../fixtures/clock/fake-clock.ts";
import { hostileObjects } from "../../fixtures/ingest/hostile.ts";
import { coversOn } from "../../fixtures/sources/streamed/listening.ts";
import { watchContext } from "../../fixtures/sources/watch-context.ts";

const artwork: Artwork = { key: "cover", load: async () => new Uint8Array() };
const before: Playback = {
  source: "a",
  state: "playing",
  track: { id: "1", title: "A", durationMs: 60_000, explicit: false },
  artists: ["B"],
  album: { name: "C", artworks: [] },
  device: { name: "D", type: "d", volumePercent: 50 },
  positionMs: 1_000,
  observedAtMs: 500,
  rate: 1,
};

/** Within its bounds, a playback can be written as JSON and read again as the same. */
function expectShowable(playback: Playback | null | undefined): void {
  const shown = playback && boundPlayback(playback);
  if (!shown) return;
  expect(shown.track.title).not.toBe("");
  const numbers = [shown.positionMs, shown.rate, shown.track.durationMs ?? 1];
  expect(numbers.every((number) => Number.isFinite(number) && number >= 0)).toBe(true);
  const { volumePercent } = shown.device;
  if (volumePercent !== null) expect(volumePercent).toBeWithin(0, 101);
  const texts = [shown.album.name, shown.device.name, shown.device.type, ...shown.artists];
  expect(texts.every((text) => typeof text === "string")).toBe(true);
}

const session = {
  Id: "s",
  UserName: "ada",
  Client: "Web",
  DeviceName: "Firefox",
  LastPlaybackCheckIn: "2026-01-01T00:00:00.0000000Z",
  NowPlayingItem: {
    ...{ Id: "1", Name: "A", Type: "Audio", Artists: ["B"], Album: "C", AlbumArtist: "B" },
    ...{ AlbumId: "2", AlbumPrimaryImageTag: "t", RunTimeTicks: 6e8, ImageTags: { Primary: "t" } },
  },
  PlayState: { PositionTicks: 1e7, IsPaused: false, VolumeLevel: 50 },
};
const plexSession = {
  ...{ type: "track", sessionKey: "7", ratingKey: "1", guid: "g", title: "A", duration: 60_000 },
  ...{ grandparentTitle: "B", originalTitle: "B", parentTitle: "C", parentThumb: "/t" },
  ...{ thumb: "/t", viewOffset: 1_000, User: { id: "1", title: "ada" } },
  Player: { state: "playing", title: "D", product: "Plexamp", machineIdentifier: "m" },
};
const tick = { sessionKey: "7", ratingKey: "1", state: "paused", viewOffset: 2_000 };
const attributes = {
  ...{ media_title: "A", media_artist: "B", media_album_name: "C", media_duration: 60 },
  ...{ media_position: 1, media_position_updated_at: "2026-01-01T00:00:00+00:00" },
  ...{ volume_level: 0.5, friendly_name: "D", entity_picture: "/api/p?token=t" },
};
const metadata = {
  ...{ "mpris:trackid": "/1", "mpris:length": 6e7, "mpris:artUrl": "file:///a.png" },
  ...{ "xesam:title": "A", "xesam:artist": ["B"], "xesam:album": "C", "xesam:url": "file:///a" },
};

/** A protocol by name: real messages, and what is done with one of them. */
const protocols: readonly (readonly [string, readonly unknown[], (message: unknown) => void])[] = [
  [
    "Jellyfin and Emby",
    [[session], [session, { ...session, Id: "t" }]],
    (message) => {
      const chosen = mediaBrowser.chooseSession(message, {
        user: "ada",
        serverWallMs: Date.parse("2026-01-01T00:00:10Z"),
        shownId: "s",
      });
      if (!chosen) return;
      const last = { playback: before, ticks: mediaBrowser.ticksOf(chosen) };
      expectShowable(mediaBrowser.readSession(chosen, "Jellyfin", 1_000, last, () => artwork));
    },
  ],
  [
    "Plex",
    [
      { MediaContainer: { Metadata: [plexSession, { ...plexSession, sessionKey: "8" }] } },
      { NotificationContainer: { PlaySessionStateNotification: [tick] } },
      { PlaySessionStateNotification: [tick] },
    ],
    (message) => {
      const last = { playback: before, offsetMs: 1_000 };
      const read = (one: plex.Session) => plex.readSession(one, 1_000, last, () => artwork);
      for (const one of plex.ticksIn(message))
        expectShowable(read(plex.withTick(plexSession, one)));
      const chosen = plex.chooseSession(message, { user: "", shownKey: "7" });
      if (chosen) expectShowable(read(chosen));
    },
  ],
  [
    "Home Assistant",
    [
      { a: { "media_player.a": { s: "playing", a: attributes } } },
      { c: { "media_player.a": { "+": { s: "paused", a: attributes }, "-": { a: ["x"] } } } },
      { r: ["media_player.a"] },
    ],
    (message) => {
      const entity = homeassistant.afterEvent(
        homeassistant.readEntity({ state: "playing", attributes }),
        "media_player.a",
        message,
      );
      if (!entity) return;
      const context = { id: "a", observedAtMs: 1_000, serverWallMs: 1_000, before };
      const received = homeassistant.readPlayback(entity, {
        ...context,
        artworksOf: () => [artwork],
      });
      expectShowable(received);
    },
  ],
  [
    "MPRIS",
    [{ PlaybackStatus: "Playing", Position: 1e6, Rate: 1, Volume: 0.5, Metadata: metadata }],
    (message) => {
      const properties = typeof message === "object" && message !== null ? { ...message } : {};
      const state = { name: "a", identity: "A", properties, observedAtMs: 1_000 };
      expectShowable(readPlayer(state, before, null));
    },
  ],
];

test("an identifier is a text or a number, or a list of one, whatever a server sends instead", () => {
  expect([7, "7", "", null, undefined, NaN, [7], {}].map(identifierOf)).toEqual([
    "7",
    "7",
    "",
    "",
    "",
    "",
    "7",
    "",
  ]);
  const hostile = { toString: false };
  expect(plex.ticksIn({ sessionKey: hostile, ratingKey: hostile })).toMatchObject([
    { sessionKey: "", ratingKey: "" },
  ]);
  expect(plex.keyOf({ sessionKey: hostile })).toBe("");
});

test("attributes that are gone are named by texts, whatever a server sends instead", () => {
  const entity = homeassistant.readEntity({ state: "playing", attributes: { x: 1, 7: 1 } });
  const gone = [{ toString: false }, null, "x"];
  const event = { c: { "media_player.a": { "-": { a: gone } } } };
  expect(homeassistant.afterEvent(entity, "media_player.a", event)?.attributes).toEqual({ 7: 1 });
});

describe.each(protocols)("thousands of hostile messages of %s", (_, samples, read) => {
  test("are shown, or refused as unreadable", () => {
    fc.assert(
      fc.property(hostileObjects(samples), (message) => {
        try {
          read(message);
        } catch (error) {
          if (!(error instanceof UnreadableAnswer)) throw error;
        }
      }),
      { numRuns: HOSTILE_RUNS },
    );
  });
});

const pearSong = {
  ...{ title: "A", artist: "B", album: "C", imageSrc: "https://a.test/a.png", isPaused: false },
  ...{ songDuration: 60, elapsedSeconds: 1, videoId: "v" },
};
const ciderSong = {
  ...{ name: "A", artistName: "B", albumName: "C", durationInMillis: 60_000 },
  ...{ artwork: { url: "https://a.test/{w}x{h}.jpg" }, playParams: { id: "1" } },
};
const cider = (type: string, data: unknown) => ["API:Playback", { type, data }];

const covers = coversOn(createFakeClock());

const players: readonly (readonly [string, Source, object, readonly unknown[], string])[] = [
  [
    "pear-desktop",
    createPear({ upstreamOf: () => upstreamThatSays(), covers }),
    { token: "correct-horse" },
    [
      { type: "PLAYER_INFO", song: pearSong, isPlaying: true, position: 1, volume: 50 },
      { type: "POSITION_CHANGED", position: 1 },
    ],
    "",
  ],
  [
    "Cider",
    createCider({ upstreamOf: () => upstreamThatSays(), covers }),
    {},
    [
      cider("playbackStatus.nowPlayingItemDidChange", ciderSong),
      cider("playbackStatus.playbackStateDidChange", { state: "playing", attributes: ciderSong }),
      cider("playbackStatus.playbackTimeDidChange", { isPlaying: true, currentPlaybackTime: 1 }),
      cider("playerStatus.volumeDidChange", 0.5),
    ],
    "42",
  ],
];

let texts: string[] = [];

/** An upstream whose socket says the texts, and then nothing. */
function upstreamThatSays(): Upstream {
  return {
    fetch: async (url) =>
      Response.json(String(url).endsWith("/song") ? pearSong : { info: ciderSong }),
    openSocket: async () => ({
      status: 101,
      send() {},
      receive: async () => texts.pop() ?? new Promise<undefined>(() => {}),
      close() {},
    }),
    openStream: () => Promise.reject(new Error("it has none")),
  };
}

describe.each(players)(
  "thousands of hostile messages of %s",
  (_, source, settings, samples, head) => {
    test("end nothing, and what they leave can be shown", async () => {
      const hostile = hostileObjects(samples).map((value) => head + (JSON.stringify(value) ?? ""));
      // The first one comes last: a socket that still listens receives it.
      texts = [head + JSON.stringify(samples[0]), ...fc.sample(hostile, HOSTILE_RUNS)];
      const stop = new AbortController();
      const received = source
        .open(settings)
        .watch(watchContext({ signal: stop.signal, clock: createFakeClock() }));
      let told = 0;
      for await (const playback of received) {
        expectShowable(playback);
        told += 1;
        if (texts.length === 0) break;
      }
      expect(texts).toEqual([]);
      expect(told).toBeGreaterThan(100);
    });
  },
);
