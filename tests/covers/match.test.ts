import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Candidate,
  fittingOf,
  isDistinct,
  scoreOf,
  type WantedSong,
} from "../../src/covers/match.ts";

const wanted = (changes: Partial<WantedSong> = {}): WantedSong => ({
  title: "Paper Lanterns",
  artists: ["Juniper Vale"],
  album: "Slow Weather",
  durationMs: 200_000,
  ...changes,
});

/** A recording of the same song on another album, of unknown length. */
const candidate = (changes: Partial<Candidate> = {}): Candidate => ({
  title: "Paper Lanterns",
  artists: ["Juniper Vale"],
  album: "Other",
  durationMs: null,
  cover: "https://covers.example/1",
  isOfficial: true,
  isVarious: false,
  date: "2011",
  ...changes,
});

describe("a score", () => {
  test.each<[string, Partial<Candidate>, number]>([
    ["the same title and artist", {}, 85],
    ["the same title alone", { artists: ["Solvay"] }, 50],
    ["a title that contains it", { title: "Paper Lanterns Two" }, 65],
    ["a title that it contains", { title: "Paper" }, 65],
    ["another title", { title: "Undertow" }, 35],
    ["the same album", { album: "Slow Weather" }, 100],
    ["the same length", { durationMs: 203_000 }, 100],
    ["a length that may be the same", { durationMs: 203_001 }, 85],
    ["a length ten seconds off", { durationMs: 190_000 }, 85],
    ["another length", { durationMs: 210_001, album: "Slow Weather" }, 0],
    ["everything", { album: "Slow Weather", durationMs: 200_000 }, 115],
  ])("of %s", (_, changes, score) => {
    expect(scoreOf(wanted(), candidate(changes))).toBe(score);
  });

  test.each<[string, Partial<WantedSong>, Partial<Candidate>]>([
    ["case, spaces and signs", { title: "paper  lanterns!" }, {}],
    ["brackets", { title: "Paper Lanterns (Bonus)" }, { title: "Paper Lanterns [Edit]" }],
    ["what cleaned titles leave out", {}, { title: "Paper Lanterns - 2011 Remaster" }],
    ["other artists", { artists: ["Mara Venn", "Juniper Vale"] }, { artists: ["JUNIPER VALE"] }],
    ["an album's brackets", { album: "Slow Weather (Deluxe)" }, { album: "Slow Weather" }],
  ])("is as high whatever the %s", (_, song, changes) => {
    expect(scoreOf(wanted(song), candidate(changes))).toBeGreaterThanOrEqual(85);
  });

  test("tells other recordings of a song apart, but no edits", () => {
    const scoreWith = (title: string, other: string) =>
      scoreOf(wanted({ title }), candidate({ title: other }));
    expect(scoreWith("Paper Lanterns", "Paper Lanterns (Live at the Old Observatory)")).toBe(0);
    expect(scoreWith("Paper Lanterns (Live)", "Paper Lanterns")).toBe(0);
    expect(scoreWith("Paper Lanterns (Live)", "Paper Lanterns (live, 2011)")).toBe(85);
    expect(scoreWith("Paper Lanterns", "Paper Lanterns (Radio Edit)")).toBe(85);
  });

  test("does not take names of signs alone for each other", () => {
    const signs = candidate({ title: "???", artists: ["+/-"] });
    expect(scoreOf(wanted({ title: "!!!", artists: ["***"] }), signs)).toBe(0);
    const same = candidate({ title: "!!!", artists: ["***"] });
    expect(scoreOf(wanted({ title: "!!!", artists: ["***"] }), same)).toBe(85);
    expect(
      scoreOf(wanted({ title: "", artists: [""] }), candidate({ title: "", artists: [""] })),
    ).toBe(0);
  });

  const names = fc.constantFrom("Undertow", "Under", "Glass Sea", "A", "!!!", "", "Sea (Live)");
  const songs = fc.record({
    title: names,
    artists: fc.array(names, { maxLength: 3 }),
    album: names,
    durationMs: fc.option(fc.integer({ min: 1, max: 40_000 })),
  });
  const candidates = fc.record({
    title: names,
    artists: fc.array(names, { maxLength: 3 }),
    album: names,
    durationMs: fc.option(fc.integer({ min: 1, max: 40_000 })),
    cover: fc.webUrl(),
    isOfficial: fc.boolean(),
    isVarious: fc.boolean(),
    date: fc.constantFrom("", "1999", "1999-04", "2011-01-02"),
  });

  test("is enough only with an artist of the song and a title that has to do with it", () => {
    fc.assert(
      fc.property(songs, fc.array(candidates, { maxLength: 8 }), (song, offered) => {
        for (const fit of fittingOf(song, offered)) {
          const stranger = { ...fit, artists: ["Nobody at all"] };
          expect(fittingOf(song, [stranger])).toEqual([]);
          expect(fittingOf(song, [{ ...fit, title: "777" }])).toEqual([]);
          if (song.durationMs !== null && fit.durationMs !== null) {
            expect(Math.abs(song.durationMs - fit.durationMs)).toBeLessThanOrEqual(10_000);
          }
        }
      }),
    );
  });

  test("makes a choice that does not depend on the order of what is offered", () => {
    const keyOf = ({ isVarious, isOfficial, date, ...rest }: Candidate, song: WantedSong) =>
      JSON.stringify([
        isVarious,
        isOfficial,
        date,
        scoreOf(song, { ...rest, isVarious, isOfficial, date }),
      ]);
    fc.assert(
      fc.property(songs, fc.array(candidates, { maxLength: 8 }), (song, offered) => {
        const order = (list: readonly Candidate[]) =>
          fittingOf(song, list).map((one) => keyOf(one, song));
        expect(order(offered.toReversed())).toEqual(order(offered));
      }),
    );
  });
});

describe("of several that fit", () => {
  const bestOf = (...offered: Candidate[]) => fittingOf(wanted(), offered)[0]?.cover;
  const single = candidate({ cover: "single", isOfficial: false, date: "2009" });
  const first = candidate({ cover: "first", date: "2010-05" });
  const later = candidate({ cover: "later", date: "2015" });
  const undated = candidate({ cover: "undated", date: "" });
  const various = candidate({ cover: "various", isVarious: true, date: "2001" });

  test("the earliest official album is taken", () => {
    expect(bestOf(single, later, undated, first)).toBe("first");
    expect(bestOf(undated, single)).toBe("undated");
  });

  test("one by various artists is taken only if there is no other", () => {
    expect(bestOf(various, single)).toBe("single");
    expect(bestOf({ ...various, durationMs: 200_000 }, single)).toBe("single");
    expect(bestOf(various)).toBe("various");
  });

  test("the album that the player names is taken, whoever it is by", () => {
    expect(bestOf(first, { ...various, album: "Slow Weather" })).toBe("various");
    expect(bestOf({ ...various, album: "Slow Weather" }, { ...later, album: "Slow Weather" })).toBe(
      "later",
    );
  });

  test("none is taken if none is certain enough", () => {
    expect(bestOf()).toBeUndefined();
    expect(bestOf(candidate({ title: "Paper", album: "Slow Weather" }))).toBeUndefined();
  });
});

describe("a song without a length", () => {
  test.each<[string, boolean]>([
    ["Sea", false],
    ["S.E.A. (Live at Sea)", false],
    ["海", false],
    ["Seas", true],
    ["99 Red", true],
  ])("is looked up if its title has four letters: %s", (title, isIt) => {
    expect(isDistinct(wanted({ title, durationMs: null }))).toBe(isIt);
    expect(isDistinct(wanted({ title }))).toBe(true);
  });

  test("or with one is not looked up without an artist or a title", () => {
    expect(isDistinct(wanted({ artists: [] }))).toBe(false);
    expect(isDistinct(wanted({ artists: ["", " "] }))).toBe(false);
    expect(isDistinct(wanted({ title: " " }))).toBe(false);
  });
});
