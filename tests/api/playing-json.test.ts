import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PlayingJson, toData } from "../../src/api/playing-json.ts";
import type { Artwork, Playback } from "../../src/playback.ts";

const text = fc.string({ unit: "grapheme", maxLength: 30 });
const artworkUrl = ({ key, url }: Artwork) => url ?? `https://music.example/art/${key}`;

const anyArtwork = fc
  .record({ key: text, url: fc.option(fc.webUrl()) })
  .map(({ key, url }): Artwork => ({
    key,
    ...(url !== null && { url }),
    load: async () => new Uint8Array(),
  }));

const anyPlayback: fc.Arbitrary<Playback> = fc.record({
  source: text,
  state: fc.constantFrom("playing", "paused"),
  track: fc.record({
    id: text,
    title: text,
    durationMs: fc.option(fc.integer({ min: 0, max: 36_000_000 })),
    explicit: fc.boolean(),
  }),
  artists: fc.array(text, { maxLength: 4 }),
  album: fc.record({ name: text, artworks: fc.array(anyArtwork, { maxLength: 3 }) }),
  device: fc.record({
    name: text,
    type: text,
    volumePercent: fc.option(fc.integer({ min: 0, max: 100 })),
  }),
  positionMs: fc.double({ min: -5_000, max: 40_000_000, noNaN: true }),
  observedAtMs: fc.double({ min: 0, max: 1_000_000, noNaN: true }),
  rate: fc.constantFrom(1, 0.5, 2),
});

const anyTime = fc.double({ min: 0, max: 50_000_000, noNaN: true });
const anyUnixTime = fc.integer({ min: 0, max: 4_000_000_000 });

describe("the JSON of what plays", () => {
  test("is what JSON.stringify makes of the schema's object, at every time", () => {
    fc.assert(
      fc.property(
        anyPlayback,
        text,
        fc.array(fc.tuple(anyTime, anyUnixTime), { minLength: 1, maxLength: 4 }),
        (playback, user, times) => {
          const json = new PlayingJson(playback, { id: 1, name: user }, artworkUrl, 0);
          for (const [nowMs, timestamp] of times) {
            expect(json.at(nowMs, timestamp)).toBe(
              JSON.stringify({
                success: true,
                data: toData(playback, nowMs, artworkUrl),
                meta: { user, timestamp },
              }),
            );
          }
        },
      ),
    );
  });

  test("names pictures again and again, which keeps them available", () => {
    let named = 0;
    const [playback] = fc.sample(
      anyPlayback.filter(({ album }) => album.artworks.length === 1),
      { numRuns: 1, seed: 1 },
    );
    if (!playback) throw new Error("no playback");
    const name = (artwork: Artwork) => {
      named += 1;
      return artworkUrl(artwork);
    };
    const json = new PlayingJson(playback, { id: 1, name: "ada" }, name, 0);
    json.at(0, 0);
    const namedFirst = named;
    json.at(1, 0);
    expect(named).toBe(namedFirst);
    json.at(2_000, 0);
    expect(named).toBe(namedFirst + 1);
  });
});
