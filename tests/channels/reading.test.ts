import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NOTHING_HIDDEN, type PrivacyRules } from "../../src/accounts/privacy.ts";
import {
  type ConnectionState,
  type Report,
  stateAfter,
} from "../../src/channels/connection-state.ts";
import { nextChangeAt, type Now, readingAt } from "../../src/channels/reading.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const START_WALL_MS = 1_795_219_200_000;
const at = (nowMs: number): Now => ({
  nowMs,
  wallMs: START_WALL_MS + nowMs,
  watchedSinceMs: 0,
});
const MINUTE_MS = 60_000;

const received = (state: "playing" | "paused"): Report => ({
  kind: "reported",
  playback: aPlayback({ state, observedAtMs: 0 }),
});
const FAILED: Report = { kind: "failed", retryAfterMs: 5_000 };

const NOTHING_KNOWN: ConnectionState = { kind: "waiting", sinceMs: 0, pause: undefined };

/** The state after reports at given times. */
const after = (...reports: readonly (readonly [atMs: number, report: Report])[]): ConnectionState =>
  reports.reduce<ConnectionState>(
    (state, [atMs, report]) => stateAfter({ state, delivery: "streamed" }, report, atMs),
    NOTHING_KNOWN,
  );

/** A user's only connection in a state. */
const only = (state: ConnectionState) =>
  [{ connectionId: 7, delivery: "streamed", state }] as const;

const kindAt = (state: ConnectionState, nowMs: number, rules: PrivacyRules = NOTHING_HIDDEN) =>
  readingAt(only(state), rules, at(nowMs))?.kind;

describe("the reading", () => {
  test("is nothing while the user pauses sharing, whatever plays", () => {
    const rules = { ...NOTHING_HIDDEN, pausedUntil: START_WALL_MS + 1_000 };
    const state = after([0, received("playing")]);
    expect(kindAt(state, 999, rules)).toBe("nothing");
    expect(kindAt(state, 1_000, rules)).toBe("playback");
    expect(nextChangeAt(only(state), rules, at(0))).toBe(1_000);
  });
});

describe("time alone", () => {
  const report = fc.oneof(
    fc.constantFrom<Report>(received("playing"), received("paused"), FAILED, { kind: "unlinked" }),
    fc.constant<Report>({ kind: "reported", playback: null }),
  );
  const reports = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 * MINUTE_MS }), report), {
    maxLength: 8,
  });

  test("changes the kind of a reading only when it was foretold", () => {
    fc.assert(
      fc.property(
        reports,
        fc.option(fc.integer({ min: 0, max: 2 * 60 * MINUTE_MS }), { nil: null }),
        fc.integer({ min: 0, max: 90 * MINUTE_MS }),
        (unsorted, pauseMs, laterMs) => {
          const sorted = unsorted.toSorted(([one], [other]) => one - other);
          const state = after(...sorted);
          const nowMs = sorted.at(-1)?.[0] ?? 0;
          const pausedUntil = pauseMs === null ? null : START_WALL_MS + pauseMs;
          const rules = { ...NOTHING_HIDDEN, pausedUntil };
          const changeAtMs =
            nextChangeAt(only(state), rules, at(nowMs)) ?? Number.POSITIVE_INFINITY;
          if (nowMs + laterMs >= changeAtMs) return;
          expect(kindAt(state, nowMs + laterMs, rules)).toBe(kindAt(state, nowMs, rules));
        },
      ),
    );
  });
});
