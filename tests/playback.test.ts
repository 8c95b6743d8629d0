import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { toData } from "../src/api/playing-json.ts";
import { digestOfPlay, isSameSong, type Playback, positionAt, reconcile } from "../src/playback.ts";
import { WHOLE_SECONDS_LAG_MS } from "../src/sources/amounts.ts";
import { aPlayback } from "./fixtures/sources/playback.ts";

const anyPlayback = fc
  .record({
    state: fc.constantFrom("playing" as const, "paused" as const),
    durationMs: fc.option(fc.integer({ min: 0, max: 36_000_000 })),
    positionMs: fc.integer({ min: -5_000, max: 40_000_000 }),
    observedAtMs: fc.integer({ min: 0, max: 1_000_000 }),
    rate: fc.constantFrom(1, 0.5, 2),
    id: fc.constantFrom("a", "b"),
  })
  .map(({ durationMs, id, ...rest }): Playback =>
    aPlayback({ ...rest, track: { id, title: "T", durationMs, explicit: false } }),
  );

const later = fc.integer({ min: 0, max: 50_000_000 });

describe("the position", () => {
  test("is always within the track", () => {
    fc.assert(
      fc.property(anyPlayback, later, (playback, nowMs) => {
        const positionMs = positionAt(playback, nowMs);
        expect(positionMs).toBeGreaterThanOrEqual(0);
        expect(positionMs).toBeLessThanOrEqual(
          playback.track.durationMs ?? Number.MAX_SAFE_INTEGER,
        );
      }),
    );
  });

  test("and what remains make up the duration", () => {
    fc.assert(
      fc.property(anyPlayback, later, (playback, nowMs) => {
        const data = toData(playback, nowMs, () => "");
        const { duration_ms } = data.track;
        const rest = duration_ms === 0 ? 0 : duration_ms - data.progress_ms;
        expect(data.time_remaining_ms).toBe(rest);
        expect(data.progress_percent).toBeWithin(0, 100.01);
        expect(Number.isInteger(data.progress_ms)).toBe(true);
      }),
    );
  });

  test("stands still while paused", () => {
    fc.assert(
      fc.property(anyPlayback, later, later, (playback, one, other) => {
        const paused = { ...playback, state: "paused" as const };
        expect(positionAt(paused, one)).toBe(positionAt(paused, other));
      }),
    );
  });

  test("never runs backwards while nothing is observed", () => {
    fc.assert(
      fc.property(anyPlayback, later, later, (playback, one, other) => {
        const [before, after] = [Math.min(one, other), Math.max(one, other)];
        expect(positionAt(playback, after)).toBeGreaterThanOrEqual(positionAt(playback, before));
      }),
    );
  });
});

describe("another observation", () => {
  test("of the same listening does not make time run backwards, however inexact", () => {
    const jitter = fc.integer({ min: -500, max: 500 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 5_000 }), jitter)),
        (observations) => {
          let kept: Playback | null = aPlayback({ positionMs: 60_000, observedAtMs: 0 });
          let trueMs = 60_000;
          let nowMs = 0;
          let shownMs = trueMs;
          for (const [elapsedMs, errorMs] of observations) {
            nowMs += elapsedMs;
            trueMs += elapsedMs;
            kept = reconcile(
              kept,
              aPlayback({ positionMs: trueMs + errorMs, observedAtMs: nowMs }),
            );
            const positionMs = positionAt(kept as Playback, nowMs);
            expect(positionMs).toBeGreaterThanOrEqual(shownMs);
            shownMs = positionMs;
          }
        },
      ),
    );
  });

  test("that says the position jumped is believed", () => {
    const before = aPlayback({ positionMs: 60_000, observedAtMs: 0 });
    const after = aPlayback({ positionMs: 20_000, observedAtMs: 1_000 });
    expect(positionAt(reconcile(before, after) as Playback, 1_000)).toBe(20_000);
  });

  test("of another track starts anew", () => {
    const before = aPlayback({ positionMs: 0, observedAtMs: 0 });
    const track = { ...before.track, id: "other" };
    const after = aPlayback({ track, positionMs: 100, observedAtMs: 50 });
    expect(reconcile(before, after)).toEqual(after);
  });

  test("keeps what else has changed", () => {
    const before = aPlayback({ positionMs: 0, observedAtMs: 0 });
    const device = { ...before.device, volumePercent: 99 };
    const after = aPlayback({ device, positionMs: 1_010, observedAtMs: 1_000 });
    expect(reconcile(before, after)).toMatchObject({ device, positionMs: 0, observedAtMs: 0 });
  });

  test("that counts on past the end of the track is no seek", () => {
    const before = aPlayback({ positionMs: 0, observedAtMs: 0 });
    const after = aPlayback({ positionMs: 230_000, observedAtMs: 230_000 });
    expect(reconcile(before, after)).toMatchObject({ positionMs: 0, observedAtMs: 0 });
  });

  test("of silence is silence", () => {
    expect(reconcile(aPlayback(), null)).toBeNull();
  });
});

describe("the same song", () => {
  const { track } = aPlayback();
  const station = (title: string, changes: Partial<Playback> = {}) =>
    aPlayback({ track: { ...track, id: "station", title }, ...changes });

  test.each([
    ["has the same id and given names", station("First"), station("First"), true],
    ["has another title", station("First"), station("Second"), false],
    ["has another artist", station("First"), station("First", { artists: ["Other"] }), false],
    ["has another id", aPlayback(), aPlayback({ track: { ...track, id: "other" } }), false],
    [
      "is the same under other shown names",
      station("First (Official Video)"),
      station("First", {
        given: { title: "First (Official Video)", artists: aPlayback().artists },
      }),
      true,
    ],
    [
      "is the same at another position of another length, with another cover",
      station("First"),
      station("First", { positionMs: 5, album: { name: "Other", artworks: [] } }),
      true,
    ],
  ])("%s", (_, one, other, isSame) => {
    expect(isSameSong(one, other)).toBe(isSame);
    // The overlay compares digests.
    expect(digestOfPlay(one) === digestOfPlay(other)).toBe(isSame);
  });

  test("is needed to count a position on", () => {
    const before = station("First", { positionMs: 100_000, observedAtMs: 0 });
    const next = station("Second", { positionMs: 0, positionUnknown: true, observedAtMs: 1_000 });
    expect(reconcile(before, next)).toEqual(next);
  });
});

describe("a position that is cut to whole seconds", () => {
  /** What a program says that posts about twice a second, from a position on. */
  const posts = fc.record({
    fromMs: fc.integer({ min: 3_000, max: 60_000 }),
    gaps: fc.array(fc.integer({ min: 460, max: 540 }), { minLength: 4, maxLength: 120 }),
  });
  const posted = (trueMs: number, observedAtMs: number) =>
    aPlayback({
      positionMs: Math.floor(trueMs / 1_000) * 1_000,
      positionLagMs: WHOLE_SECONDS_LAG_MS,
      observedAtMs,
    });
  const play = (fromMs: number, gaps: readonly number[]) => {
    let nowMs = 0;
    let kept = posted(fromMs, nowMs);
    const shown = [kept];
    for (const gapMs of gaps) {
      nowMs += gapMs;
      kept = reconcile(kept, posted(fromMs + nowMs, nowMs)) ?? kept;
      shown.push(kept);
    }
    return { kept, nowMs, shown };
  };

  test("never jumps back, and moves by itself but for one or two corrections", () => {
    fc.assert(
      fc.property(posts, ({ fromMs, gaps }) => {
        const { shown, nowMs } = play(fromMs, gaps);
        const positions = shown.map((playback) => positionAt(playback, nowMs));
        expect(positions).toEqual(positions.toSorted((one, other) => one - other));
        expect(new Set(positions).size).toBeLessThanOrEqual(3);
        expect(fromMs + nowMs - (positions.at(-1) ?? NaN)).toBeWithin(0, 1_000);
      }),
    );
  });

  test("follows a seek of two seconds with the next post or the one after it", () => {
    fc.assert(
      fc.property(posts, fc.constantFrom(-2_000, 2_000), ({ fromMs, gaps }, seekMs) => {
        const { kept, nowMs } = play(fromMs, gaps);
        const after = [1, 501].reduce<Playback | null>(
          (before, ms) => reconcile(before, posted(fromMs + nowMs + seekMs + ms, nowMs + ms)),
          kept,
        );
        const errorMs = positionAt(after ?? kept, nowMs + 501) - (fromMs + nowMs + seekMs + 501);
        expect(Math.abs(errorMs)).toBeLessThanOrEqual(1_000);
      }),
    );
  });
});

describe("a position that the upstream does not tell", () => {
  const seen = (observedAtMs: number, changes: Partial<Playback> = {}) =>
    aPlayback({ positionMs: 0, positionUnknown: true, observedAtMs, ...changes });
  const after = (...observations: readonly Playback[]) =>
    observations.reduce<Playback | null>((kept, next) => reconcile(kept, next), null);

  test("is counted from the first sight of the track, however often it is seen", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 10_000 })), (gaps) => {
        let nowMs = 1_000;
        const later = gaps.map((gapMs) => seen((nowMs += gapMs)));
        const kept = after(seen(1_000), ...later);
        expect(kept).toMatchObject({ positionUnknown: true, observedAtMs: 1_000 });
        expect(positionAt(kept as Playback, nowMs)).toBe(Math.min(nowMs - 1_000, 200_000));
      }),
    );
  });

  test("begins anew with another track", () => {
    const track = { ...aPlayback().track, id: "other" };
    expect(after(seen(1_000), seen(9_000, { track }))).toEqual(seen(9_000, { track }));
  });

  test("stands still during a pause and goes on after it", () => {
    const paused = after(seen(1_000), seen(11_000, { state: "paused" }));
    expect(positionAt(paused as Playback, 60_000)).toBe(10_000);
    const resumed = reconcile(paused, seen(60_000));
    expect(positionAt(resumed as Playback, 61_000)).toBe(11_000);
  });

  test("stays known once the beginning of the track was seen", () => {
    const { positionUnknown: _, ...began } = seen(1_000);
    expect(reconcile(began, seen(9_000))).toEqual(began);
  });
});
