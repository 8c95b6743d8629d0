import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { boundPlayback } from "../../src/channels/bounds.ts";
import { givenNames, type Playback } from "../../src/playback.ts";
import { AS_GIVEN } from "../../src/titles/shown-names.ts";
import { mendText } from "../../src/titles/mend-text.ts";
import { namesAnArtist } from "../../src/titles/placeholders.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createTestServer, type TestServer } from "../fixtures/servers/test-server.ts";

let server: TestServer;
let ada: AddedUser;

beforeEach(async () => {
  server = await createTestServer();
  ada = await server.addUser("ada");
});
afterEach(() => server.close());

/** What everybody who reads Ada's music gets of a playback that her source says. */
async function readingsOf(said: Partial<Playback>): Promise<Playback> {
  void server.hub.read(ada.user.id, 1_000);
  await server.sourceOf(ada).says(aPlayback(said));
  const reading = await server.hub.read(ada.user.id, 1_000);
  if (reading.kind !== "playback") throw new Error(`it is ${reading.kind}`);
  return reading.playback;
}

/** A name whose encoding has nothing to mend. */
const name = (maxLength: number) =>
  fc.string({ unit: "grapheme", maxLength }).filter((text) => mendText(text) === text);

const codePoints = (text: string): number => Array.from(text).length;
const { track, album, device } = aPlayback();

describe("what a source says is bounded for every reader", () => {
  test("to 50 artists of 1,000 characters each, in their order", async () => {
    const artists = Array.from({ length: 60_000 }, (_, index) => `${index} ${"x".repeat(1_200)}`);
    const received = await readingsOf({ artists });
    expect(received.artists).toEqual(artists.slice(0, 50).map((name) => name.slice(0, 1_000)));
  });

  test("to 1,000 characters in every other text that is shown", async () => {
    const long = "y".repeat(100_000);
    const received = await readingsOf({
      source: long,
      track: { ...track, title: long },
      album: { ...album, name: long },
      device: { ...device, name: long, type: long },
    });
    const texts = [
      received.source,
      received.track.title,
      received.album.name,
      received.device.name,
      received.device.type,
    ];
    expect(texts).toEqual(texts.map(() => "y".repeat(1_000)));
  });

  test("to whole milliseconds, as the API promises", async () => {
    const received = await readingsOf({
      track: { ...track, durationMs: 1_000.4 },
      positionMs: 3.6,
    });
    expect([received.track.durationMs, received.positionMs]).toEqual([1_000, 4]);
  });

  test("by whole characters, those of two units too", async () => {
    const notes = "🎵".repeat(1_001);
    expect((await readingsOf({ track: { ...track, title: `a${notes}` } })).track.title).toBe(
      `a${"🎵".repeat(999)}`,
    );
  });

  test("with its encoding mended once in every name, whatever its user wants of titles", async () => {
    const given = "A &amp;amp; &#x27;B&#39; &eacute;t&eacute;&nbsp;";
    const mended = "A &amp; 'B' été";
    await server.accounts.privacy.change(ada.user, { titles: AS_GIVEN });
    const received = await readingsOf({
      track: { ...track, title: given },
      artists: [given, "BjÃ¶rk"],
      album: { ...album, name: given },
      device: { ...device, name: given },
    });
    expect(received).toMatchObject({
      track: { title: mended },
      artists: [mended, "Björk"],
      album: { name: mended },
      device: { name: mended },
    });
    // A connection whose messages are kept hands them on again.
    expect(boundPlayback(boundPlayback(aPlayback({ artists: [given] }))).artists).toEqual([mended]);
  });

  test.each(["Unknown Artist", "<unknown>", "[Unknown]", "Unbekannter Interpret", " ", "N/A"])(
    "without the artist %j, who is nobody",
    async (nobody) => {
      expect((await readingsOf({ artists: [nobody, "Various Artists"] })).artists).toEqual([
        "Various Artists",
      ]);
    },
  );

  test("but as it is within the bounds", async () => {
    await fc.assert(
      fc.asyncProperty(
        name(400).filter((text) => codePoints(text) <= 1_000),
        fc.array(name(20).filter(namesAnArtist), { maxLength: 50 }),
        async (title, artists) => {
          const said = aPlayback({ track: { ...track, id: `test:${title}`, title }, artists });
          const { given: _, ...shown } = await readingsOf(said);
          const { title: name, artists: names } = givenNames(await readingsOf(said));
          expect({ ...shown, track: { ...shown.track, title: name }, artists: names }).toEqual(
            said,
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  test("so that long identities stay apart, and the same one stays the same", async () => {
    const path = "folder/".repeat(10_000);
    const idOf = async (id: string) => (await readingsOf({ track: { ...track, id } })).track.id;
    const first = await idOf(`${path}1.flac`);
    expect(first.length).toBeLessThanOrEqual(1_000);
    expect(await idOf(`${path}2.flac`)).not.toBe(first);
    expect(await idOf(`${path}1.flac`)).toBe(first);
    expect(await idOf("folder/1.flac")).toBe("folder/1.flac");
  });

  test("to ten pictures, without addresses that nobody can use", async () => {
    const bytes = Uint8Array.of(1, 2, 3);
    const load = async () => bytes;
    const long = { key: "k".repeat(5_000), url: `https://art.example/${"u".repeat(5_000)}`, load };
    const usual = { key: "usual", url: "https://art.example/usual", load };
    const rest = Array.from({ length: 1_000 }, () => usual);
    const { artworks } = (
      await readingsOf({ album: { ...album, artworks: [long, usual, ...rest] } })
    ).album;
    expect(artworks).toHaveLength(10);
    expect(artworks[0]?.url).toBeUndefined();
    expect(artworks[0]?.key.length).toBeLessThanOrEqual(1_000);
    expect(await artworks[0]?.load()).toBe(bytes);
    expect(artworks[1]).toBe(usual);
  });
});
