import { expect, test } from "bun:test";
import {
  type ConnectionState,
  type Report,
  stateAfter,
  stateBeforeReports,
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
/** An advertisement, or what the source fails with. */
type Between = readonly [atMs: number, what: "nothing" | "failure"];

function reportOf(timed: Timed | Between): Report {
  const [atMs, what, title = "", durationMs = null, changes = {}] = timed;
  if (what === "failure") return { kind: "failed", retryAfterMs: 1_000 };
  if (what === "nothing") return { kind: "reported", playback: null };
  const track = { id: title, title, durationMs, explicit: false };
  const playback = aPlayback({ track, positionMs: what, observedAtMs: atMs, ...changes });
  return { kind: "reported", playback };
}

/** The positions that are shown right after each of these reports. */
function positionsAfter(reports: readonly (Timed | Between)[]): (number | string | undefined)[] {
  let state: ConnectionState = { kind: "waiting", sinceMs: 0, pause: undefined };
  return reports.map((timed) => {
    const [atMs] = timed;
    state = stateAfter({ delivery: "streamed", state }, reportOf(timed), atMs);
    if (state.kind !== "reported" || !state.playback) return undefined;
    const { positionMs, observedAtMs, positionUnknown } = state.playback;
    return positionUnknown ? "unknown" : positionMs + atMs - observedAtMs;
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

test("also after an advertisement, and after a stream that stalled", () => {
  const reports: readonly (Timed | Between)[] = [
    [0, 60_000, "A"],
    [30_000, "nothing"],
    [60_000, 120_000, "B"],
    [70_000, 126_500, "C"],
    [71_000, 127_500, "C"],
  ];
  expect(positionsAfter(reports)).toEqual([60_000, undefined, 0, 0, 1_000]);
});

test("a song that began while nobody watched has an unknown position, and the next one a known one", () => {
  const reports: readonly (Timed | Between)[] = [
    [0, 60_000, "A"],
    [1_000, "failure"],
    [600_000, 660_000, "B"],
    [601_000, 661_000, "B"],
    [602_000, 662_000, "C"],
    [603_000, 663_000, "C"],
  ];
  expect(positionsAfter(reports).slice(2)).toEqual(["unknown", "unknown", 0, 1_000]);
});

test("a song keeps its beginning while nobody watches", () => {
  let state: ConnectionState = { kind: "waiting", sinceMs: 0, pause: undefined };
  const take = (...timed: Timed) => {
    state = stateAfter({ delivery: "streamed", state }, reportOf(timed), timed[0]);
  };
  take(0, 60_000, "A");
  take(1_000, 61_000, "B");
  state = stateBeforeReports(state, 61_000);
  take(90_000, 150_000, "B");
  expect(state).toMatchObject({ playback: { positionMs: 89_000 } });
});

test("a seek back to before a song of a stream lets its position count on", () => {
  const reports: readonly Timed[] = [
    [0, 160_000, "A"],
    [1_000, 161_000, "B"],
    [2_000, 150_000, "B"],
  ];
  expect(positionsAfter(reports).at(-1)).toBe(1_000);
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
  [
    "of unknown length, begun since the last report",
    [
      [0, 200, "A"],
      [1_500, 1_200, "B"],
      [2_500, 2_200, "B"],
    ],
    [200, 1_200, 2_200],
  ],
])("a song %s keeps the position that is reported", (_, reports, wanted) => {
  expect(positionsAfter(reports)).toEqual([...wanted]);
});
