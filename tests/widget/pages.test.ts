import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { pagesOf, type Piece } from "../../widget/pages.ts";
import { DIVISIONS } from "../../widget/phrases.ts";

const width = fc.double({ min: 0.5, max: 900, noNaN: true });
/** A line of words with spaces between them, or none as in Japanese. */
const aLine = fc
  .array(fc.tuple(width, fc.constantFrom(0, 4, 5.5)), { minLength: 1, maxLength: 40 })
  .map((words) => {
    let fromPx = 0;
    return words.map(([wide, space]): Piece => {
      const piece = { fromPx, toPx: fromPx + wide };
      fromPx = piece.toPx + space;
      return piece;
    });
  });
const aRoom = fc.integer({ min: 20, max: 1_000 });

describe("pagesOf", () => {
  const always = (holds: (line: Piece[], roomPx: number) => void) =>
    fc.assert(fc.property(aLine, aRoom, holds), { numRuns: 1_000 });

  test("shows every part of the line on some page", () => {
    always((line, roomPx) => {
      const pages = pagesOf(line, roomPx);
      for (const { fromPx, toPx } of line) {
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

  test("keeps every word whole that fits", () => {
    always((line, roomPx) => {
      const pages = pagesOf(line, roomPx);
      for (const word of line.filter(({ fromPx, toPx }) => toPx - fromPx <= roomPx)) {
        const isWhole = (page: Piece) => page.fromPx <= word.fromPx && word.toPx <= page.toPx;
        expect(pages.some(isWhole)).toBe(true);
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

  test("gives each page half of the space to its neighbours", () => {
    const [first, last] = pagesOf(
      [
        { fromPx: 0, toPx: 90 },
        { fromPx: 96, toPx: 190 },
      ],
      100,
    );
    expect(first).toMatchObject({ spaceBeforePx: Infinity, spaceAfterPx: 3 });
    expect(last).toMatchObject({ spaceBeforePx: 3, spaceAfterPx: Infinity });
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
  const [phrases, words, graphemes] = DIVISIONS;
  const parts = (division: (typeof DIVISIONS)[number] | undefined, text: string) =>
    division?.(text).map(({ from, to }) => text.slice(from, to));

  test.each([
    ["Rock-and-Roll (Live), don’t", ["Rock-and-Roll", "(Live),", "don’t"]],
    ["夜の庭で会いましょう、「月」の歌", ["夜の", "庭で", "会いましょう、", "「月」の", "歌"]],
    ["月亮代表我的心。", ["月亮", "代表", "我的", "心。"]],
    ["Loveが好き", ["Loveが", "好き"]],
    ["สวัสดีชาวโลก", ["สวัสดี", "ชาว", "โลก"]],
    ["ضوء القمر (حي)", ["ضوء", "القمر", "(حي)"]],
    ["👩‍🚀🇫🇷 안녕하세요 🌙", ["👩‍🚀🇫🇷", "안녕하세요", "🌙"]],
  ])("are phrases that read well by themselves: %s", (text, expected) => {
    expect(parts(phrases, text)).toEqual(expected);
  });

  test("are words where a phrase has no room, then what a reader sees as one character", () => {
    expect(parts(words, "Rock-and-Roll")).toEqual(["Rock", "-", "and", "-", "Roll"]);
    expect(parts(graphemes, "é👨‍👩‍👧‍👦🇧🇷ก็")).toEqual(["é", "👨‍👩‍👧‍👦", "🇧🇷", "ก็"]);
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
        for (const { from, to } of division(text)) {
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
