import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createGuessLimit } from "../../src/http/guess-limit.ts";

const MINUTE_MS = 60_000;

/** Guesses as they come: from where, and how long after the one before. */
const schedule = fc.array(
  fc.record({
    network: fc.constantFrom("192.0.2.1", "192.0.2.2"),
    gapMs: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 15 * MINUTE_MS }) },
      { weight: 1, arbitrary: fc.constantFrom(MINUTE_MS - 1, MINUTE_MS, MINUTE_MS + 1) },
    ),
  }),
  { maxLength: 80 },
);

describe("createGuessLimit", () => {
  test("says how long a network waits without counting that", () => {
    const limit = createGuessLimit();
    for (let asked = 0; asked < 20; asked++) expect(limit.waitMsOf("a", 0)).toBeUndefined();
    for (let guesses = 0; guesses < 10; guesses++) limit.count("a", 0);
    expect(limit.waitMsOf("a", 0)).toBe(MINUTE_MS);
    expect(limit.waitMsOf("b", 0)).toBeUndefined();
    expect(limit.waitMsOf("a", MINUTE_MS)).toBeUndefined();
    expect(limit.count("a", MINUTE_MS)).toBeUndefined();
  });

  test("tolerates ten at once and refuses the eleventh for a minute", () => {
    const limit = createGuessLimit();
    for (let guesses = 0; guesses < 10; guesses++) {
      expect(limit.count("a", 0)).toBeUndefined();
    }
    expect(limit.count("a", 0)).toBe(MINUTE_MS);
    expect(limit.count("a", MINUTE_MS - 1)).toBe(1);
    expect(limit.count("a", MINUTE_MS)).toBeUndefined();
    expect(limit.count("a", MINUTE_MS)).toBe(MINUTE_MS);
  });

  test("gives the whole burst back after ten quiet minutes, and no more than that", () => {
    const limit = createGuessLimit();
    for (let guesses = 0; guesses < 10; guesses++) limit.count("a", 0);
    const muchLaterMs = 1_000 * MINUTE_MS;
    for (let guesses = 0; guesses < 10; guesses++) {
      expect(limit.count("a", muchLaterMs)).toBeUndefined();
    }
    expect(limit.count("a", muchLaterMs)).toBeNumber();
  });

  test("tolerates what a bucket of ten that gains one a minute would", () => {
    fc.assert(
      fc.property(schedule, (guesses) => {
        const limit = createGuessLimit();
        // Counted in milliseconds of refill: a guess costs a minute, a full bucket holds ten.
        const buckets = new Map<string, { levelMs: number; atMs: number }>();
        let nowMs = 0;
        for (const { network, gapMs } of guesses) {
          nowMs += gapMs;
          const past = buckets.get(network) ?? { levelMs: 10 * MINUTE_MS, atMs: nowMs };
          const levelMs = Math.min(10 * MINUTE_MS, past.levelMs + nowMs - past.atMs);
          const tolerated = levelMs >= MINUTE_MS;
          buckets.set(network, { levelMs: levelMs - (tolerated ? MINUTE_MS : 0), atMs: nowMs });
          const waitMs = limit.count(network, nowMs);
          expect(waitMs).toBe(tolerated ? undefined : MINUTE_MS - levelMs);
        }
      }),
    );
  });

  test("tolerates a guess after the wait it told, and never tells more than a minute", () => {
    fc.assert(
      fc.property(schedule, (guesses) => {
        const limit = createGuessLimit();
        let nowMs = 0;
        for (const { network, gapMs } of guesses) {
          const waitMs = limit.count(network, (nowMs += gapMs));
          if (waitMs === undefined) continue;
          expect(waitMs).toBeWithin(1, MINUTE_MS + 1);
          expect(limit.count(network, (nowMs += waitMs))).toBeUndefined();
        }
      }),
    );
  });

  test("remembers a guesser who keeps guessing through a flood of others", () => {
    const limit = createGuessLimit();
    for (let guesses = 0; guesses < 10; guesses++) limit.count("guesser", 0);
    for (let other = 0; other < 30_000; other++) {
      limit.count(`other ${other}`, 0);
      if (other % 5_000 === 0) expect(limit.count("guesser", 0)).toBe(MINUTE_MS);
    }
  });
});
