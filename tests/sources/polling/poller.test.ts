import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Playback } from "../../../src/playback.ts";
import { newPollState, USUAL_PACE } from "../../../src/sources/polling/cadence.ts";
import { poll } from "../../../src/sources/polling/poller.ts";
import type { Urgency } from "../../../src/sources/polling/request-budget.ts";
import { createFakeClock, type FakeClock } from "../../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../../fixtures/sources/playback.ts";
import { createDemand, type TestDemand } from "../../fixtures/sources/watch-context.ts";

let clock: FakeClock;
let demand: TestDemand;
let stop: AbortController;
/** What the upstream answers. */
let answer: (nowMs: number) => Playback | null;
let asked: { atMs: number; urgency: Urgency }[];
let yielded: (Playback | null)[];

const DURATION_MS = 60_000;
const song = (id: string, startedAtMs: number) => (nowMs: number) =>
  aPlayback({
    track: { id, title: id, durationMs: DURATION_MS, explicit: false },
    positionMs: nowMs - startedAtMs,
    observedAtMs: nowMs,
  });

async function run(): Promise<void> {
  const memory = { state: newPollState(clock.monotonicMs()) };
  const ask = async (urgency: Urgency) => {
    asked.push({ atMs: clock.monotonicMs(), urgency });
    return answer(clock.monotonicMs());
  };
  const { signal } = stop;
  for await (const playback of poll({
    clock,
    demand,
    signal,
    pace: () => USUAL_PACE,
    memory,
    ask,
  })) {
    yielded.push(playback);
  }
}

beforeEach(() => {
  clock = createFakeClock();
  demand = createDemand(true);
  stop = new AbortController();
  answer = song("a", clock.monotonicMs());
  asked = [];
  yielded = [];
});
afterEach(() => stop.abort());

describe("a polled upstream", () => {
  test("is asked at once, and its first answer is yielded", async () => {
    void run();
    await clock.advance(0);
    expect(asked.map(({ urgency }) => urgency)).toEqual(["regular"]);
    expect(yielded.map((playback) => playback?.track.id)).toEqual(["a"]);
  });

  test("is asked at the end of a track, and the next track is yielded", async () => {
    const startMs = clock.monotonicMs();
    answer = (nowMs) =>
      nowMs - startMs < DURATION_MS
        ? song("a", startMs)(nowMs)
        : song("b", startMs + DURATION_MS)(nowMs);
    void run();
    await clock.advance(DURATION_MS + 1_000);
    const atEnd = asked.find(({ urgency }) => urgency === "trackEnd");
    expect((atEnd?.atMs ?? 0) - startMs).toBeWithin(DURATION_MS, DURATION_MS + 1_000);
    expect(yielded.at(-1)?.track.id).toBe("b");
  });

  test("is not asked while nobody watches, until somebody asks", async () => {
    demand.follow(false);
    void run();
    await clock.advance(60_000);
    expect(asked).toHaveLength(1);
    demand.ask();
    await clock.advance(0);
    expect(asked.map(({ urgency }) => urgency)).toEqual(["regular", "regular"]);
  });

  test("is asked again once somebody watches again, and no more when they have left", async () => {
    demand.follow(false);
    void run();
    await clock.advance(60_000);
    demand.follow(true);
    await clock.advance(20_000);
    const { length } = asked;
    expect(length).toBeGreaterThan(2);
    demand.follow(false);
    await clock.advance(600_000);
    expect(asked).toHaveLength(length);
  });

  test("is not asked for a request that comes right after another poll", async () => {
    demand.follow(false);
    void run();
    await clock.advance(2_499);
    demand.ask();
    await clock.advance(600_000);
    expect(asked).toHaveLength(1);
  });

  test("is left alone once the watching ends", async () => {
    const ended = run();
    await clock.advance(10_000);
    stop.abort();
    await ended;
    const { length } = asked;
    await clock.advance(60_000);
    expect(asked).toHaveLength(length);
  });
});
