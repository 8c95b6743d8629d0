import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { mendText } from "../../src/titles/mend-text.ts";
import { folded } from "../../src/titles/text.ts";
import type { Names } from "../../src/playback.ts";
import { type NamesOrigin, tidy } from "../../src/titles/tidy.ts";
import { wordsOf } from "../../src/titles/vocabulary.ts";
import corpus from "./corpus.json" with { type: "json" };

/** Made-up songs by made-up artists, as programs and pages write them, with what a person wants. */

const ORIGINS: Readonly<Record<string, NamesOrigin>> = {
  youtube: "page",
  icecast: "upload",
  vlc: "upload",
};
const originOf = (source: string): NamesOrigin => ORIGINS[source] ?? "catalogue";
/** The names as the channel hands them on. */
const namesOf = (title: string, artist: string | null): Names => ({
  title: mendText(title),
  artists: artist === null ? [] : [mendText(artist)],
});
const tidied = (title: string, artist: string | null, source: string) => {
  const { title: clean, artists } = tidy(namesOf(title, artist), originOf(source));
  return { title: clean, artist: artists.join(", ") || null };
};

describe("the corpus", () => {
  test.each(corpus.map((row) => [row.source, row.title, row] as const))(
    "%s: %s",
    (_, __, { source, title, artist, want }) => {
      expect(tidied(title, artist, source)).toEqual(want);
    },
  );
});

/** Title, artist, and what they become; `=` for no change. */
type Row = readonly [
  title: string,
  artist: string | null,
  wanted: string,
  wantedArtist?: string | null,
];

const CATALOGUE: readonly Row[] = [
  // Words inside of words, and titles that are such words.
  ["Videotape", "Solvay", "="],
  ["The Clipper", "Solvay", "="],
  ["Clip Your Wings", "Solvay", "="],
  ["[Untitled]", "Solvay", "="],
  ["HD", "Solvay", "="],
  ["Video Clip", "Solvay", "="],
  ["(Official Video)", "Solvay", "="],
  ["WHQ", "Solvay", "="],
  ['Ode to "Nobody Here" Again', "Solvay", "="],
  ["(Remastering the Art) part (two)", "Solvay", "="],
  ["Remastering the Dark", "Solvay", "="],
  ["Six Ft. Under", "Solvay", "="],
  ["Feat. of Strength", "Solvay", "="],
  // What describes the recording stays.
  ["Undertow (Live)", "Solvay", "="],
  ["Undertow - Live", "Solvay", "="],
  ["Undertow [Remix]", "Solvay", "="],
  ["Undertow (Karaoke Version)", "Solvay", "="],
  ["Undertow (Slowed + Reverb)", "Solvay", "="],
  ["Undertow (Sped Up)", "Solvay", "="],
  ["Undertow - Radio Edit", "Solvay", "="],
  ["Undertow (Demo 1994)", "Solvay", "="],
  ["Undertow, Pt. 2", "Solvay", "="],
  // What describes the release goes.
  ["Undertow - Remastered", "Solvay", "Undertow"],
  ["Undertow (Remastered 2011)", "Solvay", "Undertow"],
  ["Undertow - 2011 Digital Remaster", "Solvay", "Undertow"],
  ["Undertow [2011 Remastered Version]", "Solvay", "Undertow"],
  ["Undertow - Remasterizado 2011", "Solvay", "Undertow"],
  ["Undertow (Live / Remastered 2009)", "Solvay", "Undertow (Live)"],
  ["Undertow (Explicit)", "Solvay", "Undertow"],
  ["Undertow 🅴", "Solvay", "Undertow"],
  ["Undertow (feat. Mara Venn & Kite)", "Solvay, Mara Venn, Kite", "Undertow"],
  ["Undertow (with Mara Venn)", "Solvay, Mara Venn", "Undertow"],
  ["Undertow (with Mara Venn)", "Solvay", "="],
  ["Undertow [FEATURING Mara Venn]", "Solvay", "Undertow [feat. Mara Venn]"],
  ["It&#39;s  Late &quot;Now&quot;", "Solvay", 'It\'s Late "Now"'],
  ["Undertow", "Solvay - Topic", "Undertow", "Solvay"],
];

const PAGES: readonly Row[] = [
  ["Undertow", "SolvayVEVO", "Undertow", "Solvay"],
  ["Solvay – Undertow [Official Audio] HQ", "Solvay Official", "Undertow", "Solvay"],
  ["Solvay -- Undertow", "someone", "Undertow", "Solvay"],
  ["Solvay _ Undertow", "someone", "Undertow", "Solvay"],
  ["Solvay - Undertow (Visualizer)", "Solvay", "Undertow", "Solvay"],
  ["Solvay - Undertow (4K 60fps)", "Solvay", "Undertow", "Solvay"],
  ["Solvay - Undertow M/V", "Solvay", "Undertow", "Solvay"],
  ["Solvay - Undertow (prod. Kite)", "Solvay", "Undertow", "Solvay"],
  ["Solvay - Undertow [Free Download]", "Silverleaf Records", "Undertow", "Solvay"],
  ["Solvay - Undertow #shorts #music", "Solvay", "Undertow", "Solvay"],
  ["Solvay - Undertow #90s", "Solvay", "Undertow", "Solvay"],
  ["Solvay - Prelude #3", "Solvay", "Prelude #3", "Solvay"],
  ["Solvay - Undertow (Acoustic Video)", "Solvay", "Undertow (Acoustic)", "Solvay"],
  ["Solvay - Undertow (Live at the Mill)", "Solvay", "Undertow (Live at the Mill)", "Solvay"],
  ["Solvay - Undertow | Live at the Mill", "Solvay", "Undertow | Live at the Mill", "Solvay"],
  ["Solvay - Live Forever", "Solvay", "Live Forever", "Solvay"],
  ["Solvay - Undertow (Clipe Oficial)", "Solvay", "Undertow", "Solvay"],
  ["Solvay - Undertow (Vídeo Oficial)", "Solvay", "Undertow", "Solvay"],
  ["Solvay - Undertow (Lyric Video) ft. Mara Venn", "x", "Undertow (feat. Mara Venn)", "Solvay"],
  ["Undertow Six Ft. Under", "Solvay", "Undertow Six Ft. Under", "Solvay"],
  ["夜行列車『硝子の海』MV", "someone", "硝子の海", "夜行列車"],
  ["Undertow (Official Video)", "Solvay", "Undertow", "Solvay"],
  ["Undertow 'Part' of it", "Solvay", "Undertow 'Part' of it", "Solvay"],
  ["Day / Night", "Solvay", "Day / Night", "Solvay"],
  ["Undertow / Solvay", "Solvay", "Undertow", "Solvay"],
  ["Podcast - Episode 12", "Solvay", "Podcast - Episode 12", "Solvay"],
  ["Solvay — Undertow (официальный клип)", "x", "Undertow", "Solvay"],
  ["Anti-Hero (Official Video)", "Solvay", "Anti-Hero", "Solvay"],
  ["Solvay - Undertow (2 - Reprise)", "x", "Undertow (2 - Reprise)", "Solvay"],
];

const UPLOADS: readonly Row[] = [
  ["Solvay - Undertow [dQw4w9WgXcQ].mp4", null, "Undertow", "Solvay"],
  ["Solvay_-_Undertow.mp3", null, "Undertow", "Solvay"],
  ["Solvay - Prelude #12.mp3", null, "Prelude #12", "Solvay"],
  ["01. Undertow.m4a", null, "Undertow", null],
  ["On Air: Undertow", null, "Undertow", null],
  ["1979 - Undertow", null, "Undertow", "1979"],
  ["Unknown Artist - Undertow", null, "Undertow", null],
  ["Solvay - Undertow [Instrumental].ogg", null, "Undertow [Instrumental]", "Solvay"],
  ["Undertow - Live", null, "Undertow - Live", null],
  ["Mara Venn & Solvay - Undertow", null, "Undertow", "Mara Venn & Solvay"],
  ["Solvay | Undertow", null, "Undertow", "Solvay"],
  ["SOLVAY ~ UNDERTOW", null, "UNDERTOW", "SOLVAY"],
  ["Undertow | Live at the Mill", null, "=", null],
  ["Mission: Impossible", null, "=", null],
  // Brackets that describe the recording, and those that a program has written.
  ["Solvay - Undertow (Re-Recorded)", null, "Undertow (Re-Recorded)", "Solvay"],
  ["Solvay - Undertow (Piano-Cover)", null, "Undertow (Piano-Cover)", "Solvay"],
  ["Solvay - Undertow [Live-Lounge]", null, "Undertow [Live-Lounge]", "Solvay"],
  ["Solvay - Undertow [Remix-Part2]", null, "Undertow [Remix-Part2]", "Solvay"],
  ["Solvay - Undertow [Hyde2ParkMx]", null, "Undertow [Hyde2ParkMx]", "Solvay"],
  ["Solvay - Undertow (dQw4w9WgXcQ)", null, "Undertow (dQw4w9WgXcQ)", "Solvay"],
  ["Solvay - Undertow [dQw4w9WgXcQ]", null, "Undertow", "Solvay"],
  ["Solvay - Undertow【Live】", null, "Undertow【Live】", "Solvay"],
  ["Undertow【Live】", null, "=", null],
  ["Solvay - Undertow [Live Release]", null, "Undertow [Live Release]", "Solvay"],
  // Words that are written as one.
  ["Solvay - Undertow | Official Video | HydeParkMix", null, "Undertow | HydeParkMix", "Solvay"],
  ["Solvay - Undertow | Official Video | VIPMix", null, "Undertow | VIPMix", "Solvay"],
  ["Solvay - Undertow | Official Video | Take3", null, "Undertow | Take3", "Solvay"],
  ["Solvay - Undertow | Official Video | MixtapeFM", null, "Undertow", "Solvay"],
  ["Solvay - Undertow | Official Video | New Album Out Now", null, "Undertow", "Solvay"],
  ["Solvay - Undertow | Official Video | From the album Tides", null, "Undertow", "Solvay"],
  ["Solvay - Undertow | Official Video | Radio Edit", null, "Undertow | Radio Edit", "Solvay"],
  ["Solvay - Undertow | HD | Album Version", null, "Undertow | Album Version", "Solvay"],
  ["Solvay - Undertow | HD | Live on Radio 1", null, "Undertow | Live on Radio 1", "Solvay"],
  ["Solvay - Undertow [HydeParkMix Release]", null, "Undertow [HydeParkMix Release]", "Solvay"],
  ["Undertow | HydeParkMix", null, "=", null],
  ["Undertow【LiveMix】", null, "=", null],
  ["Undertow - RadioEdit", null, "=", null],
  // What stands behind a dash and is no title.
  ["Undertow - Radio Edit", null, "=", null],
  ["Undertow - 2011 Remaster", null, "Undertow", null],
  ["Symphony No. 9 - II. Molto vivace", null, "=", null],
  ["5. Symphony - Allegro", null, "=", null],
  ["Solvay - Adagio", null, "Adagio", "Solvay"],
  // Numbers that are an artist's or a title's.
  ["112 - Peaches & Cream - Radio Edit", null, "Peaches & Cream - Radio Edit", "112"],
  ["99. Luftballons", null, "=", null],
  ["99. Luftballons.mp3", null, "99. Luftballons", null],
  ["12 - Undertow.mp3", null, "Undertow", null],
  ["7 - Solvay - Undertow", null, "Undertow", "Solvay"],
  // Guests, places and a verb.
  ["Solvay - Back To Ft. Worth", null, "Back To Ft. Worth", "Solvay"],
  ["Solvay - Ft. Worth Blues", null, "Ft. Worth Blues", "Solvay"],
  ["Solvay - Rainy Days Ft. Lauderdale, FL", null, "Rainy Days Ft. Lauderdale, FL", "Solvay"],
  ["Solvay - Mornings In Ft. Worth (Live)", null, "Mornings In Ft. Worth (Live)", "Solvay"],
  ["Solvay - Back Home (Ft. Worth)", null, "Back Home (Ft. Worth)", "Solvay"],
  ["Solvay - Undertow (Featuring Everyone)", null, "Undertow (Featuring Everyone)", "Solvay"],
  ["Solvay - A Movie Featuring Nobody", null, "A Movie Featuring Nobody", "Solvay"],
  ["Solvay - Undertow Featuring Mara Venn", null, "Undertow (feat. Mara Venn)", "Solvay"],
  ["Solvay - Turn Me On ft. Mara Venn", null, "Turn Me On (feat. Mara Venn)", "Solvay"],
];

for (const [source, rows] of [
  ["spotify", CATALOGUE],
  ["youtube", PAGES],
  ["vlc", UPLOADS],
] as const) {
  describe(`of ${source}`, () => {
    test.each(rows.map((row) => [row[0], row] as const))(
      "%s",
      (_, [title, artist, wanted, wantedArtist = artist]) => {
        expect(tidied(title, artist, source)).toEqual({
          title: wanted === "=" ? title : wanted,
          artist: wantedArtist,
        });
      },
    );
  });
}

describe("own phrases", () => {
  const names = { title: "Undertow (Night Drive Edit) - Silverleaf", artists: ["Solvay"] };
  test.each([
    ["brackets", "night drive edit", "Undertow - Silverleaf"],
    ["dash", "Silverleaf", "Undertow (Night Drive Edit)"],
    ["anywhere", "night", "Undertow ( Drive Edit) - Silverleaf"],
    ["brackets", "Silverleaf", names.title],
    ["anywhere", "tow", names.title],
    ["anywhere", "(.*)", names.title],
  ] as const)("in %s: %s", (place, text, wanted) => {
    expect(tidy(names, "catalogue", [{ text, place }]).title).toBe(wanted);
  });

  test("never take all of a title", () => {
    const phrases = [{ text: "Undertow", place: "anywhere" }] as const;
    expect(tidy({ title: "Undertow", artists: [] }, "upload", phrases).title).toBe("Undertow");
  });
});

const PIECES = [
  "Undertow",
  "Glass",
  "Sea",
  "Live",
  "feat.",
  "ft.",
  "Mara",
  "Official",
  "Video",
  "HD",
  "MV",
  "(",
  ")",
  "[",
  "]",
  "【",
  "】",
  "「",
  "」",
  "-",
  "–",
  "|",
  "/",
  "／",
  "'",
  '"',
  "2011",
  "Remaster",
  "Remastered",
  "#tag",
  "🔥",
  "prod.",
  "&",
  "x",
  "公式",
  "リマスター",
  "with",
  "_",
  "07",
  ".mp3",
];
const title = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((parts) => parts.join(" ")),
);
const origin = fc.constantFrom<NamesOrigin[]>("catalogue", "tag", "upload", "page");
const artists = fc.array(title, { maxLength: 2 });

describe("a tidied title", () => {
  test("is never empty where something was given", () => {
    fc.assert(
      fc.property(title, artists, origin, (given, named, from) => {
        const clean = tidy({ title: given, artists: named }, from).title;
        return clean !== "" || given.trim() === "";
      }),
    );
  });

  test("keeps all artists of a page that names several, of which none is a channel", () => {
    const given = { title: "Glass Sea (Official Video)", artists: ["Mara Venn", "Solvay"] };
    expect(tidy(given, "page")).toEqual({ title: "Glass Sea", artists: given.artists });
  });

  test("of a catalogue is tidy the second time", () => {
    fc.assert(
      fc.property(title, fc.array(title, { minLength: 1, maxLength: 2 }), (given, named) => {
        fc.pre(!given.includes("&"));
        const once = tidy({ title: given, artists: named }, "catalogue");
        expect(tidy(once, "catalogue").title).toBe(once.title);
      }),
    );
  });

  test("without brackets, dashes and such words stays as it is", () => {
    const word = fc.constantFrom(
      "Undertow",
      "Glass",
      "sea",
      "Night",
      "1979",
      "Łódź",
      "海",
      "don't",
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), origin, (words, from) => {
        const given = words.join(" ");
        expect(tidy({ title: given, artists: ["Solvay"] }, from).title).toBe(given);
      }),
    );
  });

  test("has no word that was not given, but “feat.”", () => {
    fc.assert(
      fc.property(title, artists, origin, (given, named, from) => {
        const all = folded([given, ...named].join(" "));
        const { title: clean, artists: found } = tidy({ title: given, artists: named }, from);
        for (const word of wordsOf([clean, ...found].join(" "))) {
          expect(word === "feat" || all.includes(folded(word))).toBe(true);
        }
      }),
    );
  });
});

/** What says which recording it is, as people and stations write it. */
const RECORDINGS = [
  ...[
    "Live",
    "Acoustic",
    "Remix",
    "Edit",
    "Mix",
    "Instrumental",
    "Demo",
    "Cover",
    "Karaoke",
    "Dub",
  ],
  ...[
    "Unplugged",
    "Piano",
    "Original Version",
    "Session",
    "Reprise",
    "Part 2",
    "Take 3",
    "VIP",
    "8D",
  ],
  ...[
    "Re-Recorded",
    "Sped Up",
    "Slowed + Reverb",
    "Club-Mix",
    "Live-Lounge",
    "HydeParkMix",
    "Mono",
  ],
  ...[
    "Radio Edit",
    "Extended Mix",
    "A Cappella",
    "Rework",
    "Bootleg",
    "Mashup",
    "Taylor's Version",
  ],
];
const AROUND = ["()", "[]", "【】", "（）"] as const;

describe("what describes the recording", () => {
  const words = fc.array(fc.constantFrom(...RECORDINGS), { minLength: 1, maxLength: 3 });
  const noise = fc.constantFrom("", " (Official Video)", " [HD]", " | Official Video", " (Lyrics)");
  const bracket = fc.constantFrom(...AROUND);
  const joint = fc.constantFrom(" ", "-", "");

  test("is never lost from brackets of any kind, whoever gave the title", () => {
    fc.assert(
      fc.property(
        words,
        bracket,
        joint,
        noise,
        noise,
        origin,
        (said, around, by, one, two, from) => {
          const inside = said.join(by);
          const title = `Solvay - Undertow${one} ${around[0]}${inside}${around[1]}${two}`;
          expect(tidy({ title, artists: [] }, from).title).toContain(inside);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("is not lost as the last part either", () => {
    fc.assert(
      fc.property(words, fc.constantFrom(" - ", " | "), noise, origin, (said, sign, more, from) => {
        const part = said.join(" ");
        const { title } = tidy(
          { title: `Solvay - Undertow${more}${sign}${part}`, artists: [] },
          from,
        );
        expect(title).toContain(part);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a tag without an artist", () => {
  test.each(["Solvay - Undertow", "01. Undertow", "Undertow | Tides", "Undertow ft. Kite"])(
    "is a title and nothing else: %s",
    (title) => expect(tidy({ title, artists: [] }, "tag")).toEqual({ title, artists: [] }),
  );

  test("loses what describes the release", () => {
    const names = { title: "Undertow - 2011 Remaster", artists: [] };
    expect(tidy(names, "tag").title).toBe("Undertow");
  });
});

describe("a hostile title", () => {
  /** Folding fifty names of a thousand characters for each bracket takes a tenth of a second. */
  test("is compared with the first artists alone", () => {
    const title = "Undertow (feat. Iris Vale)";
    const names = (count: number, length: number) =>
      Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, "a"));
    const titleBy = (artists: string[]) => tidy({ title, artists }, "catalogue").title;
    expect(titleBy([...names(49, 20), "Iris Vale"])).toBe("Undertow");
    expect(titleBy([...names(49, 1_000), "Iris Vale"])).toBe(title);
  });

  /** Long ones take no longer a character than short ones, allowing for brackets. */
  test("of any two signs ends soon", () => {
    for (const first of PIECES) {
      for (const second of PIECES) {
        const hostile = `${first}${second} `.repeat(1_000).slice(0, 1_000);
        for (const from of ["catalogue", "upload", "page"] as const) {
          const { title: clean } = tidy({ title: hostile, artists: ["Solvay"] }, from);
          expect(clean.length).toBeGreaterThan(0);
        }
      }
    }
  });
});
