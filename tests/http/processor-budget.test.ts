import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createProcessorBudget, type ProcessorBudget } from "../../src/http/processor-budget.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";

const ADA = 1;
const BOB = 2;

let clock: FakeClock;
let budget: ProcessorBudget;

beforeEach(() => {
  clock = createFakeClock();
  budget = createProcessorBudget(clock);
});

const turn = () => new Promise((resolve) => setImmediate(resolve));
const work = (ms: number, userId = ADA) => budget.spend(userId, () => clock.work(ms));

describe("a user's budget of processor time", () => {
  test("has two seconds at once, and then the fifth part of each second", async () => {
    work(1_999);
    expect(budget.waitMs(ADA)).toBe(0);
    work(201);
    expect(budget.waitMs(ADA)).toBe(1_005);
    await clock.advance(1_005);
    expect(budget.waitMs(ADA)).toBe(0);
    work(2);
    expect(budget.waitMs(ADA)).toBeGreaterThan(0);
  });

  test("is nobody else's", () => {
    work(5_000);
    expect([budget.waitMs(ADA) > 0, budget.waitMs(BOB)]).toEqual([true, 0]);
  });

  test("makes nobody wait longer than about ten seconds, whatever one answer took", () => {
    work(60_000);
    expect(budget.waitMs(ADA)).toBe(10_005);
  });

  test("counts what follows an await that waits for nothing", async () => {
    await budget.spend(ADA, async () => {
      null;
      clock.work(2_001);
    });
    expect(budget.waitMs(ADA)).toBeGreaterThan(0);
  });

  test("counts what follows a wait, when the answer is done", async () => {
    for (let answers = 0; answers < 20; answers++) {
      await budget.spend(ADA, async () => {
        await turn();
        clock.work(100);
      });
    }
    work(1);
    expect(budget.waitMs(ADA)).toBeGreaterThan(0);
  });

  test("counts little of what is done for others while an answer waits", async () => {
    const waiting = Promise.withResolvers<void>();
    const answered = budget.spend(ADA, () => waiting.promise);
    await turn();
    clock.work(5_000);
    waiting.resolve();
    await answered;
    work(1_800);
    expect(budget.waitMs(ADA)).toBe(0);
  });

  test("does not count another user's work in the same turn", async () => {
    void budget.spend(ADA, () => Promise.withResolvers<void>().promise);
    work(5_000, BOB);
    clock.work(5_000);
    await turn();
    expect([budget.waitMs(ADA), budget.waitMs(BOB) > 0]).toEqual([0, true]);
  });

  test("counts work that fails", async () => {
    const fail = () => {
      clock.work(1_500);
      throw new Error("failed");
    };
    expect(() => budget.spend(ADA, fail)).toThrow("failed");
    await expect(budget.spend(ADA, async () => fail())).rejects.toThrow("failed");
    await turn();
    expect(budget.waitMs(ADA)).toBeGreaterThan(0);
  });

  test("counts all parts of long work, and makes it wait between them", async () => {
    let parts = 0;
    const done = budget.spend(ADA, async () => {
      for (; parts < 4; parts++) {
        clock.work(1_000);
        await budget.letOthersIn(ADA);
      }
    });
    for (let turns = 0; turns < 5; turns++) await turn();
    expect(parts).toBe(1);
    await clock.advance(60_000);
    for (let turns = 0; turns < 20; turns++) await clock.advance(10_000);
    await done;
    expect(parts).toBe(4);
  });

  test("lets nobody take more than two seconds and the fifth part of the time, but for the last answer", () => {
    const LONGEST = 300;
    const asked = fc.array(fc.tuple(fc.nat(2_000), fc.integer({ min: 1, max: LONGEST })), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(asked, (requests) => {
        let workedMs = 0;
        let nowMs = 0;
        const own = createProcessorBudget({
          monotonicMs: () => nowMs,
          processorMs: () => workedMs,
          sleep: async () => {},
        });
        for (const [pauseMs, ms] of requests) {
          nowMs += pauseMs;
          if (own.waitMs(ADA) === 0) own.spend(ADA, () => void (workedMs += ms));
        }
        expect(workedMs).toBeLessThanOrEqual(2_000 + nowMs / 5 + LONGEST);
      }),
    );
  });
});
