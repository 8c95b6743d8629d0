import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Playback, positionAt } from "../../../src/playback.ts";
import { UnreadableAnswer } from "../../../src/upstream/json.ts";
import { createCovers } from "../../../src/upstream/covers.ts";
import { readPlayer } from "../../../src/sources/kinds/spotify/player.ts";
import { createFakeClock } from "../../fixtures/clock/fake-clock.ts";
import { NO_NETWORK } from "../../fixtures/http/network.ts";
import { inventTrack, seededRandom } from "../../fixtures/spotify/listening.ts";
import {
  episodePlayback,
  localFilePlayback,
  playbackState,
  trackAnswer,
} from "../../fixtures/spotify/answers.ts";

const OBSERVED_AT_MS = 5_000;
const covers = createCovers({
  clock: createFakeClock(),
  playerHosts: [],
  network: NO_NETWORK,
});
const song = inventTrack(seededRandom(4), 200_000);
const item = trackAnswer(song);
const playing = playbackState(
  { kind: "playing", track: song, positionMs: 61_234 },
  1_700_000_000_000,
);

const read = (answer: unknown): Playback | null =>
  readPlayer(answer, {
    observedAtMs: OBSERVED_AT_MS,
    expectedPositionMs: ({ track }) => (track.id === song.id ? 42_000 : 0),
    artworkAt: (url) => covers.named(url, { origin: "spotify" }),
  });

/** What is read of the playing track with changes to the answer. */
function readWith(changes: object): Playback {
  const playback = read({ ...playing, ...changes });
  if (!playback) throw new Error("nothing is playing");
  return playback;
}

const artworkUrls = ({ album }: Playback) => album.artworks.map(({ url }) => url);

describe("a track", () => {
  test("is read whole", () => {
    expect(read(playing)).toMatchObject({
      source: "Spotify",
      state: "playing",
      track: {
        id: song.id,
        title: song.title,
        durationMs: song.durationMs,
        explicit: song.explicit,
      },
      artists: song.artists,
      album: { name: song.album },
      device: { name: "Attic desktop", type: "Computer", volumePercent: 65 },
      positionMs: 61_234,
      observedAtMs: OBSERVED_AT_MS,
      rate: 1,
    });
  });

  test("keeps several artists in Spotify's order", () => {
    const artists = ["Zoe", "Ada", "Mo"].map((name) => ({ name }));
    expect(readWith({ item: { ...item, artists } }).artists).toEqual(["Zoe", "Ada", "Mo"]);
  });

  test("is paused when it does not play", () => {
    expect(readWith({ is_playing: false }).state).toBe("paused");
  });

  test("keeps its pictures in Spotify's order, the largest first", () => {
    expect(artworkUrls(readWith({}))).toEqual(item.album.images.map(({ url }) => url));
  });

  test("may be explicit", () => {
    expect(readWith({ item: { ...item, explicit: true } }).track.explicit).toBe(true);
  });

  test("never takes its position from the timestamp, which tells of the last change", () => {
    expect(readWith({ timestamp: 0 }).positionMs).toBe(61_234);
  });
});

describe("a podcast's episode", () => {
  const episode = episodePlayback(0);

  test("has its show for an artist and its own pictures", () => {
    const playback = read(episode);
    expect(playback).toMatchObject({
      track: { title: "The Lighthouse That Moved Inland", durationMs: 2_415_000 },
      artists: ["Footnotes on Fog"],
      album: { name: "Footnotes on Fog" },
      positionMs: 754_000,
    });
    const own = episode.item.images.map(({ url }) => url);
    expect(playback && artworkUrls(playback)).toEqual(own);
  });

  test("without pictures has those of its show", () => {
    const playback = read({ ...episode, item: { ...episode.item, images: [] } });
    expect(playback && artworkUrls(playback)).toEqual(
      episode.item.show.images.map(({ url }) => url),
    );
  });

  test("without a show is still shown", () => {
    const playback = read({ ...episode, item: { ...episode.item, show: null } });
    expect(playback).toMatchObject({ artists: [], album: { name: "" } });
  });
});

describe("a file of the listener's own", () => {
  test("is known by its address, since it has no id, and has no picture", () => {
    expect(read(localFilePlayback(0))).toMatchObject({
      track: {
        id: "spotify:local:The+Garage+Door:Rehearsals:Take+Four:201",
        title: "Take Four",
        durationMs: 201_000,
      },
      artists: ["The Garage Door"],
      album: { name: "Rehearsals", artworks: [] },
    });
  });

  test("without tags has its file's name and, where Spotify knows no length, none", () => {
    const uri = "spotify:local:::01+-+my+file+name%3F:181";
    const untagged = { id: null, uri, name: "", artists: [], duration_ms: 0 };
    expect(read({ ...playing, item: { ...item, ...untagged } })).toMatchObject({
      track: { id: uri, title: "01 - my file name?", durationMs: null },
      positionMs: playing.progress_ms,
    });
  });
});

describe("nothing is shown", () => {
  const silent: Record<string, object> = {
    "during an advertisement": { currently_playing_type: "ad", item: null },
    "during an advertisement that has an item": { currently_playing_type: "ad" },
    "during an item that is an advertisement": { item: { name: "Try this", uri: "spotify:ad:1" } },
    "without an item": { item: null },
    "where the item is missing": { item: undefined },
    "of what Spotify itself does not know": { currently_playing_type: "unknown", item: null },
    "in a private session": { device: { ...playing.device, is_private_session: true } },
  };
  for (const [when, changes] of Object.entries(silent)) {
    test(when, () => {
      expect(read({ ...playing, ...changes })).toBeNull();
    });
  }
});

describe("what Spotify leaves out", () => {
  test("of the volume is not known", () => {
    const { device } = readWith({ device: { ...playing.device, volume_percent: null } });
    expect(device.volumePercent).toBeNull();
  });

  test("of the position is where the track should be by now", () => {
    expect(readWith({ progress_ms: null }).positionMs).toBe(42_000);
  });

  test("of the device leaves a device without a volume", () => {
    for (const device of [undefined, null]) {
      expect(readWith({ device }).device).toEqual({
        name: "Spotify",
        type: "unknown",
        volumePercent: null,
      });
    }
  });

  test("of the album leaves no pictures", () => {
    expect(readWith({ item: { ...item, album: undefined } }).album).toEqual({
      name: "",
      artworks: [],
    });
  });
});

describe("a position", () => {
  test("past the end is the end", () => {
    expect(readWith({ progress_ms: song.durationMs + 4_000 }).positionMs).toBe(song.durationMs);
  });

  test("before the beginning is none, and where the track should be by now counts", () => {
    expect(readWith({ progress_ms: -20 }).positionMs).toBe(42_000);
  });
});

test("pictures that may not be loaded are left out", () => {
  const good = "https://i.scdn.co/image/1";
  const images = [
    { url: "javascript:alert(1)" },
    { url: good },
    { url: null },
    null,
    "https://a.b",
  ];
  const album = { ...item.album, images };
  expect(artworkUrls(readWith({ item: { ...item, album } }))).toEqual([good]);
});

describe("an answer of any shape", () => {
  const failureOf = (answer: unknown): unknown => {
    try {
      read(answer);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  /** Answers that look right until one looks inside. */
  const hostile = fc.record(
    {
      is_playing: fc.anything(),
      progress_ms: fc.oneof(fc.double(), fc.anything()),
      currently_playing_type: fc.oneof(fc.constantFrom("track", "episode", "ad"), fc.anything()),
      device: fc.oneof(
        fc.anything(),
        fc.record({
          name: fc.anything(),
          type: fc.anything(),
          volume_percent: fc.oneof(fc.double(), fc.anything()),
          is_private_session: fc.anything(),
        }),
      ),
      item: fc.oneof(
        fc.anything(),
        fc.record(
          {
            id: fc.anything(),
            uri: fc.anything(),
            name: fc.oneof(fc.string(), fc.anything()),
            type: fc.oneof(fc.constantFrom("track", "episode"), fc.anything()),
            duration_ms: fc.oneof(fc.double(), fc.integer(), fc.anything()),
            explicit: fc.anything(),
            images: fc.anything(),
            show: fc.oneof(
              fc.anything(),
              fc.record({ name: fc.anything(), images: fc.anything() }),
            ),
            artists: fc.oneof(fc.anything(), fc.array(fc.record({ name: fc.anything() }))),
            album: fc.oneof(
              fc.anything(),
              fc.record({
                name: fc.anything(),
                images: fc.array(fc.oneof(fc.anything(), fc.record({ url: fc.anything() }))),
              }),
            ),
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  );
  const answers = fc.oneof(
    fc.anything(),
    fc.json().map((text): unknown => JSON.parse(text)),
    hostile,
  );

  test("is read, or is told to be unreadable", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const failure = failureOf(answer);
        if (failure !== undefined) expect(failure).toBeInstanceOf(UnreadableAnswer);
      }),
      { numRuns: 500 },
    );
  });

  test("that is no object is unreadable", () => {
    for (const answer of [undefined, null, 7, "playing", [], [playing], true]) {
      expect(failureOf(answer)).toBeInstanceOf(UnreadableAnswer);
    }
  });

  test("gives texts for texts, and numbers that can be shown", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 0, max: 1_000_000 }), (answer, laterMs) => {
        const playback = read(answer);
        if (!playback) return;
        const { track, artists, album, device } = playback;
        for (const text of [track.id, track.title, ...artists, album.name, device.name]) {
          expect(text).toBeString();
        }
        expect(track.durationMs ?? 0).toBeGreaterThanOrEqual(0);
        expect(positionAt(playback, OBSERVED_AT_MS + laterMs)).toBeGreaterThanOrEqual(0);
        if (device.volumePercent !== null) expect(device.volumePercent).toBeWithin(0, 101);
      }),
      { numRuns: 500 },
    );
  });
});
