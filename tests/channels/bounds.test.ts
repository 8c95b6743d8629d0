import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { boundPlayback } from "../../src/channels/bounds.ts";
import type { Playback } from "../../src/playback.ts";
import { mendText } from "../../src/titles/mend-text.ts";
import { namesAnArtist } from "../../src/titles/placeholders.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { solidPicture } from "../fixtures/sources/pictures.ts";

/** What everybody gets of a playback that a source says. */
function bounded(said: Partial<Playback>): Playback {
  const playback = boundPlayback(aPlayback(said));
  if (!playback) throw new Error("nothing plays");
  return playback;
}

/** A well-formed name with nothing to mend, of which something can be seen, and which is no address. */
const aName = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: "grapheme", maxLength })
    .filter((text) => codePoints(text) <= 1_000 && mendText(text) === text)
    .filter((text) => /[A-Za-z]/.test(text) && !/[?:]/.test(text));

const codePoints = (text: string): number => Array.from(text).length;
const { track, album, device } = aPlayback();

describe("what a source says is bounded for every reader", () => {
  test("to 50 artists of 1,000 characters each, in their order", () => {
    const artists = Array.from({ length: 60_000 }, (_, index) => `${index} ${"x".repeat(1_200)}`);
    const received = bounded({ artists });
    expect(received.artists).toEqual(artists.slice(0, 50).map((name) => name.slice(0, 1_000)));
  });

  test("to 1,000 characters in every other text that is shown", () => {
    const long = "y".repeat(100_000);
    const received = bounded({
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

  test("to whole milliseconds, as the API promises", () => {
    const received = bounded({
      track: { ...track, durationMs: 1_000.4 },
      positionMs: 3.6,
    });
    expect([received.track.durationMs, received.positionMs]).toEqual([1_000, 4]);
  });

  test("by whole characters, those of two units too", () => {
    const notes = "🎵".repeat(1_001);
    expect(bounded({ track: { ...track, title: `a${notes}` } }).track.title).toBe(
      `a${"🎵".repeat(999)}`,
    );
  });

  test("with its encoding mended once in every name", () => {
    const given = "A &amp;amp; &#x27;B&#39; &eacute;t&eacute;&nbsp;";
    const mended = "A &amp; 'B' été";
    const received = bounded({
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
    const once = boundPlayback(aPlayback({ artists: [given] }));
    expect(once && boundPlayback(once)?.artists).toEqual([mended]);
  });

  test.each(["Unknown Artist", "<unknown>", "[Unknown]", "Unbekannter Interpret", " ", "N/A"])(
    "without the artist %j, who is nobody",
    (nobody) => {
      expect(bounded({ artists: [nobody, "Various Artists"] }).artists).toEqual([
        "Various Artists",
      ]);
    },
  );

  test("but as it is within the bounds", () => {
    fc.assert(
      fc.property(
        aName(400),
        fc.uniqueArray(aName(20).filter(namesAnArtist), { maxLength: 50 }),
        (title, artists) => {
          const said = aPlayback({ track: { ...track, id: `test:${title}`, title }, artists });
          expect(boundPlayback(said)).toEqual(said);
        },
      ),
    );
  });

  test("so that long identities stay apart, and the same one stays the same", () => {
    const path = "folder/".repeat(10_000);
    const idOf = (id: string) => bounded({ track: { ...track, id } }).track.id;
    const first = idOf(`${path}1.flac`);
    expect(first.length).toBeLessThanOrEqual(1_000);
    expect(idOf(`${path}2.flac`)).not.toBe(first);
    expect(idOf(`${path}1.flac`)).toBe(first);
    expect(idOf("folder/1.flac")).toBe("folder/1.flac");
  });

  test("to texts without lone surrogates, which strict parsers refuse", () => {
    const received = bounded({
      track: { ...track, id: "a\ud83d", title: "A\ud83dB" },
      artists: ["\udc00C"],
      album: { ...album, name: "D\ud83d" },
      device: { ...device, name: "E\udc00" },
    });
    expect(JSON.stringify(received)).not.toMatch(/\\ud[89a-f]/i);
    expect(received.track.title).toBe("A\ufffdB");
  });

  test("to artists that are each named once, and not by a blank", () => {
    const received = bounded({ artists: ["A", "B", "", "A", "\u200b"] });
    expect(received.artists).toEqual(["A", "B"]);
  });

  test("to a known length or none: 0 stands for an unknown one", () => {
    const received = bounded({ track: { ...track, durationMs: 0 }, positionMs: 90_000 });
    expect([received.track.durationMs, received.positionMs]).toEqual([null, 90_000]);
  });

  test("to ten pictures, without addresses that nobody can use", async () => {
    const bytes = solidPicture("#e07a5f", 8);
    const load = async () => bytes;
    const long = { key: "k".repeat(5_000), url: `https://art.example/${"u".repeat(5_000)}`, load };
    const usual = { key: "usual", url: "https://art.example/usual", load };
    const rest = Array.from({ length: 1_000 }, () => usual);
    const { artworks } = bounded({ album: { ...album, artworks: [long, usual, ...rest] } }).album;
    expect(artworks).toHaveLength(10);
    expect(artworks[0]?.url).toBeUndefined();
    expect(artworks[0]?.key.length).toBeLessThanOrEqual(1_000);
    expect(await artworks[0]?.load()).toBe(bytes);
    expect(artworks[1]).toBe(usual);
  });
});

describe("nothing that is made of an address carries its query, its user or its password", () => {
  const ADDRESS =
    "https://ada:hunter2@radio.example/rest/stream?u=ada&t=26719a11&s=c19b2d#k=c19b2d";
  const SECRETS = /hunter2|26719a11|c19b2d|ada/;

  test.each([
    ["a title", { track: { ...track, title: ADDRESS } }],
    ["an id", { track: { ...track, id: ADDRESS } }],
    ["an id with something around it", { track: { ...track, id: `["p1/3","${ADDRESS}"]` } }],
    ["an artist", { artists: [ADDRESS] }],
    ["an album", { album: { ...album, name: ADDRESS } }],
    ["a device", { device: { ...device, name: ADDRESS, type: ADDRESS } }],
    ["a title that names an address", { track: { ...track, title: `Live: ${ADDRESS}` } }],
    ["a path with a query", { track: { ...track, title: "stream?u=ada&t=26719a11&s=c19b2d" } }],
    ["the text of a stream", { namesFrom: { origin: "upload", text: ADDRESS } as const }],
    [
      "a picture's address",
      {
        album: {
          ...album,
          artworks: [{ key: "1", url: ADDRESS, load: async () => new Uint8Array() }],
        },
      },
    ],
  ] satisfies [string, Partial<Playback>][])("%s", (_, said) => {
    expect(JSON.stringify(bounded(said))).not.toMatch(SECRETS);
  });

  test("and the id of a stream changes with the song", () => {
    const idOf = (title: string) =>
      bounded({ track: { ...track, id: "http://radio.example/live", title } }).track.id;
    const first = idOf("First");
    expect(idOf("Second")).not.toBe(first);
    expect(idOf("First")).toBe(first);
  });

  test("but a local file keeps its address as id", () => {
    for (const id of [
      "file:///music/What%3F.flac",
      "Music/A%20B/What?.flac",
      "spotify:local:a:b:c:1",
    ]) {
      expect(bounded({ track: { ...track, id } }).track.id).toBe(id);
    }
  });

  test("and an id in which nothing can be seen is a digest of the names", () => {
    const idOf = (id: string, title: string) =>
      bounded({ track: { ...track, id, title } }).track.id;
    const first = idOf("", "First");
    expect(first).toMatch(/^[\w-]{22}$/);
    expect(idOf("\u200b", "First")).toBe(first);
    expect(idOf("", "Second")).not.toBe(first);
  });
});

describe("a title in which nothing can be seen", () => {
  const BLANKS = ["", "  ", "\u200b", "\u3164", "\u2800", "\u0301", "\u00ad\ufeff"];

  test.each(BLANKS)("is the file's name where there is one: %j", (title) => {
    const local = bounded({ track: { ...track, id: "Music/01 Lanterns.flac", title } });
    expect(local.track.title).toBe("01 Lanterns");
    const stream = { ...track, id: "http://radio.example/live.mp3?key=1", title };
    expect(bounded({ track: stream }).track.title).toBe("live");
  });

  test.each(BLANKS)("plays nothing where there is none: %j", (title) => {
    expect(boundPlayback(aPlayback({ track: { ...track, id: "1329", title } }))).toBeNull();
  });
});
