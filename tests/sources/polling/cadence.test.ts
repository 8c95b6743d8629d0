import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  afterPoll as afterAnswer,
  budgetAt,
  type Finding,
  type Pace,
  type PollResult,
  type PollState,
  newPollState,
  nextPoll,
  quickPace,
  steadyPace,
  USUAL_PACE,
} from "../../../src/sources/polling/cadence.ts";
import type { Playback } from "../../../src/playback.ts";
import { aPlayback } from "../../fixtures/sources/playback.ts";

const HOUR_MS = 3_600_000;
const SHORTEST_MS = 1_500;
const ROUNDING_MS = 0.001;
const FINDINGS: readonly Finding[] = ["same", "changed", "suspect"];

/** The state after a poll that was answered at once. */
const afterPoll = (
  before: PollState,
  result: Omit<PollResult, "askedAtMs">,
  pace: Pace = USUAL_PACE,
) => afterAnswer(before, { ...result, askedAtMs: result.nowMs }, pace);

interface Found {
  readonly finding: Finding;
  readonly state: "playing" | "paused" | "silent";
  readonly durationMs: number | null;
  /** How far from the end the poll finds the track. */
  readonly restMs: number;
}

const found = fc.record<Found>({
  finding: fc.constantFrom(...FINDINGS),
  state: fc.constantFrom("playing", "playing", "playing", "paused", "silent"),
  durationMs: fc.oneof(
    fc.integer({ min: 90_000, max: 400_000 }),
    fc.integer({ min: 0, max: 5_000 }),
    fc.constant(null),
  ),
  restMs: fc.oneof(fc.integer({ min: 0, max: 400_000 }), fc.integer({ min: 0, max: 3_000 })),
});

function playbackAt({ state, durationMs, restMs }: Found, nowMs: number): Playback | null {
  if (state === "silent") return null;
  return aPlayback({
    state,
    track: { id: "a", title: "A", durationMs, explicit: false },
    positionMs: durationMs === null ? restMs : Math.max(0, durationMs - restMs),
    observedAtMs: nowMs,
  });
}

/** Polls as the cadence says, for a time; what each poll finds comes from `find`, over and over. */
function* polls(
  find: (nowMs: number, index: number) => Found,
  forMs: number,
  { start = newPollState(0), leastIntervalMs = 0, pace = USUAL_PACE } = {},
): Generator<{ atMs: number; atEnd: boolean; before: PollState }> {
  let state = start;
  const endMs = state.lastPollMs + forMs;
  for (let index = 0; ; index++) {
    const { atMs, atEnd } = nextPoll(state, leastIntervalMs, pace);
    // Whoever plans a poll for the past makes it at once.
    const nowMs = Math.max(atMs, state.lastPollMs);
    if (nowMs > endMs) return;
    yield { atMs: nowMs, atEnd, before: state };
    const what = find(nowMs, index);
    const result = { playback: playbackAt(what, nowMs), finding: what.finding, nowMs };
    state = afterPoll(state, result, pace);
  }
}

const inTurn = (all: readonly Found[]) => (_nowMs: number, index: number) =>
  all[index % all.length] as Found;

/** The most of these times that lie within any window of that length. */
function mostWithin(windowMs: number, times: readonly number[]): number {
  let most = 0;
  let first = 0;
  for (const [index, atMs] of times.entries()) {
    while ((times[first] ?? 0) <= atMs - windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

const mostInAnHour = (times: readonly number[]) => mostWithin(HOUR_MS, times);

const timesOf = (made: Iterable<{ atMs: number }>) => [...made].map(({ atMs }) => atMs);

const playing = (changes: Partial<Found> = {}): Found => ({
  finding: "same",
  state: "playing",
  durationMs: null,
  restMs: 60_000,
  ...changes,
});

describe("a poll", () => {
  test("comes no sooner than a second and a half after another, unless a track ends", () => {
    fc.assert(
      fc.property(fc.array(found, { minLength: 1, maxLength: 20 }), (all) => {
        for (const { atMs, atEnd, before } of polls(inTurn(all), HOUR_MS / 6)) {
          const gapMs = atMs - before.lastPollMs;
          if (!atEnd) expect(gapMs).toBeGreaterThan(SHORTEST_MS - ROUNDING_MS);
        }
      }),
    );
  });

  test("that is told of something comes a moment after another, at an end too", () => {
    const told = found.filter(({ finding }) => finding !== "suspect");
    fc.assert(
      fc.property(fc.array(told, { minLength: 1, maxLength: 20 }), (all) => {
        for (const { atMs, before } of polls(inTurn(all), HOUR_MS / 6)) {
          expect(atMs - before.lastPollMs).toBeGreaterThan(250 - ROUNDING_MS);
        }
      }),
    );
  });

  test("keeps the distance that others need, unless a track ends", () => {
    fc.assert(
      fc.property(
        fc.array(found, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 60_000 }),
        (all, leastIntervalMs) => {
          for (const { atMs, atEnd, before } of polls(inTurn(all), HOUR_MS / 6, {
            leastIntervalMs,
          })) {
            const gapMs = atMs - before.lastPollMs;
            if (!atEnd) expect(gapMs).toBeGreaterThan(leastIntervalMs - ROUNDING_MS);
          }
        },
      ),
    );
  });

  test("comes at last, whatever was found", () => {
    fc.assert(
      fc.property(fc.array(found, { minLength: 1, maxLength: 20 }), (all) => {
        for (const { atMs, before } of polls(inTurn(all), HOUR_MS)) {
          expect(atMs - before.lastPollMs).toBeLessThan(180_000);
        }
      }),
    );
  });
});

describe("the end of a track", () => {
  const rest = fc.integer({ min: 1_000, max: 300_000 });

  test("is met within a second", () => {
    fc.assert(
      fc.property(rest, (restMs) => {
        const endMs = restMs;
        const durationMs = 400_000;
        let atMs = 0;
        // The first poll finds the track; the ones after it find it going on.
        let state = afterPoll(newPollState(0), {
          playback: playbackAt(playing({ durationMs, restMs }), 0),
          finding: "changed",
          nowMs: 0,
        });
        while (atMs < endMs) {
          atMs = nextPoll(state, 0, USUAL_PACE).atMs;
          if (atMs >= endMs) break;
          const received = playbackAt(playing({ durationMs, restMs: endMs - atMs }), atMs);
          state = afterPoll(state, { playback: received, finding: "same", nowMs: atMs });
        }
        expect(atMs - endMs).toBeWithin(0, 1_001);
      }),
    );
  });

  test("is met within a second although others need their distance", () => {
    const received = playbackAt(playing({ durationMs: 200_000, restMs: 8_000 }), 0);
    const state = afterPoll(newPollState(0), { playback: received, finding: "changed", nowMs: 0 });
    const next = nextPoll(state, 60_000, USUAL_PACE);
    expect(next.atEnd).toBe(true);
    expect(next.atMs).toBeWithin(8_000, 9_001);
  });

  test("of a paused track is not waited for", () => {
    const received = playbackAt(
      playing({ state: "paused", durationMs: 200_000, restMs: 2_000 }),
      0,
    );
    const state = afterPoll(newPollState(0), { playback: received, finding: "changed", nowMs: 0 });
    expect(nextPoll(state, 0, USUAL_PACE).atEnd).toBe(false);
  });

  test("that does not come is polled for a few times soon, then as usual", () => {
    const stuck = playing({ durationMs: 200_000, restMs: 0 });
    const made = [
      ...polls((_, index) => ({ ...stuck, finding: index ? "same" : "changed" }), 120_000),
    ];
    const soon = made.filter(({ atEnd }) => atEnd);
    expect(soon.length).toBeLessThanOrEqual(5);
    const gaps = made.slice(-10).map(({ atMs, before }) => atMs - before.lastPollMs);
    for (const gapMs of gaps) expect(gapMs).toBeGreaterThan(2_500);
  });

  test("that does not come for hours costs no more than music does", () => {
    const stuck = playing({ durationMs: 200_000, restMs: 0 });
    expect(mostInAnHour(timesOf(polls(() => stuck, 3 * HOUR_MS)))).toBeLessThanOrEqual(900);
  });

  test("of track after track without a length costs no storm", () => {
    const empty = playing({ durationMs: 0, restMs: 0, finding: "changed" });
    for (const budget of [-6, 0, 16]) {
      const start = { ...newPollState(0), budget };
      const times = timesOf(polls(() => empty, HOUR_MS, { start }));
      expect(mostWithin(30_000, times)).toBeLessThanOrEqual(32);
    }
  });
});

describe("an hour", () => {
  const anything = fc.array(found, { minLength: 1, maxLength: 30 });

  /** Saved polls, and those at ends that are made before they are earned. */
  const BURST = 30;
  const mostAt = ({ everyMs }: Pace) => (1.25 * HOUR_MS) / everyMs + BURST;

  test("costs no more than a quarter above its rate, whatever is found", () => {
    const paces = fc.integer({ min: 1_250, max: 5_000 }).map(quickPace);
    fc.assert(
      fc.property(anything, paces, (all, pace) => {
        const times = timesOf(polls(inTurn(all), 2 * HOUR_MS, { pace }));
        expect(mostInAnHour(times)).toBeLessThanOrEqual(mostAt(pace));
      }),
      { numRuns: 60 },
    );
  });

  test("of restless music costs no more, calm hours before it or not", () => {
    const calm = fc.constantFrom<Found["state"]>("silent", "paused", "playing");
    fc.assert(
      fc.property(calm, anything, (state, all) => {
        const find = inTurn(all);
        const times = timesOf(
          polls(
            (nowMs, index) => (nowMs < HOUR_MS ? playing({ state }) : find(nowMs, index)),
            3 * HOUR_MS,
          ),
        );
        expect(mostInAnHour(times)).toBeLessThanOrEqual(mostAt(USUAL_PACE));
      }),
      {
        numRuns: 60,
        examples: [
          [
            "silent",
            [
              { finding: "same", state: "playing", durationMs: 90_000, restMs: 2_000 },
              { finding: "suspect", state: "playing", durationMs: 0, restMs: 0 },
            ],
          ],
        ],
      },
    );
  });

  for (const state of ["paused", "silent"] as const) {
    test(`of a listener who is ${state} costs two hundred and forty polls at most`, () => {
      const quiet = (_: number, index: number) =>
        playing({ state, finding: index ? "same" : "changed" });
      for (const budget of [-6, 0, 16]) {
        const start = { ...newPollState(0), budget };
        const times = timesOf(polls(quiet, 4 * HOUR_MS, { start }));
        expect(mostInAnHour(times)).toBeLessThanOrEqual(240);
      }
    });
  }

  test("of calm music is well used: a poll at least every five seconds", () => {
    const start = playing({ finding: "changed" });
    const find = (_: number, index: number) => (index ? playing() : start);
    for (const { atMs, before } of polls(find, HOUR_MS)) {
      expect(atMs - before.lastPollMs).toBeLessThanOrEqual(5_000);
    }
  });
});

describe("what may be spent", () => {
  test("grows with time, and only up to what can be saved", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100 * HOUR_MS }),
        fc.integer({ min: 0, max: 100 * HOUR_MS }),
        (oneMs, otherMs) => {
          const state = newPollState(0);
          const [first, second] = [Math.min(oneMs, otherMs), Math.max(oneMs, otherMs)];
          expect(budgetAt(state, first, USUAL_PACE)).toBeLessThanOrEqual(
            budgetAt(state, second, USUAL_PACE),
          );
          expect(budgetAt(state, second, USUAL_PACE)).toBeLessThanOrEqual(16);
        },
      ),
    );
  });

  test("shrinks by one with each poll, suspect ones too", () => {
    for (const finding of FINDINGS) {
      const state = newPollState(0);
      const polled = afterPoll(state, { playback: null, finding, nowMs: 0 });
      expect(polled.budget).toBe(state.budget - 1);
    }
  });
});

describe("a steady pace", () => {
  const PACE = steadyPace(5_000);
  /** The state after a poll at `nowMs` that found the playback as expected. */
  const found = (playback: Playback | null, nowMs = 0) =>
    afterPoll(newPollState(0), { playback, finding: "changed", nowMs }, PACE);
  const song = (changes: Partial<Playback>) =>
    aPlayback({
      track: { id: "a", title: "A", durationMs: 60_000, explicit: false },
      observedAtMs: 0,
      ...changes,
    });
  const REGULAR = { atMs: 5_000, atEnd: false };

  test("polls at its interval, whether something plays, pauses or is silent", () => {
    for (const playback of [song({ positionMs: 10_000 }), song({ state: "paused" }), null]) {
      expect(nextPoll(found(playback), 0, PACE)).toEqual(REGULAR);
    }
  });

  test("polls earlier where a track ends before, and again soon while its end is late", () => {
    const nearEnd = found(song({ positionMs: 58_000 }));
    expect(nextPoll(nearEnd, 0, PACE)).toEqual({ atMs: 2_250, atEnd: true });
    const stillThere = song({ positionMs: 60_000, observedAtMs: 2_250 });
    const late = afterPoll(nearEnd, { playback: stillThere, finding: "same", nowMs: 2_250 }, PACE);
    expect(nextPoll(late, 0, PACE)).toEqual({ atMs: 2_850, atEnd: true });
  });

  test("polls at its interval up to the end, however short that is", () => {
    const pace = steadyPace(1_000);
    const nearEnd = song({ positionMs: 58_800 });
    const state = afterPoll(
      newPollState(0),
      { playback: nearEnd, finding: "changed", nowMs: 0 },
      pace,
    );
    expect(nextPoll(state, 0, pace)).toEqual({ atMs: 1_000, atEnd: false });
  });

  test("does not believe the end of a track whose position is unknown", () => {
    const playback = song({ positionMs: 0, observedAtMs: -59_000, positionUnknown: true });
    expect(nextPoll(found(playback), 0, PACE)).toEqual(REGULAR);
  });

  test("leaves each user a share of a limited upstream", () => {
    expect(nextPoll(found(null), 20_000, PACE)).toEqual({ atMs: 20_000, atEnd: false });
  });

  test("earns more polls than its interval uses, so that ends of tracks keep theirs", () => {
    let state = found(song({}));
    for (let nowMs = 5_000; nowMs <= HOUR_MS; nowMs += 5_000) {
      state = afterPoll(state, { playback: song({}), finding: "same", nowMs }, PACE);
    }
    expect(budgetAt(state, HOUR_MS, PACE)).toBeGreaterThan(10);
  });
});

describe("a quick pace", () => {
  const QUICK_MS = 1_250;
  const PACE = quickPace(QUICK_MS);
  const gapsOf = (made: Iterable<{ atMs: number; before: PollState }>) =>
    [...made].map(({ atMs, before }) => atMs - before.lastPollMs);

  test("polls at its interval while music plays, changing or not", () => {
    for (const finding of ["same", "changed"] as const) {
      const find = () => playing({ finding });
      for (const gapMs of gapsOf(polls(find, HOUR_MS, { pace: PACE }))) {
        expect(gapMs).toBeCloseTo(QUICK_MS);
      }
    }
  });

  test("polls less near a certain end: one poll right after it", () => {
    const nearEnd = playing({ durationMs: 200_000, restMs: 2_500, finding: "changed" });
    const playback = playbackAt(nearEnd, 0);
    const state = afterPoll(newPollState(0), { playback, finding: "changed", nowMs: 0 }, PACE);
    expect(nextPoll(state, 0, PACE)).toEqual({ atMs: 2_750, atEnd: true });
  });

  test("polls less and less during a long pause, and at last every 19 seconds", () => {
    const pause = playing({ state: "paused" });
    const first = { ...pause, finding: "changed" as const };
    const find = (_: number, index: number) => (index ? pause : first);
    const gaps = gapsOf(polls(find, 4 * HOUR_MS, { pace: PACE }));
    expect(gaps[3]).toBeCloseTo(QUICK_MS);
    expect(gaps.at(-1)).toBe(19_000);
    for (const [index, gapMs] of gaps.entries()) {
      expect(gapMs).toBeGreaterThanOrEqual((gaps[index - 1] ?? 0) - ROUNDING_MS);
    }
  });

  test("counts from call to call, and leaves half of its interval after a late answer", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000 }), (tookMs) => {
        const result = {
          playback: null,
          finding: "changed",
          askedAtMs: 0,
          nowMs: tookMs,
        } as const;
        const { atMs } = nextPoll(afterAnswer(newPollState(0), result, PACE), 0, PACE);
        expect(atMs).toBe(Math.max(QUICK_MS, tookMs + QUICK_MS / 2));
      }),
    );
  });

  test("leaves each user a share of a limited upstream", () => {
    const state = afterPoll(
      newPollState(0),
      { playback: null, finding: "changed", nowMs: 0 },
      PACE,
    );
    expect(nextPoll(state, 20_000, PACE).atMs).toBe(20_000);
  });

  test("that is not quicker than the usual one is the usual one", () => {
    expect(quickPace(4_101)).toEqual(USUAL_PACE);
    expect(quickPace(Infinity)).toEqual(USUAL_PACE);
    expect(quickPace(4_000).everyMs).toBe(4_000);
  });
});
