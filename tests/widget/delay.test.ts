import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createDelay } from "../../widget/delay.ts";
import type { WidgetState } from "../../widget/state.ts";

const playing = (id: string): WidgetState => ({
  kind: "playing",
  positionMs: 0,
  track: {
    ...{ id, title: id, artist: "", album: "", source: "Test" },
    ...{ art: null, accent: null, durationMs: 200_000 },
  },
});
const IDLE: WidgetState = { kind: "idle" };
const WITHDRAWN: WidgetState = { kind: "idle", isWithdrawn: true };

let delay: ReturnType<typeof createDelay>;
let shown: (string | undefined)[];
beforeEach(() => {
  shown = [];
  delay = createDelay(30, {
    onState: (state) => void shown.push("track" in state ? state.track.id : state.kind),
    onLost: () => void shown.push(undefined),
  });
});
afterEach(() => delay.stop());

describe("an overlay that shows changes later", () => {
  test("lets silence wait as long as a song", () => {
    for (const state of [playing("A"), playing("B"), IDLE]) delay.receive(state);
    expect(shown).toEqual(["A"]);
    expect(delay.waits()).toBe(true);
  });

  test("is empty at once when the user hides what it shows, and shows nothing of what waited", () => {
    for (const state of [playing("A"), playing("B"), IDLE, WITHDRAWN]) delay.receive(state);
    expect(shown).toEqual(["A", "idle"]);
    expect(delay.waits()).toBe(false);
  });

  test("lets what comes after that wait again", () => {
    for (const state of [playing("A"), WITHDRAWN, playing("A")]) delay.receive(state);
    expect(shown).toEqual(["A", "idle"]);
    expect(delay.waits()).toBe(true);
  });
});
