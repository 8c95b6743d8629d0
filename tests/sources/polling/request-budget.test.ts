import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { UpstreamPause } from "../../../src/accounts/upstreams.ts";
import { SourceFailure } from "../../../src/sources/source.ts";
import {
  createRequestBudget,
  type RequestBudget,
  type PauseMemory,
  type Urgency,
} from "../../../src/sources/polling/request-budget.ts";
import { createFakeClock, type FakeClock, settle } from "../../fixtures/clock/fake-clock.ts";

const SPOTIFY = { upstream: "Spotify", windowMs: 30_000 };

const SPOTIFY_WINDOW_MS = 30_000;
const nobodyLeaves = new AbortController().signal;

/** What outlives a restart. */
function createMemory(pause?: UpstreamPause) {
  return {
    pause,
    recall() {
      return this.pause;
    },
    async remember(next: UpstreamPause) {
      this.pause = next;
    },
  };
}

function createTestBudget(
  budget = 10,
  memory: PauseMemory = createMemory(),
  clock: FakeClock = createFakeClock(),
) {
  const requestBudget = createRequestBudget({ ...SPOTIFY, clock, budget, memory });
  const entered: { who: string; atMs: number }[] = [];
  return {
    clock,
    requestBudget,
    entered,
    /** Enters under a name; what became of it is in `entered`. */
    enter: (who: string, urgency: Urgency = "regular", signal = nobodyLeaves) =>
      requestBudget.enter(urgency, signal).then(() => {
        if (!signal.aborted) entered.push({ who, atMs: clock.monotonicMs() });
      }),
    names: () => entered.map(({ who }) => who),
  };
}

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

/** How long the requestBudget says that it is closed; `undefined` when it is open. */
async function pauseOf(requestBudget: RequestBudget): Promise<number | undefined> {
  const error = await failureOf(requestBudget.enter("trackEnd", nobodyLeaves));
  if (error === undefined) return undefined;
  if (!(error instanceof SourceFailure)) throw error;
  if (error.meaning.kind !== "retryLater") throw new Error(error.meaning.kind);
  expect(error.meaning.reason).toBe("limited");
  return error.meaning.afterMs;
}

describe("the budget", () => {
  const arrivals = fc.array(
    fc.record({
      gapMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9_000 })),
      urgency: fc.constantFrom<Urgency>("trackEnd", "regular", "asked"),
      /** Leaves so long after arriving, if it still waits. */
      patienceMs: fc.option(fc.integer({ min: 0, max: 60_000 }), { freq: 4 }),
    }),
    { minLength: 1, maxLength: 60 },
  );

  test("is never exceeded in any thirty seconds, whoever comes and leaves", async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 12 }), async (given, budget) => {
        const { clock, enter, entered } = createTestBudget(budget);
        for (const { gapMs, urgency, patienceMs } of given) {
          await clock.advance(gapMs);
          const leaving = new AbortController();
          if (patienceMs !== null) clock.after(patienceMs, () => leaving.abort());
          void enter("somebody", urgency, leaving.signal);
        }
        await clock.advance(300_000);
        const times = entered.map(({ atMs }) => atMs);
        for (const [index, atMs] of times.entries()) {
          const first = times[index - budget];
          if (first !== undefined) expect(atMs - first).toBeGreaterThan(SPOTIFY_WINDOW_MS);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("lets everybody in sooner or later", async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 12 }), async (given, budget) => {
        const { clock, enter, entered } = createTestBudget(budget);
        for (const { urgency } of given) void enter("somebody", urgency);
        await clock.advance(61 * 31_000);
        expect(entered).toHaveLength(given.length);
      }),
      { numRuns: 30 },
    );
  });

  test("that is free makes nobody wait", async () => {
    const { enter, names } = createTestBudget();
    for (const who of ["a", "b", "c"]) await enter(who);
    expect(names()).toEqual(["a", "b", "c"]);
  });

  test("is not used up by who left before it was their turn", async () => {
    const { clock, enter, names } = createTestBudget(1);
    await enter("first");
    const leaving = new AbortController();
    const left = enter("impatient", "regular", leaving.signal);
    void enter("patient");
    await settle();
    leaving.abort();
    await left;
    await clock.advance(31_000);
    expect(names()).toEqual(["first", "patient"]);
  });

  test("leaves no timer behind once nobody waits", async () => {
    const { clock, enter } = createTestBudget(1);
    await enter("first");
    void enter("second");
    await clock.advance(120_000);
    expect(clock.waiting()).toBe(0);
  });
});

describe("who waits", () => {
  const fill = async ({ clock, enter }: ReturnType<typeof createTestBudget>, calls: number) => {
    for (let call = 0; call < calls; call++) void enter("filler", "trackEnd");
    await settle();
    await clock.advance(0);
  };

  test("for the end of a track goes first, then regular looks, then questions", async () => {
    const test = createTestBudget(2);
    await fill(test, 2);
    void test.enter("question", "asked");
    void test.enter("look", "regular");
    void test.enter("end", "trackEnd");
    await settle();
    await test.clock.advance(200_000);
    expect(test.names().slice(2)).toEqual(["end", "look", "question"]);
  });

  test("for the same is served in the order of coming", async () => {
    for (const urgency of ["trackEnd", "regular", "asked"] as const) {
      const test = createTestBudget(3);
      await fill(test, 3);
      for (const who of ["1", "2", "3", "4", "5", "6", "7"]) void test.enter(who, urgency);
      await settle();
      await test.clock.advance(600_000);
      expect(test.names().slice(3)).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
    }
  });

  test("is not overtaken by the same kind that comes when there is room again", async () => {
    const test = createTestBudget(1);
    await fill(test, 1);
    void test.enter("early");
    await settle();
    await test.clock.advance(30_999);
    void test.enter("late");
    await settle();
    await test.clock.advance(100_000);
    expect(test.names()).toEqual(["filler", "early", "late"]);
  });

  test("with a question finds room only while much is left", async () => {
    const test = createTestBudget(10);
    for (let call = 0; call < 10; call++) void test.enter("question", "asked");
    await settle();
    expect(test.entered.length).toBeLessThan(8);
    const questions = test.entered.length;
    for (let call = 0; call < 10; call++) void test.enter("end", "trackEnd");
    await settle();
    expect(test.entered.length).toBe(10);
    expect(test.names().filter((who) => who === "end")).toHaveLength(10 - questions);
  });
});

describe("the share of one user", () => {
  test("grows smaller the more users are followed", () => {
    const { requestBudget } = createTestBudget(20);
    expect(requestBudget.leastIntervalMs()).toBe(0);
    const leave = requestBudget.join({ watched: true });
    const one = requestBudget.leastIntervalMs();
    requestBudget.join({ watched: true });
    expect(requestBudget.leastIntervalMs()).toBeCloseTo(2 * one, 6);
    requestBudget.join({ watched: false });
    expect(requestBudget.leastIntervalMs()).toBeCloseTo(2 * one, 6);
    leave();
    expect(requestBudget.leastIntervalMs()).toBeCloseTo(one, 6);
  });

  test("counts each connection of a user, though all have the same demand", () => {
    const { requestBudget } = createTestBudget(20);
    const demand = { watched: true };
    requestBudget.join(demand);
    const one = requestBudget.leastIntervalMs();
    const leave = requestBudget.join(demand);
    expect(requestBudget.leastIntervalMs()).toBeCloseTo(2 * one, 6);
    leave();
    expect(requestBudget.leastIntervalMs()).toBeCloseTo(one, 6);
  });

  test("lets all who are followed look within the budget", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 500 }),
        (users, budget) => {
          const { requestBudget } = createTestBudget(budget);
          for (let user = 0; user < users; user++) requestBudget.join({ watched: true });
          const looks = (users * SPOTIFY_WINDOW_MS) / requestBudget.leastIntervalMs();
          expect(looks).toBeLessThanOrEqual(budget);
        },
      ),
    );
  });
});

describe("a closed requestBudget", () => {
  test("refuses everybody as long as it was told, and says how long", async () => {
    const { clock, requestBudget } = createTestBudget();
    const failure = await requestBudget.close("30", "too many calls");
    expect(failure.meaning).toEqual({ kind: "retryLater", afterMs: 30_000, reason: "limited" });
    expect(await pauseOf(requestBudget)).toBe(30_000);
    await clock.advance(29_999);
    expect(await pauseOf(requestBudget)).toBe(1);
    expect(() => requestBudget.refuseWhileClosed()).toThrow(SourceFailure);
    await clock.advance(1);
    expect(await pauseOf(requestBudget)).toBeUndefined();
    expect(() => requestBudget.refuseWhileClosed()).not.toThrow();
  });

  test("refuses who had been waiting for their turn", async () => {
    const { clock, requestBudget, enter } = createTestBudget(1);
    await enter("first");
    const waiting = failureOf(requestBudget.enter("regular", nobodyLeaves));
    await settle();
    await requestBudget.close("600", "too many calls");
    await clock.advance(31_000);
    expect(await waiting).toBeInstanceOf(SourceFailure);
  });

  test("is not opened sooner by a shorter pause", async () => {
    const { clock, requestBudget } = createTestBudget();
    await requestBudget.close("600", "too many calls");
    await clock.advance(1_000);
    await requestBudget.close("5", "too many calls");
    expect(await pauseOf(requestBudget)).toBe(599_000);
  });

  test("is closed, and says so, even when its pause cannot be stored", async () => {
    const full: PauseMemory = {
      recall: () => undefined,
      remember: () => Promise.reject(new Error("the disk is full")),
    };
    const { requestBudget } = createTestBudget(10, full);
    const failure = await requestBudget.close("60", "too many calls");
    expect(failure.meaning).toEqual({ kind: "retryLater", afterMs: 60_000, reason: "limited" });
    expect(await pauseOf(requestBudget)).toBe(60_000);
  });

  test("takes no notice of the wall clock", async () => {
    const { clock, requestBudget } = createTestBudget();
    await requestBudget.close("60", "too many calls");
    clock.setWallMs(clock.wallMs() + 86_400_000);
    expect(await pauseOf(requestBudget)).toBe(60_000);
    clock.setWallMs(clock.wallMs() - 10 * 86_400_000);
    expect(await pauseOf(requestBudget)).toBe(60_000);
  });
});

describe("after a restart", () => {
  /** A requestBudget that was closed for an hour, and one that finds its memory some time later. */
  async function restarted(wallPassedMs: number, startedAnew: FakeClock = createFakeClock()) {
    const memory = createMemory();
    const before = createTestBudget(10, memory);
    await before.requestBudget.close("3600", "quota");
    startedAnew.setWallMs(before.clock.wallMs() + wallPassedMs);
    return createTestBudget(10, memory, startedAnew).requestBudget;
  }

  test("a pause goes on as long as is left of it", async () => {
    expect(await pauseOf(await restarted(600_000))).toBe(3_000_000);
  });

  test("a pause that is over is over", async () => {
    expect(await pauseOf(await restarted(3_600_000))).toBeUndefined();
    expect(await pauseOf(await restarted(86_400_000))).toBeUndefined();
  });

  test("a wall clock that was set back makes no pause longer than it was", async () => {
    expect(await pauseOf(await restarted(-86_400_000))).toBe(3_600_000);
  });

  test("a wall clock that jumps later on neither shortens nor lengthens the pause", async () => {
    const clock = createFakeClock();
    const requestBudget = await restarted(600_000, clock);
    expect(await pauseOf(requestBudget)).toBe(3_000_000);
    clock.setWallMs(clock.wallMs() + 86_400_000);
    expect(await pauseOf(requestBudget)).toBe(3_000_000);
    clock.setWallMs(clock.wallMs() - 10 * 86_400_000);
    expect(await pauseOf(requestBudget)).toBe(3_000_000);
  });

  test("a shorter pause does not take a remembered one's place", async () => {
    const memory = createMemory();
    await createTestBudget(10, memory).requestBudget.close("48925", "quota");
    const { requestBudget } = createTestBudget(10, memory);
    await requestBudget.close("5", "the accounts service has asked for a pause");
    expect(await pauseOf(requestBudget)).toBe(48_925_000);
  });

  test("a memory that could not be read once is read again", async () => {
    let broken = true;
    const memory: PauseMemory = {
      recall() {
        if (broken) throw new Error("the database is busy");
        return undefined;
      },
      remember: async () => {},
    };
    const { requestBudget } = createTestBudget(10, memory);
    await failureOf(requestBudget.enter("regular", nobodyLeaves));
    broken = false;
    expect(await failureOf(requestBudget.enter("regular", nobodyLeaves))).toBeUndefined();
  });
});

describe("the quick interval", () => {
  const watchedUser = { watched: true };
  const QUICKEST_MS = 1_250;
  const intervalAfter = async (clock: FakeClock, requestBudget: RequestBudget, ms: number) => {
    await clock.advance(ms);
    return requestBudget.quickIntervalMs();
  };

  test("counts the watched users, of whom a few get the quickest", () => {
    const { requestBudget } = createTestBudget(180);
    requestBudget.join({ watched: false });
    const intervals = Array.from({ length: 10 }, () => {
      const intervalMs = requestBudget.quickIntervalMs();
      requestBudget.join(watchedUser);
      return Math.round(intervalMs);
    });
    expect(intervals.slice(0, 6)).toEqual([1_250, 1_250, 1_250, 1_250, 1_378, 1_722]);
    expect(intervals.at(-1)).toBe((9 * 31_000) / 90);
  });

  test("never lets all users together use more than half of the budget", () => {
    const budgets = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), budgets, (users, budget) => {
        const { requestBudget } = createTestBudget(budget);
        for (let user = 0; user < users; user++) requestBudget.join(watchedUser);
        const intervalMs = requestBudget.quickIntervalMs();
        expect((users * 31_000) / intervalMs).toBeLessThanOrEqual(budget / 2 + 0.001);
        expect(intervalMs).toBeGreaterThanOrEqual(QUICKEST_MS);
      }),
    );
  });

  test("is not offered for two minutes after the last slow answer", async () => {
    const { clock, requestBudget } = createTestBudget(180);
    requestBudget.noteAnswer(1_999);
    expect(requestBudget.quickIntervalMs()).toBe(QUICKEST_MS);
    requestBudget.noteAnswer(2_000);
    expect(await intervalAfter(clock, requestBudget, 60_000)).toBe(Infinity);
    requestBudget.noteAnswer(5_000);
    expect(await intervalAfter(clock, requestBudget, 119_999)).toBe(Infinity);
    expect(await intervalAfter(clock, requestBudget, 1)).toBe(QUICKEST_MS);
  });

  test.each([
    ["a short pause for two minutes", 10, 130],
    ["one of hours for four times as long, as a quota of the day causes it", 48_925, 5 * 48_925],
  ])("is not offered after %s", async (_, pauseSeconds, untilSeconds) => {
    const { clock, requestBudget } = createTestBudget(180);
    await requestBudget.close(String(pauseSeconds), "a pause");
    expect(await intervalAfter(clock, requestBudget, untilSeconds * 1_000 - 1)).toBe(Infinity);
    expect(await intervalAfter(clock, requestBudget, 1)).toBe(QUICKEST_MS);
  });

  test("is not offered after a pause from before a restart", async () => {
    const clock = createFakeClock();
    const from = clock.wallMs();
    const memory = createMemory({ from, until: from + 60_000 });
    const { requestBudget } = createTestBudget(180, memory, clock);
    await pauseOf(requestBudget);
    expect(requestBudget.quickIntervalMs()).toBe(Infinity);
  });
});
