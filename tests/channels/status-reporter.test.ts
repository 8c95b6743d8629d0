import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ReportedStatus } from "../../src/music/connection-status.ts";
import type { WatchedConnection } from "../../src/channels/watcher.ts";
import type { Hub } from "../../src/channels/hub.ts";
import { StatusReporter } from "../../src/channels/status-reporter.ts";
import { SourceFailure } from "../../src/sources/source.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createTestHub } from "../fixtures/sources/test-hub.ts";
import { silentLog } from "../fixtures/sources/watch-context.ts";

const ADA = 1;
const CALM_MS = 30_000;

let clock: FakeClock;
/** How long the player stays after its word before it closes the connection. */
let staysMs: number;
/** How it closes: as a failure, or without a word of why. */
let failure: Error | undefined;
let startsAtMs: number[];
let connectionId: number;
let wasOk: boolean;
let health: (ReportedStatus & { id: number })[];
let logged: string[];
let hub: Hub;

/** A player that answers once and then closes. */
const listening = (id: number): WatchedConnection => ({
  connectionId: id,
  wasOk,
  delivery: "streamed",
  async *watch({ signal }) {
    startsAtMs.push(clock.monotonicMs());
    yield aPlayback({ observedAtMs: clock.monotonicMs() });
    if (staysMs > 0) await clock.sleep(staysMs, signal);
    if (failure) throw failure;
  },
});

beforeEach(() => {
  clock = createFakeClock();
  staysMs = 0;
  failure = new SourceFailure({ kind: "unavailable" }, "it closed the connection");
  startsAtMs = [];
  connectionId = 7;
  wasOk = false;
  health = [];
  logged = [];
  hub = createTestHub(
    {
      clock,
      connectionsOf: () => [listening(connectionId)],
      onStatus: async (id, reported) => void health.push({ ...reported, id }),
    },
    logged,
  );
});
afterEach(() => hub.stop());

/** Somebody follows the player for a while. */
async function followFor(ms: number): Promise<void> {
  hub.subscribe(ADA, () => {});
  await clock.advance(ms);
}

const states = () => health.map(({ state }) => state);
/** How long each attempt to listen came after the one before. */
const waits = () => startsAtMs.slice(1).map((atMs, index) => atMs - (startsAtMs[index] ?? 0));

describe("a player that closes after each answer", () => {
  test("is told as well, then as failing, and no more of it for as long as it flickers", async () => {
    await followFor(20_000);
    expect(states()).toEqual(["ok", "retrying"]);
    await clock.advance(600_000);
    expect(states()).toEqual(["ok", "retrying"]);
  });

  test("is told as failing, and later as well, where it was stored as well already", async () => {
    wasOk = true;
    staysMs = 1_000;
    await followFor(900);
    expect(states()).toEqual([]);
    await clock.advance(20_000);
    expect(states()).toEqual(["retrying"]);
    staysMs = 3_600_000;
    await clock.advance(60_000);
    expect(states()).toEqual(["retrying", "ok"]);
  });

  test("is logged once", async () => {
    await followFor(600_000);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain("music cannot be followed");
  });

  test("without a reason is logged once, and told as failing once", async () => {
    failure = undefined;
    await followFor(600_000);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain("the source ended by itself");
    expect(states()).toEqual(["ok", "retrying"]);
  });

  test("is asked again after growing waits, though it answers each time", async () => {
    await followFor(40_000);
    expect(waits()).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test("is still followed", async () => {
    await followFor(600_000);
    expect((await hub.read(ADA, 0)).kind).toBe("playback");
  });

  test("is told and logged as well again once it has stayed for thirty seconds", async () => {
    await followFor(20_000);
    staysMs = 3_600_000;
    await clock.advance(10_000);
    const stayedSinceMs = startsAtMs.at(-1) ?? 0;
    await clock.advance(stayedSinceMs + CALM_MS - 1 - clock.monotonicMs());
    expect(states()).toEqual(["ok", "retrying"]);
    expect(logged).toHaveLength(1);
    await clock.advance(1);
    expect(states()).toEqual(["ok", "retrying", "ok"]);
    expect(health[2]?.since).toBe(clock.wallMs() - CALM_MS);
    expect(logged[1]).toContain("music is reported again");
  });

  test("is asked again at once only after thirty seconds of calm", async () => {
    await followFor(7_750);
    staysMs = CALM_MS - 1;
    await clock.advance(8_000);
    expect(startsAtMs).toHaveLength(7);
    await clock.advance(CALM_MS - 1 + 9_999);
    expect(startsAtMs).toHaveLength(7);
    staysMs = CALM_MS;
    await clock.advance(1);
    expect(startsAtMs).toHaveLength(8);
    await clock.advance(CALM_MS + 250);
    expect(startsAtMs).toHaveLength(9);
  });

  test("is told anew, and at once, as another connection", async () => {
    await followFor(20_000);
    connectionId = 8;
    staysMs = 3_600_000;
    await hub.followConnections();
    await clock.advance(0);
    expect(health.slice(2)).toMatchObject([{ id: 8, state: "ok" }]);
  });

  test("is told nothing more of once nobody looks", async () => {
    await followFor(20_000);
    staysMs = 3_600_000;
    await clock.advance(10_000);
    hub.stop();
    await clock.advance(3_600_000);
    expect(states()).toEqual(["ok", "retrying"]);
  });
});

describe("whatever comes and goes", () => {
  const KINDS = ["ok", "unreachable", "noPremium", "keyRefused"] as const;

  test("within thirty seconds is reported twice at most, and what stays is reported in the end", async () => {
    const turns = fc.array(
      fc.record({ kind: fc.constantFrom(...KINDS), forMs: fc.integer({ min: 0, max: 2_000 }) }),
      { minLength: 1, maxLength: 14 },
    );
    await fc.assert(
      fc.asyncProperty(turns, async (flicker) => {
        const time = createFakeClock();
        const reported: string[] = [];
        const reporter = new StatusReporter(ADA, 7, {
          clock: time,
          log: silentLog,
          onStatus: (_, status) =>
            void reported.push(status.state === "retrying" ? status.reason : status.state),
        });
        for (const { kind, forMs } of flicker) {
          if (kind === "ok") reporter.ok(false);
          else reporter.failed(kind, "it fails");
          await time.advance(forMs);
        }
        expect(reported.length).toBeLessThanOrEqual(2);
        expect(reported[0]).toBe(flicker[0]!.kind);
        await time.advance(CALM_MS);
        expect(reported.at(-1)).toBe(flicker.at(-1)!.kind);
      }),
      { numRuns: 50 },
    );
  });
});
