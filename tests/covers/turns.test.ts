import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Overloaded } from "../../src/covers/services.ts";
import { createSearchTurns } from "../../src/covers/turns.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";

const EVERY_MS = 1_100;

let clock: FakeClock;
let inTurn: ReturnType<typeof createSearchTurns>;
beforeEach(() => {
  clock = createFakeClock();
  inTurn = createSearchTurns(clock, "musicbrainz");
});

const failureOf = (turn: Promise<unknown>) =>
  turn.then(
    () => undefined,
    (error: unknown) => error,
  );
const overload = () => Promise.reject(new Overloaded("503"));

describe("searches of one service", () => {
  test("run one at a time, and begin 1.1 seconds after the end of the one before", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ takesMs: fc.nat(6_000), afterMs: fc.nat(2_000) }), {
          maxLength: 12,
        }),
        async (searches) => {
          const now = createFakeClock();
          const inTurn = createSearchTurns(now, "musicbrainz");
          const never = new AbortController().signal;
          const began: number[] = [];
          let running = 0;
          let ended = 0;
          for (const { takesMs, afterMs } of searches) {
            void inTurn(async () => {
              running += 1;
              expect(running).toBe(1);
              began.push(now.monotonicMs());
              await now.sleep(takesMs, never);
              running -= 1;
              ended += 1;
            });
            await now.advance(afterMs);
          }
          await now.advance(120_000);
          expect(ended).toBe(searches.length);
          began.forEach((atMs, index) => {
            expect(atMs - (began[index - 1] ?? -Infinity)).toBeGreaterThanOrEqual(EVERY_MS);
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  test("answer what the work does, and go on after one that failed", async () => {
    const failed = failureOf(inTurn(() => Promise.reject(new Error("no"))));
    const next = inTurn(async () => "yes");
    await clock.advance(EVERY_MS);
    expect(await failed).toEqual(new Error("no"));
    expect(await next).toBe("yes");
  });
});

describe("a pause", () => {
  const isPaused = async (inTurn: ReturnType<typeof createSearchTurns>) => {
    let hasRun = false;
    const turn = failureOf(
      inTurn(async () => {
        hasRun = true;
      }),
    );
    await clock.advance(EVERY_MS);
    const failure = await turn;
    expect(failure instanceof Overloaded).toBe(!hasRun);
    return !hasRun;
  };

  test("is a minute at first, and ends", async () => {
    expect(await failureOf(inTurn(overload))).toBeInstanceOf(Overloaded);
    expect(await isPaused(inTurn)).toBe(true);
    await clock.advance(60_000 - EVERY_MS);
    expect(await isPaused(inTurn)).toBe(false);
  });

  test("doubles to an hour, and begins anew after an answer", async () => {
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      const fromMs = clock.monotonicMs();
      const overloaded = failureOf(inTurn(overload));
      await clock.advance(0);
      expect(await overloaded).toBeInstanceOf(Overloaded);
      while (await isPausedNow(inTurn)) await clock.advance(1_000);
      pauses.push((clock.monotonicMs() - fromMs) / 60_000);
      await clock.advance(EVERY_MS);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    await inTurn(async () => {});
    await clock.advance(EVERY_MS);
    await failureOf(inTurn(overload));
    await clock.advance(59_000);
    expect(await isPausedNow(inTurn)).toBe(true);
    await clock.advance(1_000);
    expect(await isPausedNow(inTurn)).toBe(false);
  });

  /** Asks without counting a search that was answered. */
  const isPausedNow = async (inTurn: ReturnType<typeof createSearchTurns>) => {
    const failure = await failureOf(inTurn(() => Promise.reject(new Error("asked"))));
    return failure instanceof Overloaded;
  };

  test("ends what waits for its turn", async () => {
    const first = failureOf(inTurn(overload));
    const second = failureOf(inTurn(async () => {}));
    await settle();
    expect(await first).toBeInstanceOf(Overloaded);
    expect(await second).toBeInstanceOf(Overloaded);
  });
});
