import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  createApiKey,
  createSessionToken,
  createWidgetToken,
  parseApiKey,
  parseSessionToken,
  parseWidgetToken,
} from "../../src/accounts/credential.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const kinds = [
  { kind: "an API key", prefix: "mq_", create: createApiKey, parse: parseApiKey },
  { kind: "a widget token", prefix: "mqw_", create: createWidgetToken, parse: parseWidgetToken },
  {
    kind: "a session's token",
    prefix: "mqs_",
    create: createSessionToken,
    parse: parseSessionToken,
  },
];

/** CRC32 (IEEE) bit by bit, as in its definition. */
function crc32(text: string): number {
  let rest = 0xffffffff;
  for (const byte of Buffer.from(text, "ascii")) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return (rest ^ 0xffffffff) >>> 0;
}

/** The number that base62 digits stand for, the most significant first. */
const valueOf = (digits: string) =>
  [...digits].reduce((value, digit) => value * 62 + ALPHABET.indexOf(digit), 0);

test("the oracle agrees with the published check value of CRC32", () => {
  expect(crc32("123456789")).toBe(0xcbf43926);
});

describe.each(kinds)("$kind", ({ prefix, create, parse }) => {
  const body = () => create().slice(prefix.length);

  test("is the prefix, 32 random characters and a checksum of 6", () => {
    expect(create()).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`));
  });

  test("ends in the CRC32 of its random characters", () => {
    for (let round = 0; round < 200; round++) {
      const text = body();
      expect(valueOf(text.slice(32))).toBe(crc32(text.slice(0, 32)));
    }
  });

  test("is read back as itself", () => {
    const credential = create();
    expect(parse(credential)).toBe(credential);
  });

  test("is refused with any one character changed", () => {
    const aCharacter = fc.oneof(
      fc.constantFrom(...ALPHABET),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.nat(prefix.length + 37), aCharacter, (at, typed) => {
        const credential = create();
        fc.pre(typed !== credential[at]);
        expect(parse(credential.slice(0, at) + typed + credential.slice(at + 1))).toBe(undefined);
      }),
      { numRuns: 1_000 },
    );
  });

  test("is refused with two neighbours swapped", () => {
    fc.assert(
      fc.property(fc.nat(30), (at) => {
        const text = body();
        fc.pre(text[at] !== text[at + 1]);
        const swapped = text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2);
        expect(parse(prefix + swapped)).toBe(undefined);
      }),
    );
  });

  test("is refused with anything around it", () => {
    const credential = create();
    for (const text of [
      ` ${credential}`,
      `${credential} `,
      `${credential}\n`,
      credential.slice(1),
      "",
    ]) {
      expect(parse(text)).toBe(undefined);
    }
  });

  test("never comes twice", () => {
    const credentials = Array.from({ length: 5_000 }, () => String(create()));
    expect(new Set(credentials).size).toBe(5_000);
  });

  test("has each letter of the alphabet equally often", () => {
    const counts = new Map([...ALPHABET].map((letter) => [letter, 0]));
    for (let round = 0; round < 5_000; round++) {
      for (const letter of body().slice(0, 32)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    // A deviation of 15 % would be one of seven standard deviations.
    const expected = (5_000 * 32) / 62;
    for (const count of counts.values()) expect(Math.abs(count / expected - 1)).toBeLessThan(0.15);
    expect(counts.size).toBe(62);
  });
});

test("an API key's body does not make a widget token, nor the other way round", () => {
  const key = createApiKey();
  const token = createWidgetToken();
  expect(parseWidgetToken(key)).toBe(undefined);
  expect(parseApiKey(token)).toBe(undefined);
  expect(parseApiKey(key.replace("mq_", "mqw_"))).toBe(undefined);
  expect(parseWidgetToken(token.replace("mqw_", "mq_"))).toBe(undefined);
});
