import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Candidate, fittingOf, isDistinct, type WantedSong } from "../../src/covers/match.ts";

const ARTISTS = ["Juniper Vale", "Osk Veldhuizen", "The Paper Boats", "Mira Sol", "Hollow & Pine"];
const WORDS = ["Rain", "Lanterns", "Home", "Slow", "Garden", "Blue", "Night", "Letters"];

interface Asked {
  readonly song: WantedSong;
  /** The song's own recordings: covers of these are right. */
  readonly right: readonly Candidate[];
  /** Live ones, remixes, songs of the same artist with a longer name, and what others have made of it. */
  readonly wrong: readonly Candidate[];
}

const lengths = fc.integer({ min: 120_000, max: 360_000 });
const offBy = (most: number) => fc.integer({ min: -most, max: most });

const asked: fc.Arbitrary<Asked> = fc
  .record({
    artist: fc.constantFrom(...ARTISTS),
    other: fc.constantFrom(...ARTISTS),
    words: fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
    more: fc.constantFrom(...WORDS),
    album: fc.constantFrom(...WORDS),
    durationMs: lengths,
    knowsAlbum: fc.integer({ min: 0, max: 9 }).map((of10) => of10 < 6),
    knowsLength: fc.integer({ min: 0, max: 9 }).map((of10) => of10 < 8),
    isThere: fc.integer({ min: 0, max: 9 }).map((of10) => of10 < 8),
    year: fc.integer({ min: 1970, max: 2020 }),
    liveOffMs: offBy(60_000),
    remixOffMs: offBy(90_000),
    longerOffMs: offBy(60_000),
    otherOffMs: offBy(120_000),
    smallOffMs: offBy(2_000),
    tellsLength: fc.boolean(),
  })
  .map((one) => {
    const title = one.words.join(" ");
    const { artist, durationMs, year } = one;
    const other = one.other === artist ? "Somebody Else" : one.other;
    const offered = (changes: Partial<Candidate>): Candidate => ({
      ...{ title, artists: [artist], album: "Other", durationMs, isOfficial: true },
      ...{ isVarious: false, date: String(year), cover: "" },
      ...changes,
    });
    const told = (offMs: number) => (one.tellsLength ? durationMs + offMs : null);
    const right = [
      offered({ album: one.album, cover: "album", durationMs: told(one.smallOffMs) }),
      offered({ album: `${one.album} (Deluxe Edition)`, cover: "deluxe", date: String(year + 10) }),
      offered({ album: "Hits of the Year", cover: "hits", isVarious: true }),
    ];
    const wrong = [
      offered({
        title: `${title} (Live)`,
        album: "Live at the Old Observatory",
        cover: "live",
        durationMs: durationMs + one.liveOffMs,
        date: String(year + 1),
      }),
      offered({
        title: `${title} (Night Remix)`,
        album: "Remixes",
        cover: "remix",
        durationMs: durationMs + one.remixOffMs,
        date: String(year + 2),
      }),
      offered({
        title: `${title} ${one.more}`,
        cover: "longer",
        durationMs: durationMs + one.longerOffMs,
        date: String(year - 1),
      }),
      offered({ artists: [other], cover: "by another", date: String(year - 5) }),
      offered({ artists: [`${artist} Tribute Band`], cover: "tribute", album: one.album }),
      offered({
        title: one.more,
        cover: "another song",
        album: one.album,
        durationMs: durationMs + one.otherOffMs,
      }),
    ];
    const song = {
      ...{ title, artists: [artist] },
      album: one.knowsAlbum ? one.album : "",
      durationMs: one.knowsLength ? durationMs : null,
    };
    return { song, right: one.isThere ? right : [], wrong };
  });

test("of 200 songs with ambiguous answers at most two in a hundred get a wrong cover", () => {
  const songs = fc.sample(asked, { seed: 28, numRuns: 200 });
  const results = songs.map(({ song, right, wrong }) => {
    if (!isDistinct(song)) return "not looked up";
    const best = fittingOf(song, [...wrong, ...right])[0];
    if (!best) return "none";
    return right.includes(best) ? "right" : `wrong: ${best.cover}`;
  });
  const wrong = results.filter((result) => result.startsWith("wrong"));
  const found = results.filter((result) => result === "right");
  expect(wrong.length).toBeLessThanOrEqual(4);
  // Nothing is easy to get right by never taking any.
  expect(found.length).toBeGreaterThan(140);
});
