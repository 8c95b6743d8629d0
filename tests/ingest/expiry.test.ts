import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { expiresAtMs, type Lifetime } from "../../src/ingest/expiry.ts";
import { positionAt } from "../../src/playback.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const duration = fc.option(fc.integer({ min: 1, max: 8_000_000_000 }));
const playbacks = fc
  .record({
    state: fc.constantFrom("playing" as const, "paused" as const),
    durationMs: duration,
    positionMs: fc.integer({ min: 0, max: 8_000_000_000 }),
    observedAtMs: fc.integer({ min: 0, max: 1_000_000 }),
  })
  .map(({ durationMs, ...rest }) =>
    aPlayback({ track: { id: "a", title: "A", durationMs, explicit: false }, ...rest }),
  );
const lifetimes = fc.oneof(
  fc.constantFrom<Lifetime>(
    { kind: "untilItsEnd" },
    { kind: "whileRepeated" },
    { kind: "whileConnected" },
  ),
  fc.integer({ min: 1, max: 86_400_000 }).map((ms): Lifetime => ({ kind: "exactly", ms })),
);
const NOW_MS = 2_000_000;

describe("a pushed word", () => {
  test("counts for a moment at least, and never for longer than its rule", () => {
    fc.assert(
      fc.property(playbacks, lifetimes, (playback, lifetime) => {
        const lasts = expiresAtMs(playback, lifetime, NOW_MS) - NOW_MS;
        expect(lasts).toBeGreaterThan(0);
        if (lifetime.kind === "exactly") return expect(lasts).toBe(lifetime.ms);
        if (playback.state === "paused") return expect(lasts).toBe(30 * 60_000);
        if (lifetime.kind === "whileRepeated") expect(lasts).toBeLessThanOrEqual(10_000);
        const { durationMs } = playback.track;
        if (durationMs !== null) expect(lasts).toBeLessThanOrEqual(durationMs + 15_000);
      }),
    );
  });

  test("counts until fifteen seconds after its end, whenever it was received", () => {
    fc.assert(
      fc.property(playbacks, (playback) => {
        const { durationMs } = playback.track;
        if (playback.state === "paused" || durationMs === null) return;
        const untilMs = expiresAtMs(playback, { kind: "untilItsEnd" }, NOW_MS);
        expect(positionAt(playback, untilMs - 15_000)).toBeCloseTo(durationMs, 0);
      }),
    );
  });

  test("of unknown length counts for ten minutes, or as long as its program is connected", () => {
    const track = { id: "a", title: "A", durationMs: null, explicit: false };
    const stream = aPlayback({ state: "playing", track });
    expect(expiresAtMs(stream, { kind: "untilItsEnd" }, NOW_MS)).toBe(NOW_MS + 600_000);
    expect(expiresAtMs(stream, { kind: "whileConnected" }, NOW_MS)).toBe(Infinity);
    expect(expiresAtMs(stream, { kind: "whileRepeated" }, NOW_MS)).toBe(NOW_MS + 10_000);
  });
});
