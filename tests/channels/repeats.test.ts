import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type ConnectionState,
  type KnownConnection,
  type Report,
  stateAfter,
} from "../../src/channels/connection-state.ts";
import type { Playback } from "../../src/playback.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

type Kind = Pick<KnownConnection, "delivery" | "pollsEveryMs">;
const POLLED: Kind = { delivery: "polled", pollsEveryMs: 1_000 };
const KINDS: readonly Kind[] = [POLLED, { delivery: "streamed" }, { delivery: "pushed" }];
const LENGTH_MS = 36_000;

type Timed = readonly [atMs: number, positionMs: number | null, changes?: Partial<Playback>];

const report = (atMs: number, positionMs: number | null, changes: Partial<Playback>): Report => ({
  kind: "reported",
  playback:
    positionMs === null
      ? null
      : aPlayback({
          track: { id: "a", title: "A", durationMs: LENGTH_MS, explicit: false },
          positionMs,
          observedAtMs: atMs,
          ...changes,
        }),
});

/** How often the song has begun again after these reports; `null` when nothing plays. */
function repeatsAfter(kind: Kind, reports: readonly Timed[]): number | null {
  let state: ConnectionState = { kind: "waiting", sinceMs: 0, pause: undefined };
  for (const [atMs, positionMs, changes = {}] of reports) {
    state = stateAfter({ ...kind, state }, report(atMs, positionMs, changes), atMs);
  }
  return state.kind === "reported" && state.playback ? (state.playback.repeats ?? 0) : null;
}

describe("a song that begins again after it had come near its end is another play", () => {
  test.each(KINDS)("of a source that is $delivery", (kind) => {
    expect(
      repeatsAfter(kind, [
        [0, 0],
        [36_200, 100],
        [72_400, 0],
        [108_000, 35_600],
      ]),
    ).toBe(2);
  });

  test("polled every second, three times", () => {
    const polls = Array.from({ length: 108 }, (_, second): Timed => [
      second * 1_000,
      (second * 1_000) % LENGTH_MS,
    ]);
    expect(repeatsAfter(POLLED, polls)).toBe(2);
  });

  test("also where nothing played in between, or the connection failed", () => {
    expect(
      repeatsAfter(POLLED, [
        [0, 0],
        [36_000, 36_000],
        [37_000, null],
        [40_000, 0],
      ]),
    ).toBe(1);
    let state: ConnectionState = { kind: "waiting", sinceMs: 0, pause: undefined };
    const after = (next: Report, atMs: number) => {
      state = stateAfter({ ...POLLED, state }, next, atMs);
    };
    after(report(0, 0, {}), 0);
    after(report(36_000, 0, {}), 36_000);
    after({ kind: "failed", retryAfterMs: 1_000 }, 37_000);
    after(report(40_000, 4_000, {}), 40_000);
    expect(state).toMatchObject({ playback: { repeats: 1 } });
  });

  test("from nine seconds before its end, and from a pause there", () => {
    expect(
      repeatsAfter(POLLED, [
        [0, 26_000],
        [1_000, 27_000],
        [2_000, 500],
      ]),
    ).toBe(1);
    const pause = { state: "paused" } as const;
    expect(
      repeatsAfter(POLLED, [
        [0, 30_000, pause],
        [60_000, 30_000, pause],
        [61_000, 0],
      ]),
    ).toBe(1);
  });
});

describe("the same play goes on", () => {
  test("when somebody seeks back, from its end too", () => {
    for (const kind of KINDS) {
      expect(
        repeatsAfter(kind, [
          [0, 20_000],
          [1_000, 0],
        ]),
      ).toBe(0);
      expect(
        repeatsAfter(kind, [
          [0, 0],
          [30_000, 15_000],
        ]),
      ).toBe(0);
    }
    expect(
      repeatsAfter(POLLED, [
        [0, 31_000],
        [1_000, 32_000],
        [2_000, 6_000],
      ]),
    ).toBe(0);
  });

  test("when it was interrupted", () => {
    expect(
      repeatsAfter(POLLED, [
        [0, 0],
        [20_000, 20_000],
        [21_000, null],
        [25_000, 20_000],
      ]),
    ).toBe(0);
  });

  test("when another song follows, which has plays of its own", () => {
    const other = { track: { id: "b", title: "B", durationMs: LENGTH_MS, explicit: false } };
    expect(
      repeatsAfter(POLLED, [
        [0, 0],
        [36_000, 0],
        [72_000, 0, other],
      ]),
    ).toBe(0);
  });

  test("when its end is not known", () => {
    const endless = { track: { id: "a", title: "A", durationMs: null, explicit: false } };
    expect(
      repeatsAfter(POLLED, [
        [0, 0, endless],
        [36_000, 0, endless],
      ]),
    ).toBe(0);
  });

  test("wherever it is sought before its last ten seconds, and however inexact its position", () => {
    const reports = fc.array(
      fc.record({
        afterMs: fc.integer({ min: 1, max: 3_000 }),
        positionMs: fc.integer({ min: 0, max: 150_000 }),
      }),
    );
    const track = { id: "a", title: "A", durationMs: 200_000, explicit: false };
    fc.assert(
      fc.property(reports, fc.constantFrom(...KINDS), (sought, kind) => {
        let atMs = 0;
        const timed = sought.map(({ afterMs, positionMs }): Timed => [
          (atMs += afterMs),
          positionMs,
          { track },
        ]);
        expect(repeatsAfter(kind, [[0, 0, { track }], ...timed])).toBe(0);
      }),
    );
  });
});
