import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  commentBlock,
  commentPacket,
  type OggCodec,
  oggPage,
  oggSong,
  packetPages,
} from "../../fixtures/streams/ogg.ts";
import { bytesInUse } from "../../fixtures/streams/cost.ts";
import { floodOf, FLOODS } from "../../fixtures/streams/floods.ts";
import "../../fixtures/seed.ts";
import { createOggReader, isOgg, type SongComments } from "../../../src/sources/streams/ogg.ts";

/** What is read of bytes that arrive cut at these places. */
function read(bytes: Uint8Array, ...cuts: readonly number[]): SongComments[] {
  const reader = createOggReader();
  const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
  return places.flatMap((from, index) => reader(bytes.subarray(from, places[index + 1])) ?? []);
}

const CODECS: readonly OggCodec[] = ["vorbis", "opus", "flac"];
const named = (codec: OggCodec, title: string) =>
  oggSong({ codec, comments: [`TITLE=${title}`, "artist=Ada", "Album=Lanterns"] });

describe("an Ogg stream", () => {
  test.each(CODECS)("of %s names each song of its chain, wherever it is cut", (codec) => {
    const first = named(codec, "One");
    const stream = Buffer.concat([first, named(codec, "Ночь 夜 é")]);
    const songs = ["One", "Ночь 夜 é"].map((title) => ({
      title,
      artist: "Ada",
      album: "Lanterns",
    }));
    for (let cut = 0; cut <= stream.length; cut += 1) {
      expect(read(stream, first.length, cut)).toEqual(songs);
    }
    expect(read(stream)).toEqual(songs.slice(1));
    const everywhere = Array.from({ length: stream.length }, (_, index) => index);
    expect(read(stream, ...everywhere)).toEqual(songs);
  });

  test("gives the same names whatever pieces it comes in", () => {
    const song = fc.record({
      codec: fc.constantFrom(...CODECS),
      comments: fc.array(fc.string({ unit: "binary" }), { maxLength: 6 }),
      serial: fc.nat(),
      tail: fc.nat(70_000),
      pages: fc.nat(3),
    });
    fc.assert(
      fc.property(
        fc.array(song, { maxLength: 3 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
        (songs, shares) => {
          const streams = songs.map(oggSong);
          const stream = Buffer.concat(streams);
          let end = 0;
          const ends = streams.map(({ length }) => (end += length));
          const whole = read(stream, ...ends);
          expect(whole).toHaveLength(songs.length);
          const cuts = shares.map((share) => Math.floor(share * stream.length));
          expect(read(stream, ...ends, ...cuts)).toEqual(whole);
        },
      ),
    );
  });

  test("joins several artists, and says empty what is not named", () => {
    const [several, none] = [
      ["TITLE=A=B", "ARTIST=Ada", "ARTIST=Bo"],
      ["no name", "DATE=1999"],
    ];
    expect(read(oggSong({ comments: several }))).toEqual([
      { title: "A=B", artist: "Ada, Bo", album: "" },
    ]);
    expect(read(oggSong({ comments: none }))).toEqual([{ title: "", artist: "", album: "" }]);
  });

  test("is read beside a video and an index that begin with it", () => {
    const other = (serial: number) =>
      oggPage({ serial, flags: 2, packets: [Buffer.from("\x80theora")] });
    const song = named("opus", "One");
    const firstPage = 28 + 19;
    const stream = Buffer.concat([
      other(1),
      song.subarray(0, firstPage),
      other(2),
      ...packetPages(1, commentPacket("vorbis", commentBlock(["TITLE=a video's"]))),
      song.subarray(firstPage),
    ]);
    expect(read(stream).map(({ title }) => title)).toEqual(["One"]);
  });

  test("is read from its next page on where it begins in the middle of one", () => {
    const stream = Buffer.concat([Buffer.from("OggOgg and the rest"), named("vorbis", "One")]);
    expect(read(Buffer.concat([named("vorbis", "Zero").subarray(200), stream])).at(-1)?.title).toBe(
      "One",
    );
  });

  test("names a song whose cover is larger than what is kept of comments", () => {
    const [song] = read(oggSong({ comments: ["TITLE=One"], tail: 2_000_000 }));
    expect(song?.title).toBe("One");
  });

  test.each([
    ["vendor", { vendor: 0xffff_ffff }, ""],
    ["number of comments", { count: 0xffff_ffff }, "One"],
    ["comment", { size: 0xffff_fff0 }, ""],
  ] as const)("is not misled by the size of a %s that is a lie", (_, stated, title) => {
    const block = commentBlock(["TITLE=One", "ARTIST=Ada"], stated);
    const stream = Buffer.concat([
      oggSong({ comments: [], pages: 0 }).subarray(0, 28 + 16),
      ...packetPages(7, commentPacket("vorbis", block)),
    ]);
    expect(read(stream)[0]?.title).toBe(title);
  });

  test("is told by its first bytes", () => {
    expect(isOgg(named("flac", "One"))).toBe(true);
    expect(isOgg(Buffer.from("Ogg"))).toBe(false);
    expect(isOgg(Buffer.from("\xff\xfbOggS", "latin1"))).toBe(false);
  });

  test.each(["O", "Ogg", "OggOggO"])("passes over a megabyte of %s", (word) => {
    const junk = Buffer.alloc(1024 * 1024, word);
    const stream = Buffer.concat([named("opus", "One"), junk, named("opus", "Two")]);
    const cuts = Array.from({ length: 200 }, (_, index) => index * 5_003);
    expect(read(stream, ...cuts).map(({ title }) => title)).toEqual(["One", "Two"]);
  });

  test("is not kept, whatever it floods with", () => {
    const flooded = () =>
      FLOODS.map((flood) => {
        const reader = createOggReader();
        reader(flood.beginning);
        reader(floodOf(flood));
        return reader;
      });
    const held: ReturnType<typeof createOggReader>[] = [];
    // What is compiled meanwhile counts too, for this or for another test, but not each time.
    const grown = Array.from({ length: 4 }, () => {
      const before = bytesInUse();
      held.push(...flooded());
      return bytesInUse() - before;
    });
    // A page, and what is kept of comments.
    expect(Math.min(...grown)).toBeLessThan(FLOODS.length * 96 * 1024);
    // Until here all readers are held.
    for (const reader of held) expect(() => reader(new Uint8Array())).not.toThrow();
  });

  test("never throws, whatever its bytes are", () => {
    const lie = fc.uint8Array({ maxLength: 400 });
    fc.assert(
      fc.property(lie, lie, (before, after) => {
        const song = named("opus", "One");
        for (let at = 0; at < after.length && at + 28 < song.length; at += 1) {
          song[28 + at] = after[at] ?? 0;
        }
        expect(() => read(Buffer.concat([before, song, after, song]))).not.toThrow();
      }),
    );
  });
});
