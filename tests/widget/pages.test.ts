import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { pagesOf, type Piece, type Stretch } from "../../widget/pages.ts";
import { DIVISIONS } from "../../widget/phrases.ts";

const gap = fc.constantFrom(0, 4, 5.5);
const aWidth = fc.double({ min: 0.5, max: 40, noNaN: true });
/** A phrase of words of letters, with spaces between them, or none as in Japanese. */
const aPhrase = fc.array(
  fc.tuple(fc.array(aWidth, { minLength: 1, maxLength: 24 }), fc.constantFrom(0, 4)),
  { minLength: 1, maxLength: 5 },
);
const around = (parts: readonly Piece[], isWord: boolean): Piece => ({
  fromPx: parts[0]?.fromPx ?? 0,
  toPx: parts.at(-1)?.toPx ?? 0,
  isWord,
  parts: () => parts,
});
const aLine = fc
  .array(fc.tuple(aPhrase, gap), { minLength: 1, maxLength: 12 })
  .map((phrases): readonly Piece[] => {
    let atPx = 0;
    return phrases.map(([words, space]) => {
      const phrase = words.map(([letters, between]) => {
        const word = letters.map((wide) => ({ fromPx: atPx, toPx: (atPx += wide) }));
        atPx += between;
        return around(word, true);
      });
      atPx += space;
      return around(phrase, false);
    });
  });
const partsOf = (pieces: readonly Piece[]) => pieces.flatMap((piece) => piece.parts?.() ?? []);
const aRoom = fc.integer({ min: 41, max: 1_000 });

describe("pagesOf", () => {
  const always = (holds: (line: readonly Piece[], roomPx: number) => void) =>
    fc.assert(fc.property(aLine, aRoom, holds), { numRuns: 1_000 });

  test("shows every part of the line on some page", () => {
    always((line, roomPx) => {
      const pages = pagesOf(line, roomPx);
      for (const { fromPx, toPx } of partsOf(partsOf(line))) {
        for (const share of [0.01, 0.3, 0.99]) {
          const px = fromPx + (toPx - fromPx) * share;
          expect(pages.some((page) => page.fromPx <= px && px <= page.toPx)).toBe(true);
        }
      }
    });
  });

  test("makes no page wider than the room", () => {
    always((line, roomPx) => {
      for (const page of pagesOf(line, roomPx)) {
        expect(page.toPx - page.fromPx).toBeLessThanOrEqual(roomPx + 1);
      }
    });
  });

  test("has every word whole on some page where it fits", () => {
    always((line, roomPx) => {
      const pages = pagesOf(line, roomPx);
      for (const word of partsOf(line).filter(({ fromPx, toPx }) => toPx - fromPx <= roomPx)) {
        const isWhole = (page: Stretch) => page.fromPx <= word.fromPx && word.toPx <= page.toPx;
        expect(pages.some(isWhole)).toBe(true);
      }
    });
  });

  test("fills three fifths of the room where more text follows, unless the next letter is wider", () => {
    always((line, roomPx) => {
      const letters = partsOf(partsOf(line));
      for (const { fromPx, toPx } of pagesOf(line, roomPx).slice(0, -1)) {
        const next = letters.find((letter) => letter.fromPx >= toPx);
        const hasRoom = (next?.toPx ?? Infinity) - fromPx <= roomPx;
        expect(toPx - fromPx >= 0.6 * roomPx || !hasRoom).toBe(true);
      }
    });
  });

  test("begins with the beginning, ends with the end, and always moves on", () => {
    always((line, roomPx) => {
      const pages = pagesOf(line, roomPx);
      expect(pages[0]?.fromPx).toBe(0);
      expect(pages.at(-1)?.toPx).toBe(line.at(-1)?.toPx ?? Number.NaN);
      pages.slice(1).forEach((page, before) => {
        expect(page.fromPx).toBeGreaterThan(pages[before]?.fromPx ?? Number.NaN);
        expect(page.toPx).toBeGreaterThan(pages[before]?.toPx ?? Number.NaN);
      });
    });
  });

  test("fills the last page with words of the page before it", () => {
    const words = [0, 100, 200, 300].map((fromPx) => ({ fromPx, toPx: fromPx + 90 }));
    expect(pagesOf(words, 300).map(({ fromPx, toPx }) => [fromPx, toPx])).toEqual([
      [0, 290],
      [100, 390],
    ]);
  });

  /** A line whose phrases end at `|` and whose words end at spaces, each character 10 px wide. */
  const lineOf = (text: string): readonly Piece[] => {
    let atPx = 0;
    return text.split("|").map((phrase) =>
      around(
        phrase.split(" ").map((word) => {
          const letters = [...word].map(() => ({ fromPx: atPx, toPx: (atPx += 10) }));
          return around(letters, true);
        }),
        false,
      ),
    );
  };
  const shownOf = (text: string, roomPx: number) =>
    pagesOf(lineOf(text), roomPx).map(({ fromPx, toPx }) =>
      text.replaceAll(/[| ]/g, "").slice(fromPx / 10, toPx / 10),
    );

  test.each([
    ["phrases where they fill it", "abcdef|gh ijklm|nopq", ["abcdef", "ghijklm", "nopq"]],
    ["words of the next phrase", "abc|def ghi jk|lmnopqr", ["abcdefghi", "jklmnopqr"]],
    ["letters of a word", "abc|defghijkl|mnop", ["abcdefghij", "defghijkl", "mnop"]],
    ["letters of a word that has no page", "abc|defghijklmnopq", ["abcdefghij", "hijklmnopq"]],
  ])("fills a page with %s", (_, text, expected) => {
    expect(shownOf(text, 100)).toEqual(expected);
  });

  test("takes pieces in any order, and those that overlap as one", () => {
    const pages = pagesOf(
      [
        { fromPx: 60, toPx: 90 },
        { fromPx: 0, toPx: 40 },
        { fromPx: 30, toPx: 50 },
      ],
      55,
    );
    expect(pages.map(({ fromPx, toPx }) => [fromPx, toPx])).toEqual([
      [0, 50],
      [60, 90],
    ]);
  });

  test("has no page without room or text", () => {
    for (const roomPx of [0, -5, Number.NaN])
      expect(pagesOf([{ fromPx: 0, toPx: 9 }], roomPx)).toEqual([]);
    expect(pagesOf([], 300)).toEqual([]);
  });
});

describe("the parts of a title", () => {
  const [phrases, words, letters] = DIVISIONS;
  const parts = (division: (typeof DIVISIONS)[number] | undefined, text: string) =>
    division?.partsOf(text).map(({ from, to }) => text.slice(from, to));

  test.each([
    ["Rock-and-Roll (Live), don’t", ["Rock-and-Roll", "(Live),", "don’t"]],
    ["夜の庭で会いましょう、「月」の歌", ["夜の", "庭で", "会いましょう、", "「月」の", "歌"]],
    [
      "「夜の庭で」もう一度、きみに。さよなら",
      ["「夜の", "庭で」", "もう一度、", "きみに。", "さよなら"],
    ],
    ["え！？そう・はい!もう", ["え！？", "そう・", "はい!", "もう"]],
    ["Live「月」（Remix）P!nk", ["Live", "「月」", "（Remix）", "P!nk"]],
    ["月亮代表我的心。", ["月亮", "代表", "我的", "心。"]],
    ["Loveが好き", ["Loveが", "好き"]],
    ["สวัสดีชาวโลก", ["สวัสดี", "ชาว", "โลก"]],
    ["ضوء القمر (حي)", ["ضوء", "القمر", "(حي)"]],
    ["👩‍🚀🇫🇷 안녕하세요 🌙", ["👩‍🚀🇫🇷", "안녕하세요", "🌙"]],
  ])("are phrases that read well by themselves: %s", (text, expected) => {
    expect(parts(phrases, text)).toEqual(expected);
  });

  test.each([
    ["Rock-and-Roll!", ["Rock-", "and-", "Roll!"]],
    ["庭で「月」、ゃ", ["庭", "で", "「月」、ゃ"]],
    ['"Heroes"', ['"Heroes"']],
  ])("are words with their signs where a phrase has no room: %s", (text, expected) => {
    expect(parts(words, text)).toEqual(expected);
  });

  test("are what a reader sees as one character where a word has no room, signs last", () => {
    expect(parts(letters, "é👨‍👩‍👧‍👦🇧🇷ก็！ちょ")).toEqual(["é", "👨‍👩‍👧‍👦", "🇧🇷", "ก็！", "ちょ"]);
    expect(parts(DIVISIONS.at(-1), "！！ょ")).toEqual(["！", "！", "ょ"]);
  });

  test("hold all of a text but its spaces, in order, and never cut a character", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc
        .array(fc.constantFrom("夜", "の", "「", "」", " ", "a", "(", ")", "👩‍🚀", "ضوء", "é", "ー"))
        .map((pieces) => pieces.join("")),
    );
    const boundariesOf = (text: string) =>
      new Set(
        [...new Intl.Segmenter().segment(text)].map(({ index }) => index).concat(text.length),
      );
    fc.assert(
      fc.property(anyText, fc.constantFrom(...DIVISIONS), (text, division) => {
        const boundaries = boundariesOf(text);
        let end = 0;
        for (const { from, to } of division.partsOf(text)) {
          expect(text.slice(end, from).trim()).toBe("");
          expect(boundaries.has(from) && boundaries.has(to)).toBe(true);
          end = to;
        }
        expect(text.slice(end).trim()).toBe("");
      }),
      { numRuns: 500 },
    );
  });
});
