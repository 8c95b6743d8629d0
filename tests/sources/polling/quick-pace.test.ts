import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  NO_SLOWDOWN,
  quickIntervalMs,
  QUICKEST_MS,
  shareAt,
  slowedDown,
  type Slowdown,
} from "../../../src/sources/polling/quick-pace.ts";

const WINDOW_MS = 31_000;
const DAY_MS = 86_400_000;
const ROUNDING = 1e-9;

const users = fc.integer({ min: 0, max: 500 });
const budgets = fc.integer({ min: 1, max: 10_000 });
const shares = fc.double({ min: 1 / 16, max: 1, noNaN: true });

const intervalOf = (watchedUsers: number, budget = 180, share = 1) =>
  quickIntervalMs({ watchedUsers, budget, windowMs: WINDOW_MS, share });

/** Failures at an upstream: the time since the one before, and the pause that was asked for. */
const failures = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: DAY_MS }),
    pauseMs: fc.oneof(fc.constant(0), fc.integer({ min: 1_000, max: 7 * DAY_MS })),
  }),
  { maxLength: 12 },
);

type Failures = readonly { readonly afterMs: number; readonly pauseMs: number }[];

function after(all: Failures): { slowdown: Slowdown; nowMs: number } {
  let slowdown = NO_SLOWDOWN;
  let nowMs = 0;
  for (const { afterMs, pauseMs } of all) {
    nowMs += afterMs;
    slowdown = slowedDown(slowdown, nowMs, pauseMs);
  }
  return { slowdown, nowMs };
}

describe("the quick interval", () => {
  test("is from a second and a half to two seconds for one to five users", () => {
    expect([0, 1, 2, 3, 4, 5].map((count) => Math.round(intervalOf(count)))).toEqual([
      1_500, 1_500, 1_500, 1_500, 1_500, 1_722,
    ]);
  });

  test("never lets all users together use more than half of the budget", () => {
    fc.assert(
      fc.property(users, budgets, shares, (count, budget, share) => {
        const callsInWindow = (count * WINDOW_MS) / intervalOf(count, budget, share);
        expect(callsInWindow).toBeLessThanOrEqual(budget / 2 + ROUNDING * budget);
      }),
    );
  });

  test("is never shorter than the quickest, whatever the budget", () => {
    fc.assert(
      fc.property(users, budgets, shares, (count, budget, share) => {
        expect(intervalOf(count, budget, share)).toBeGreaterThanOrEqual(QUICKEST_MS);
      }),
    );
  });

  test("grows with the users, and shrinks with the budget and the share", () => {
    fc.assert(
      fc.property(users, budgets, shares, (count, budget, share) => {
        const intervalMs = intervalOf(count, budget, share);
        expect(intervalOf(count + 1, budget, share)).toBeGreaterThanOrEqual(intervalMs);
        expect(intervalOf(count, budget + 1, share)).toBeLessThanOrEqual(intervalMs);
        expect(intervalOf(count, budget, share / 2)).toBeCloseTo(2 * intervalMs, 3);
      }),
    );
  });
});

describe("the share of the quick pace", () => {
  test("is all of it without failures", () => {
    expect(shareAt(NO_SLOWDOWN, 0)).toBe(1);
    expect(shareAt(NO_SLOWDOWN, DAY_MS)).toBe(1);
  });

  test("halves at a failure, and is whole again five minutes after the pause", () => {
    const slowdown = slowedDown(NO_SLOWDOWN, 0, 10_000);
    expect(shareAt(slowdown, 0)).toBe(0.5);
    expect(shareAt(slowdown, 10_000)).toBe(0.5);
    expect(shareAt(slowdown, 160_000)).toBe(0.75);
    expect(shareAt(slowdown, 309_000)).toBeLessThan(1);
    expect(shareAt(slowdown, 310_000)).toBe(1);
  });

  test("halves once at failures that come together, and again at a later one", () => {
    const first = slowedDown(NO_SLOWDOWN, 0, 0);
    const together = slowedDown(slowedDown(first, 100, 0), 29_000, 0);
    expect(shareAt(together, 29_000)).toBeGreaterThanOrEqual(0.5);
    const later = slowedDown(together, 30_000, 0);
    expect(shareAt(later, 30_000)).toBeWithin(0.25, 0.3);
  });

  test("grows slowly after a pause of hours, which a quota of the day causes", () => {
    const pauseMs = 48_925_000;
    const slowdown = slowedDown(NO_SLOWDOWN, 0, pauseMs);
    expect(shareAt(slowdown, pauseMs)).toBe(0.5);
    expect(shareAt(slowdown, pauseMs + DAY_MS)).toBeLessThan(1);
    expect(shareAt(slowdown, 3 * pauseMs)).toBe(1);
  });

  test("stays between a sixteenth and all, whatever happens", () => {
    fc.assert(
      fc.property(failures, fc.integer({ min: 0, max: DAY_MS }), (all, laterMs) => {
        const { slowdown, nowMs } = after(all);
        expect(shareAt(slowdown, nowMs + laterMs)).toBeWithin(1 / 16, 1 + ROUNDING);
      }),
    );
  });

  test("never grows at a failure, and never shrinks without one", () => {
    fc.assert(
      fc.property(failures, fc.nat(DAY_MS), fc.nat(DAY_MS), (all, oneMs, otherMs) => {
        const { slowdown, nowMs } = after(all);
        const share = shareAt(slowdown, nowMs);
        expect(shareAt(slowedDown(slowdown, nowMs, oneMs), nowMs)).toBeLessThanOrEqual(share);
        const [soonMs, lateMs] = [Math.min(oneMs, otherMs), Math.max(oneMs, otherMs)];
        expect(shareAt(slowdown, nowMs + soonMs)).toBeLessThanOrEqual(
          shareAt(slowdown, nowMs + lateMs),
        );
      }),
    );
  });

  test("always recovers", () => {
    fc.assert(
      fc.property(failures, (all) => {
        const { slowdown } = after(all);
        expect(shareAt(slowdown, slowdown.growsFromMs + slowdown.growthMs)).toBe(1);
      }),
    );
  });
});
