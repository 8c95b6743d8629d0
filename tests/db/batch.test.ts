import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createBatch } from "../../src/db/batch.ts";

/** A batch that finds even numbers, and the keys of each read. */
function evenNumbers() {
  const reads: number[][] = [];
  const read = createBatch<number, string>(async (keys) => {
    reads.push([...keys]);
    return new Map(keys.filter((key) => key % 2 === 0).map((key) => [key, `found ${key}`]));
  });
  return { read, reads };
}

describe("what is asked for in one turn", () => {
  test("is read together, and each gets its own", async () => {
    const { read, reads } = evenNumbers();
    expect(await Promise.all([1, 2, 4, 2].map(read))).toEqual([
      undefined,
      "found 2",
      "found 4",
      "found 2",
    ]);
    expect(reads).toEqual([[1, 2, 4, 2]]);
    expect(await read(6)).toBe("found 6");
    expect(reads.length).toBe(2);
  });

  test("is the same as if each were read alone, however many ask", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1_000), { maxLength: 350 }), async (keys) => {
        const { read, reads } = evenNumbers();
        const found = await Promise.all(keys.map(read));
        expect(found).toEqual(keys.map((key) => (key % 2 === 0 ? `found ${key}` : undefined)));
        expect(reads.flat()).toEqual(keys);
        expect(Math.max(0, ...reads.map(({ length }) => length))).toBeLessThanOrEqual(100);
      }),
      { numRuns: 20 },
    );
  });

  test("fails together, and not with what is asked for later", async () => {
    let isThere = false;
    const read = createBatch<number, number>(async (keys) => {
      if (!isThere) throw new Error("no database");
      return new Map(keys.map((key) => [key, key]));
    });
    const results = await Promise.allSettled([1, 2].map(read));
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isThere = true;
    expect(await read(1)).toBe(1);
  });
});
