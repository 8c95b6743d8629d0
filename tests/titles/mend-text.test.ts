import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { mendText, unmended } from "../../src/titles/mend-text.ts";

/** Bytes of UTF-8 that somebody has taken for Latin-1, or for windows-1252. */
const twice = (text: string) => Buffer.from(text).toString("latin1");
const twiceOnWindows = (text: string) => new TextDecoder("windows-1252").decode(Buffer.from(text));

describe("a text with HTML's signs", () => {
  test.each([
    ["Don&#x27;t &eacute;t&eacute;&nbsp;", "Don't été"],
    ["A &amp; B &#x26; C &#38; D", "A & B & C & D"],
    ["&lt;3 &quot;x&quot; &apos;y&apos; &hellip; &#8217;", "<3 \"x\" 'y' … ’"],
    ["A &amp;amp; &amp;lt; B", "A &amp; &lt; B"],
    ["R&B &copy &noway; AT&T; &; & x", "R&B &copy &noway; AT&T; &; & x"],
  ])("%j is %j", (given, mended) => expect(mendText(given)).toBe(mended));
});

describe("UTF-8 that was encoded twice", () => {
  const TEXTS = [
    "Björk - Jóga",
    "Ærø",
    "Кино",
    "夜行列車",
    "Don’t – “x”…",
    "Österreich",
    "🔥 été",
    "Ç",
  ];
  test.each(TEXTS)("%j is decoded", (text) => {
    expect(mendText(twice(text))).toBe(text);
    expect(mendText(twice(twice(text)))).toBe(text);
    if (text !== "Ç") expect(mendText(twiceOnWindows(text))).toBe(text);
  });

  test.each([
    ...["Björk", "Café", "CAFÉ…", "BEYONCÉ’S", "AMANHÃ…", "«MENÜ»", "MAÇÃ", "Êèíî", "naïve – été"],
    ...["Motörhead", "Ça ira", "Ö", "ÄÖÜ", "Ωmega Ã©"],
  ])("is not seen in %j", (text) => expect(mendText(text)).toBe(text));

  test("is decoded whatever the text is", () => {
    const letter = fc.constantFrom(..."abc é ü ñ ø Жя 夜 ½ ");
    fc.assert(
      fc.property(fc.string({ unit: letter, maxLength: 20 }), (text) => {
        expect(mendText(twice(text))).toBe(text.trim());
      }),
    );
  });
});

test("a text is mended after it was made one that is not", () => {
  const piece = fc.constantFrom("&amp;", "&", "amp;", "Ã¶", "lt;", " ", "x", "&#x26;", "é");
  const given = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(given, (text) => {
      const mended = mendText(text);
      expect(mendText(unmended(mended))).toBe(mended);
    }),
  );
});
