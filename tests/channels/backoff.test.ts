import { expect, test } from "bun:test";
import fc from "fast-check";
import { retryDelayMs } from "../../src/channels/backoff.ts";

test("a failing upstream is asked again soon at first, and at least every thirteen seconds", () => {
  expect(retryDelayMs(1, 0.5)).toBe(250);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, random) => {
        expect(retryDelayMs(failures, random)).toBeWithin(187, 12_501);
      },
    ),
  );
});

test("the wait grows with every failure until it is ten seconds", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((failures) => retryDelayMs(failures, 0.5));
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});
