import { expect, test } from "bun:test";
import { NOTHING_HIDDEN } from "../../src/accounts/privacy.ts";
import { type ConnectionState, stateAfter } from "../../src/channels/connection-state.ts";
import { nextChangeAt, type Now, readingAt } from "../../src/channels/reading.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const START_WALL_MS = 1_795_219_200_000;
const at = (nowMs: number): Now => ({
  nowMs,
  wallMs: START_WALL_MS + nowMs,
  watchedSinceMs: 0,
});

test("the reading is nothing while the user pauses sharing, whatever plays", () => {
  const rules = { ...NOTHING_HIDDEN, pausedUntil: START_WALL_MS + 1_000 };
  const waiting: ConnectionState = { kind: "waiting", sinceMs: 0, pause: undefined };
  const playback = aPlayback({ observedAtMs: 0 });
  const state = stateAfter(
    { state: waiting, delivery: "streamed" },
    { kind: "reported", playback },
    0,
  );
  const connections = [{ connectionId: 7, delivery: "streamed", state }] as const;
  const kindAt = (nowMs: number) => readingAt(connections, rules, at(nowMs))?.kind;
  expect(kindAt(999)).toBe("nothing");
  expect(kindAt(1_000)).toBe("playback");
  expect(nextChangeAt(connections, rules, at(0))).toBe(1_000);
});
