import { describe, expect, test } from "bun:test";
import {
  type ConnectionState,
  type Report,
  stateAfter,
} from "../../src/channels/connection-state.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

type Timed = readonly [atMs: number, lengthMs: number, title?: string];

/** The lengths that are shown after each of these reports of what plays. */
function lengthsAfter(reports: readonly Timed[]): (number | null)[] {
  let state: ConnectionState = { kind: "waiting", sinceMs: 0, pause: undefined };
  return reports.map(([atMs, durationMs, title = "A"]) => {
    const track = { id: title, title, durationMs, explicit: false };
    const playback = aPlayback({ track, positionMs: 0, observedAtMs: atMs });
    const report: Report = { kind: "reported", playback };
    state = stateAfter({ delivery: "streamed", state }, report, atMs);
    return state.kind === "reported" ? (state.playback?.track.durationMs ?? null) : null;
  });
}

describe("a length that grows as fast as time passes is none", () => {
  // As a real mpv reports those of a real Icecast.
  const radio: readonly Timed[] = [
    [0, 8_281],
    [701, 9_169],
    [1_664, 10_083],
    [2_682, 11_102],
    [3_699, 12_121],
  ];

  test("from its third report on", () => {
    expect(lengthsAfter(radio)).toEqual([8_281, 9_169, 10_083, null, null]);
  });

  test("in whole seconds, as pages report it that are asked four times a second", () => {
    const page = Array.from({ length: 17 }, (_, quarter): Timed => [
      quarter * 250,
      3_600_000 + Math.floor(quarter / 4) * 1_000,
    ]);
    expect(lengthsAfter(page).at(-1)).toBeNull();
  });

  test("while nothing of it arrives, and in the next song of the same broadcast", () => {
    const later: readonly Timed[] = [
      [4_700, 12_121],
      [60_000, 12_121],
      [61_000, 13_100],
      [61_300, 13_400, "B"],
      [62_400, 14_500, "B"],
    ];
    expect(lengthsAfter([...radio, ...later]).slice(-5)).toEqual([null, null, null, null, null]);
  });

  test("in a song whose title comes before anything more of the broadcast", () => {
    const later: readonly Timed[] = [
      [3_899, 12_121, "B"],
      [4_899, 13_121, "B"],
    ];
    expect(lengthsAfter([...radio, ...later]).slice(-2)).toEqual([null, null]);
  });

  test("but not that of a song behind the broadcast", () => {
    const songs: readonly Timed[] = [
      [4_700, 200_000, "B"],
      [5_700, 200_000, "B"],
    ];
    expect(lengthsAfter([...radio, ...songs]).slice(-2)).toEqual([200_000, 200_000]);
  });
});

test.each<[what: string, reports: readonly Timed[]]>([
  ["that stays", [1, 2, 3, 4, 5].map((second) => [second * 1_000, 200_000])],
  [
    "that is corrected once",
    [
      [0, 200_000],
      [1_000, 201_000],
      [2_000, 201_000],
      [3_000, 201_000],
    ],
  ],
  [
    "that is estimated better and better",
    [
      [0, 180_000],
      [1_000, 190_000],
      [2_000, 195_000],
      [3_000, 195_100],
      [4_000, 195_200],
    ],
  ],
  [
    "of songs that are each longer than the one before",
    [
      [0, 100_000, "A"],
      [100_000, 200_000, "B"],
      [300_000, 400_000, "C"],
      [700_000, 800_000, "D"],
    ],
  ],
])("a length %s is one", (_, reports) => {
  expect(lengthsAfter(reports)).toEqual(reports.map(([, lengthMs]) => lengthMs));
});
