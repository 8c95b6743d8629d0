import { expect, test } from "bun:test";
import {
  type ConnectionState,
  type Report,
  stateAfter,
} from "../../src/channels/connection-state.ts";
import type { Playback } from "../../src/playback.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

type Timed = readonly [
  atMs: number,
  positionMs: number,
  title: string,
  durationMs?: number | null,
  changes?: Partial<Playback>,
];

/** The positions that are shown right after each of these reports. */
function positionsAfter(reports: readonly Timed[]): (number | undefined)[] {
  let state: ConnectionState = { kind: "waiting", sinceMs: 0, pause: undefined };
  return reports.map(([atMs, positionMs, title, durationMs = null, changes = {}]) => {
    const track = { id: title, title, durationMs, explicit: false };
    const playback = aPlayback({ track, positionMs, observedAtMs: atMs, ...changes });
    const report: Report = { kind: "reported", playback };
    state = stateAfter({ delivery: "streamed", state }, report, atMs);
    if (state.kind !== "reported" || !state.playback) return undefined;
    return state.playback.positionMs + atMs - state.playback.observedAtMs;
  });
}

test("each song of a stream begins at its beginning, as VLC counts from when it tuned in", () => {
  const reports: readonly Timed[] = [
    [0, 60_000, "A"],
    [1_000, 61_000, "A"],
    [2_000, 61_400, "B"],
    [3_000, 62_900, "B"],
    [10_000, 70_000, "B"],
    [11_000, 71_000, "C"],
    [12_000, 72_000, "C"],
  ];
  expect(positionsAfter(reports)).toEqual([60_000, 61_000, 0, 1_000, 8_600, 0, 1_000]);
});

test("also after a pause between two songs", () => {
  const paused = { state: "paused" } as const;
  const reports: readonly Timed[] = [
    [0, 60_000, "A"],
    [1_000, 61_000, "A", null, paused],
    [600_000, 61_500, "B"],
    [601_000, 62_500, "B"],
  ];
  expect(positionsAfter(reports).slice(-2)).toEqual([0, 1_000]);
});

test("a stream that is begun anew within a song begins with it", () => {
  const reports: readonly Timed[] = [
    [0, 60_000, "A"],
    [1_000, 61_000, "B"],
    [9_000, 0, "B"],
    [10_000, 1_000, "B"],
  ];
  expect(positionsAfter(reports)).toEqual([60_000, 0, 0, 1_000]);
});

test.each<[what: string, reports: readonly Timed[], wanted: readonly number[]]>([
  [
    "that has a length",
    [
      [0, 60_000, "A", 200_000],
      [1_000, 61_000, "B", 200_000],
    ],
    [60_000, 61_000],
  ],
  [
    "of unknown length, with its own position",
    [
      [0, 60_000, "A"],
      [1_000, 500, "B"],
      [2_000, 1_500, "B"],
    ],
    [60_000, 500, 1_500],
  ],
  [
    "of unknown length, in the middle",
    [
      [0, 60_000, "A"],
      [1_000, 90_000, "B"],
    ],
    [60_000, 90_000],
  ],
])("a song %s keeps the position that is reported", (_, reports, wanted) => {
  expect(positionsAfter(reports)).toEqual([...wanted]);
});
