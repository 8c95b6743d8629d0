import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { phrasesIn } from "../../widget/phrases.ts";

describe("the phrases of a title", () => {
  test.each([
    ["Rock-and-Roll (Live), don’t", ["Rock-and-Roll", "(Live),", "don’t"]],
    ["P!nk & AC/DC: “Heroes”", ["P!nk", "&", "AC/DC:", "“Heroes”"]],
    ["夜の庭で会いましょう、「月」の歌", ["夜の", "庭で", "会いましょう、", "「月」の", "歌"]],
    [
      "「夜の庭で」もう一度、きみに。さよなら",
      ["「夜の", "庭で」", "もう一度、", "きみに。", "さよなら"],
    ],
    ["え！？そう・はい!もう", ["え！？", "そう・", "はい!もう"]],
    ["Live「月」（Remix）P!nk", ["Live", "「月」", "（Remix）", "P!nk"]],
    ["月亮代表我的心。", ["月亮", "代表", "我的", "心。"]],
    ["Loveが好き", ["Loveが", "好き"]],
    ["待ち合わせをした二人は夕焼けの中を", ["待ち合わせをした", "二人は", "夕焼けの", "中を"]],
    ["庭で「月」、ゃ", ["庭で", "「月」、ゃ"]],
    ["สวัสดีชาวโลก", ["สวัสดี", "ชาว", "โลก"]],
    ["ضوء القمر (حي)", ["ضوء", "القمر", "(حي)"]],
    ["👩‍🚀🇫🇷 안녕하세요 🌙", ["👩‍🚀🇫🇷", "안녕하세요", "🌙"]],
  ])("read well by themselves: %s", (text, expected) => {
    expect(phrasesIn(text).map(({ from, to }) => text.slice(from, to))).toEqual(expected);
  });

  test("hold all of a text but its spaces, in order, and never cut a character", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc
        .array(fc.constantFrom("夜", "の", "「", "」", " ", "a", "(", ")", "👩‍🚀", "ضوء", "é", "ー"))
        .map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        const characters = [...new Intl.Segmenter().segment(text)].map(({ index }) => index);
        const boundaries = new Set([...characters, text.length]);
        let end = 0;
        for (const { from, to } of phrasesIn(text)) {
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
