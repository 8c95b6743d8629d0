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

  test("holds no more than it may by weight, and one thing that is too heavy not at all", () => {
    const map = createBoundedMap<string, string>(5, (text) => text.length);
    map.set("a", "123");
    map.set("b", "12");
    map.set("a", "1234");
    expect([map.get("a"), map.get("b")]).toEqual(["1234", undefined]);
    map.set("c", "123456");
    expect([map.get("a"), map.get("c")]).toEqual([undefined, undefined]);
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
