import { describe, expect, test } from "bun:test";
import { lineOf, type LineWords, lineValuesBefore, lineValuesOf } from "../../src/outputs/line.ts";
import type { Playback } from "../../src/playback.ts";
import { charactersReadBy } from "../fixtures/characters-read.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const WORDS: LineWords = {
  paused: "Paused",
  nothingPlaying: "Nothing playing",
  noneBefore: "None",
};
const OPTIONS = { template: "", pausedTemplate: "", idleTemplate: "", url: false };

const look = (options: Partial<typeof OPTIONS> = {}, most = 380) => ({
  options: { ...OPTIONS, ...options },
  words: WORDS,
  most,
});
const answerTo = (changes: Partial<Playback> = {}, nowMs = 1_000) =>
  lineValuesOf({ kind: "playback", playback: aPlayback(changes), connectionId: 1 }, nowMs);
const titled = (title: string, url?: string) => ({
  track: { id: "1", title, durationMs: 200_000, explicit: false, ...(url && { url }) },
});

describe("a line", () => {
  test("names artist and title by default, and the title alone where no artist is known", () => {
    expect(lineOf(answerTo(), look())).toBe("♪ Juniper Vale – Paper Lanterns");
    expect(lineOf(answerTo({ artists: [] }), look())).toBe("♪ Paper Lanterns");
  });

  test("says that the music is paused, in the words of its template if it has some", () => {
    const paused = answerTo({ state: "paused" });
    expect(lineOf(paused, look())).toBe("♪ Juniper Vale – Paper Lanterns (Paused)");
    expect(lineOf(paused, look({ template: "{title}!" }))).toBe("Paper Lanterns! (Paused)");
    expect(lineOf(paused, look({ pausedTemplate: "Break: {title}" }))).toBe(
      "Break: Paper Lanterns",
    );
  });

  test("says that nothing plays, in its own words if it has some", () => {
    const nothing = lineValuesOf({ kind: "nothing" }, 0);
    expect(lineOf(nothing, look())).toBe("Nothing playing");
    expect(lineOf(nothing, look({ idleTemplate: "Silence[ by {artist}]" }))).toBe("Silence");
    expect(lineOf(nothing, look({ idleTemplate: "{title}" }))).toBe("Nothing playing");
    expect(lineOf(lineValuesOf({ kind: "unavailable", retryAfterMs: 1 }, 0), look())).toBe(
      "Nothing playing",
    );
  });

  test("says that nothing plays when a song has no name at all", () => {
    expect(lineOf(answerTo({ ...titled("\u200b"), artists: ["\n"] }), look())).toBe(
      "Nothing playing",
    );
  });

  test("names a song as usual where its template leaves nothing of it", () => {
    const playing = answerTo({ album: { name: "", artworks: [] } });
    expect(lineOf(playing, look({ template: "[{album}]" }))).toBe(
      "♪ Juniper Vale – Paper Lanterns",
    );
  });

  test("tells the time as it stands now", () => {
    const template = "{elapsed} of {duration}, {remaining} left";
    expect(lineOf(answerTo({}, 56_000), look({ template }))).toBe("1:05 of 3:20, 2:15 left");
    const long = { id: "1", title: "Mix", durationMs: 3_723_000, explicit: false };
    expect(lineOf(answerTo({ track: long }), look({ template: "{duration}" }))).toBe("1:02:03");
  });

  test("tells no time that is not known", () => {
    const unknown = answerTo({ positionUnknown: true });
    expect(lineOf(unknown, look({ template: "{title}[ at {elapsed}]" }))).toBe("Paper Lanterns");
  });

  test("shows all names of a song, and its first artist", () => {
    const song = answerTo({ artists: ["One", "Two"] });
    const template = "{first_artist}: {title} ({artist}, {album}, {source})";
    expect(lineOf(song, look({ template }))).toBe(
      "One: Paper Lanterns (One, Two, Slow Weather, Test)",
    );
  });

  test("shows a song's address only where that is allowed", () => {
    const song = answerTo(titled("Song", "https://open.spotify.com/track/1"));
    const template = "{title}[ {url}]";
    expect(lineOf(song, look({ template }))).toBe("Song");
    expect(lineOf(song, look({ template, url: true }))).toBe(
      "Song https://open.spotify.com/track/1",
    );
  });

  test("cuts the title first, then the artist, each after a whole character", () => {
    const long = answerTo({ ...titled("Lanterns ".repeat(9)), artists: ["Juniper Vale"] });
    expect(lineOf(long, look({}, 40))).toBe("♪ Juniper Vale – Lanterns Lanterns Lant…");
    const family = answerTo({ ...titled("👨‍👩‍👧".repeat(9)), artists: ["Ada"] });
    expect(lineOf(family, look({}, 30))).toBe("♪ Ada – 👨‍👩‍👧👨‍👩‍👧…");
    const artists = answerTo({ ...titled("Song"), artists: ["Juniper ".repeat(9)] });
    expect(lineOf(artists, look({}, 20))).toBe("♪ Juniper Juni… – S…");
  });

  test("is cut as a whole when its template alone is too long", () => {
    expect(lineOf(answerTo(), look({ template: "word ".repeat(20) + "{title}" }, 22))).toBe(
      "word word word word w…",
    );
  });

  test("names a song before without a time, or says that there is none", () => {
    const song = { ...aPlayback(), albumName: "Slow Weather" };
    const received = { song, startedAt: 0, playedMs: 30_000 };
    expect(
      lineOf(lineValuesBefore(received), look({ template: "{title}[ {elapsed}][ {duration}]" })),
    ).toBe("Paper Lanterns 3:20");
    expect(lineOf(lineValuesBefore(undefined), look())).toBe("None");
  });
});

describe("the work for a line", () => {
  /** A song with as many artists as a source may name, and names of this length. */
  const named = (length: number): Partial<Playback> => {
    const name = (part: string) => part.repeat(length).slice(0, length);
    const artists = Array.from({ length: 50 }, (_, index) => name(`Ä.b@$c${index} `));
    return { ...titled(name("The 夜 ")), artists, album: { name: name("e\u0301"), artworks: [] } };
  };

  test.each([
    ["the default template", ""],
    ["a template with all names, eight times", "{title}{artist}{album}{first_artist}".repeat(8)],
    ["a template of nothing but artists", "{artist}".repeat(37)],
  ])("is bounded with %s, however much a source sends", async (_, template) => {
    for (const most of [20, 380, 500]) {
      const line = () => lineOf(answerTo(named(1_000)), look({ template }, most));
      expect(line().length).toBeWithin(10, most + 1);
      expect(await charactersReadBy(line)).toBeLessThan(300_000);
    }
  });
});
