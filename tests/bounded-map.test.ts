import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createBoundedMap } from "../src/bounded-map.ts";

const LETTERS = ["a", "b", "c", "d", "e"];

describe("a bounded map", () => {
  test("keeps the latest, as many as there is room for", () => {
    const keys = fc.array(fc.constantFrom(...LETTERS), { maxLength: 30 });
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 5 }), (set, most) => {
        const map = createBoundedMap<string, number>(most);
        for (const [at, key] of set.entries()) map.set(key, at + 1);
        const latest = [...new Set(set.toReversed())].slice(0, most);
        const kept = LETTERS.filter((key) => map.get(key) !== undefined);
        expect(kept).toEqual(latest.toSorted());
        for (const key of kept) expect(map.get(key)).toBe(set.lastIndexOf(key) + 1);
      }),
    );
  });

  test("never holds more than it may by weight, and has the latest that fits", () => {
    const sizes = fc.record({ key: fc.constantFrom(...LETTERS), size: fc.nat({ max: 120 }) });
    fc.assert(
      fc.property(fc.array(sizes), (set) => {
        const map = createBoundedMap<string, Uint8Array>(100, ({ length }) => length);
        for (const { key, size } of set) map.set(key, new Uint8Array(size));
        const last = set.at(-1);
        if (last && last.size <= 100) expect(map.get(last.key)).toHaveLength(last.size);
        const kept = LETTERS.map((key) => map.take(key)?.length ?? 0);
        expect(kept.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100);
      }),
    );
  });

  test("takes no more room than is needed from those set longest ago", () => {
    const map = createBoundedMap<string, Uint8Array>(100, ({ length }) => length);
    for (const key of ["first", "second", "third"]) map.set(key, new Uint8Array(40));
    expect(map.get("first")).toBe(undefined);
    expect(map.get("second")).toHaveLength(40);
    expect(map.get("third")).toHaveLength(40);
  });

  test("has room again for what is taken out or cleared", () => {
    const map = createBoundedMap<string, string>(5, (text) => text.length);
    map.set("a", "123");
    map.set("b", "12");
    expect([map.take("a"), map.take("a")]).toEqual(["123", undefined]);
    map.set("c", "123");
    expect([map.get("b"), map.get("c")]).toEqual(["12", "123"]);
    map.clear();
    map.set("d", "12345");
    expect([map.get("b"), map.get("c"), map.get("d")]).toEqual([undefined, undefined, "12345"]);
  });
});
