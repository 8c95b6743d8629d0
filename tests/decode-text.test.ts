import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decodeForm, decodeText } from "../src/decode-text.ts";

const latin1 = (text: string) => Buffer.from(text, "latin1");
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");

describe("bytes from outside", () => {
  test.each([
    ["UTF-8", Buffer.from("Café 夜"), null, "Café 夜"],
    ["UTF-8 with a mark", Buffer.from("\ufeffCafé"), "application/json", "Café"],
    ["windows-1252 without a word about it", latin1("Caf\xe9 \x93x\x94"), null, "Café “x”"],
    ["windows-1252 that is declared as UTF-8", latin1("Caf\xe9"), "a/b; charset=utf-8", "Café"],
    ["ISO 8859-1 as declared", latin1("Caf\xe9"), "application/json;charset=ISO-8859-1", "Café"],
    ["ISO 8859-2 as declared", latin1("\xb9koda"), 'text/plain; charset="iso-8859-2"', "škoda"],
    ["windows-1251 as declared", latin1("\xca\xe8\xed\xee"), "a/b; charset=cp1251", "Кино"],
    ["a charset that nobody knows", Buffer.from("Café"), "a/b; charset=klingon", "Café"],
    ["UTF-16", utf16("Café 夜"), null, "Café 夜"],
    ["UTF-16 from the other end", utf16("Café").swap16(), "application/json", "Café"],
    ["nothing", Buffer.of(), null, ""],
  ])("in %s are read", (_, bytes, contentType, text) => {
    expect(decodeText(bytes, contentType)).toBe(text);
  });

  test("are a text whatever they are", () => {
    const bytes = fc.uint8Array({ maxLength: 50 });
    fc.assert(fc.property(bytes, (some) => !/\p{Cs}/u.test(decodeText(some))));
  });
});

describe("a form", () => {
  test("has percent-encoded bytes in UTF-8, or in windows-1252, or in what is declared", () => {
    const read = (text: string, contentType?: string) => [...decodeForm(text, contentType)];
    expect(read("a=Bj%F6rk&t=J%C3%B3ga+%2b+1&l=")).toEqual([
      ["a", "Björk"],
      ["t", "Jóga + 1"],
      ["l", ""],
    ]);
    expect(read("a=%CA%E8%ED%EE", "x/y; charset=windows-1251")).toEqual([["a", "Кино"]]);
  });

  test("in UTF-8 is what the platform reads", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 20 });
    const form = fc.oneof(
      fc.string({ unit: fc.constantFrom(..."xy&=+%2 é"), maxLength: 30 }),
      fc.array(fc.tuple(text, text), { maxLength: 5 }).map((all) => `${new URLSearchParams(all)}`),
    );
    fc.assert(
      fc.property(form, (given) => {
        expect([...decodeForm(given)]).toEqual([...new URLSearchParams(given)]);
      }),
    );
  });
});
