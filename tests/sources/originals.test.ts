import { expect, test } from "bun:test";
import fc from "fast-check";
import { createOriginals } from "../../src/sources/originals.ts";

const MOST_BYTES = 100;
const covers = fc.array(
  fc.record({ key: fc.constantFrom("a", "b", "c", "d", "e", "f"), size: fc.nat({ max: 120 }) }),
);

test("originals never take more than they may, and the latest that fits is there", () => {
  fc.assert(
    fc.property(covers, (kept) => {
      const originals = createOriginals(MOST_BYTES);
      for (const { key, size } of kept) originals.keep(key, new Uint8Array(size));
      const last = kept.at(-1);
      const found = new Map(
        [..."abcdef"].map((key) => [key, originals.take(key)?.length] as const),
      );
      const sizes = [...found.values()].filter((size) => size !== undefined);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST_BYTES);
      if (last && last.size <= MOST_BYTES) expect(found.get(last.key)).toBe(last.size);
    }),
  );
});

test("originals that have waited longest make room, and no more of them than needed", () => {
  const originals = createOriginals(MOST_BYTES);
  for (const key of ["first", "second", "third"]) originals.keep(key, new Uint8Array(40));
  expect(originals.take("first")).toBe(undefined);
  expect(originals.take("second")).toHaveLength(40);
  expect(originals.take("third")).toHaveLength(40);
});

test("an original is handed over once", () => {
  const originals = createOriginals(MOST_BYTES);
  originals.keep("cover", Uint8Array.of(1));
  expect(originals.take("cover")).toEqual(Uint8Array.of(1));
  expect(originals.take("cover")).toBe(undefined);
});
