import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Overloaded } from "../../src/covers/services.ts";
import { createSearchTurns, type SearchTurns } from "../../src/covers/turns.ts";
import { createLedger, type Ledger, type LedgerOf } from "../../src/sources/polling/ledger.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";

const EVERY_MS = 1_100;

let clock: FakeClock;
let nodes: [SearchTurns, SearchTurns];
beforeEach(() => {
  clock = createFakeClock();
  nodes = twoNodes(clock);
});

/** Two nodes that count together, and tell each other of pauses. */
function twoNodes(on: FakeClock): [SearchTurns, SearchTurns] {
  let shared: Ledger | undefined;
  const closers: ((pauseMs: number) => void)[][] = [];
  const ledgerOf: LedgerOf = (budget) => {
    shared ??= createLedger(on, budget);
    const mine: ((pauseMs: number) => void)[] = [];
    closers.push(mine);
    return {
      ...shared,
      close(pauseMs) {
        for (const theirs of closers) if (theirs !== mine) theirs.forEach((tell) => tell(pauseMs));
      },
      onClose: (listener) => void mine.push(listener),
    };
  };
  const deps = { clock: on, ledgerOf, service: "musicbrainz" };
  return [createSearchTurns(deps), createSearchTurns(deps)];
}

const failureOf = (turn: Promise<unknown>) =>
  turn.then(
    () => undefined,
    (error: unknown) => error,
  );
const overload = () => Promise.reject(new Overloaded("503"));

describe("searches of one service", () => {
  test("run one at a time on all nodes, and begin 1.1 seconds apart", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ node: fc.nat(1), takesMs: fc.nat(6_000), afterMs: fc.nat(2_000) }), {
          maxLength: 12,
        }),
        async (searches) => {
          const now = createFakeClock();
          const both = twoNodes(now);
          const never = new AbortController().signal;
          const began: number[] = [];
          let running = 0;
          let ended = 0;
          for (const { node, takesMs, afterMs } of searches) {
            void both[node === 0 ? 0 : 1].take(async () => {
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
          // Nothing is counted while nothing runs.
          expect(now.waiting()).toBe(0);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("answer what the work does, and go on after one that failed", async () => {
    const failed = failureOf(nodes[0].take(() => Promise.reject(new Error("no"))));
    const next = nodes[0].take(async () => "yes");
    await clock.advance(EVERY_MS);
    expect(await failed).toEqual(new Error("no"));
    expect(await next).toBe("yes");
  });
});

describe("a pause", () => {
  const isPaused = async (turns: SearchTurns) => {
    let hasRun = false;
    const turn = failureOf(
      turns.take(async () => {
        hasRun = true;
      }),
    );
    await clock.advance(EVERY_MS);
    const failure = await turn;
    expect(failure instanceof Overloaded).toBe(!hasRun);
    return !hasRun;
  };

  test("is a minute at first, on all nodes, and ends", async () => {
    expect(await failureOf(nodes[0].take(overload))).toBeInstanceOf(Overloaded);
    expect(await isPaused(nodes[0])).toBe(true);
    expect(await isPaused(nodes[1])).toBe(true);
    await clock.advance(60_000 - 2 * EVERY_MS);
    expect(await isPaused(nodes[0])).toBe(false);
    expect(await isPaused(nodes[1])).toBe(false);
  });

  test("doubles to an hour, and begins anew after an answer", async () => {
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      // Whichever node asks too early next.
      const turns = nodes[attempt % 2 === 0 ? 0 : 1];
      const fromMs = clock.monotonicMs();
      const overloaded = failureOf(turns.take(overload));
      await clock.advance(0);
      expect(await overloaded).toBeInstanceOf(Overloaded);
      while (await isPausedNow(turns)) await clock.advance(1_000);
      pauses.push((clock.monotonicMs() - fromMs) / 60_000);
      await clock.advance(EVERY_MS);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    await nodes[0].take(async () => {});
    await clock.advance(EVERY_MS);
    await failureOf(nodes[0].take(overload));
    await clock.advance(59_000);
    expect(await isPausedNow(nodes[0])).toBe(true);
    await clock.advance(1_000);
    expect(await isPausedNow(nodes[0])).toBe(false);
  });

  /** Asks without counting a search that was answered. */
  const isPausedNow = async (turns: SearchTurns) => {
    const failure = await failureOf(turns.take(() => Promise.reject(new Error("asked"))));
    return failure instanceof Overloaded;
  };

  test("ends what waits for its turn", async () => {
    const first = failureOf(nodes[0].take(overload));
    const second = failureOf(nodes[0].take(async () => {}));
    await settle();
    expect(await first).toBeInstanceOf(Overloaded);
    expect(await second).toBeInstanceOf(Overloaded);
  });
});

test("without the count of all nodes nothing is searched", async () => {
  const ledger: Ledger = {
    take: () => Promise.reject(new Error("no database")),
    watchedElsewhere: () => 0,
    countWatched() {},
    close() {},
    onClose() {},
  };
  const turns = createSearchTurns({ clock, ledgerOf: () => ledger, service: "musicbrainz" });
  let searches = 0;
  const failed = failureOf(turns.take(async () => void (searches += 1)));
  await clock.advance(10_000);
  expect(await failed).toEqual(new Error("no database"));
  expect(searches).toBe(0);
});

test("a grant that comes late is left unused", async () => {
  const real = createLedger(clock, { limits: [1, 9], windowMs: EVERY_MS });
  let lateMs = 301;
  const ledger: Ledger = {
    ...real,
    async take(wants) {
      const grant = await real.take(wants);
      if (wants[0] === 1) await clock.sleep(lateMs, new AbortController().signal);
      return grant;
    },
  };
  const turns = createSearchTurns({ clock, ledgerOf: () => ledger, service: "musicbrainz" });
  let atMs: number | undefined;
  const turn = turns.take(async () => void (atMs = clock.monotonicMs()));
  await clock.advance(1_000);
  expect(atMs).toBeUndefined();
  lateMs = 300;
  await clock.advance(5_000);
  await turn;
  expect(atMs).toBeDefined();
});
