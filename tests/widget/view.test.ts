import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { languages } from "../../src/i18n/index.ts";
import { positionAt } from "../../src/playback.ts";
import { parseWidgetOptions } from "../../widget/options.ts";
import type { WidgetState } from "../../widget/state.ts";
import {
  cardTexts,
  clockText,
  positionAfter,
  progressShare,
  shownForMs,
} from "../../widget/view.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

type WithTrack = Extract<WidgetState, { kind: "playing" | "paused" }> & { positionMs: number };

const track: WithTrack["track"] = {
  id: "1",
  title: "Paper Lanterns",
  artist: "Juniper Vale",
  album: "Slow Weather",
  art: null,
  accent: null,
  durationMs: 200_000,
  source: "Spotify",
};
const TEN_HOURS_MS = 36_000_000;

const anyTrackState = fc
  .record({
    kind: fc.constantFrom("playing", "paused"),
    durationMs: fc.option(fc.integer({ min: 1, max: TEN_HOURS_MS })),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    rate: fc.constantFrom(undefined, 0.5, 2),
  })
  .map(({ kind, durationMs, share, rate }): WithTrack => ({
    kind,
    track: { ...track, durationMs },
    positionMs: Math.round((durationMs ?? TEN_HOURS_MS) * share),
    ...(rate && { rate }),
  }));
const elapsed = fc.integer({ min: 0, max: TEN_HOURS_MS });

/** The position of a state that has one. */
function knownPosition(state: WithTrack, elapsedMs: number): number {
  const positionMs = positionAfter(state, elapsedMs);
  if (positionMs === null) throw new Error("a position was lost");
  return positionMs;
}

describe("clockText", () => {
  test.each([
    [0, "0:00"],
    [999, "0:00"],
    [1_000, "0:01"],
    [59_999, "0:59"],
    [60_000, "1:00"],
    [754_000, "12:34"],
    [3_599_999, "59:59"],
    [3_600_000, "1:00:00"],
    [36_061_000, "10:01:01"],
  ])("writes %d ms as %s", (milliseconds, text) => {
    expect(clockText(milliseconds)).toBe(text);
  });

  test("reads back as the whole seconds that have passed", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (milliseconds) => {
        const text = clockText(milliseconds);
        expect(text).toMatch(/^(\d+:[0-5]\d|\d|[1-5]\d):[0-5]\d$/);
        const seconds = text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
        expect(seconds).toBe(Math.floor(milliseconds / 1000));
      }),
    );
  });
});

describe("positionAfter", () => {
  test("stays within the track", () => {
    fc.assert(
      fc.property(
        anyTrackState,
        fc.integer({ min: -TEN_HOURS_MS, max: TEN_HOURS_MS }),
        (state, ms) => {
          const positionMs = knownPosition(state, ms);
          expect(positionMs).toBeGreaterThanOrEqual(0);
          expect(positionMs).toBeLessThanOrEqual(state.track.durationMs ?? Number.MAX_SAFE_INTEGER);
        },
      ),
    );
  });

  test("is the same whether time passes at once or in two parts", () => {
    fc.assert(
      fc.property(anyTrackState, elapsed, elapsed, (state, first, second) => {
        const between = { ...state, positionMs: knownPosition(state, first) };
        expect(knownPosition(between, second)).toBe(knownPosition(state, first + second));
      }),
    );
  });

  test("never goes back as time passes, and goes on only while playing", () => {
    fc.assert(
      fc.property(anyTrackState, elapsed, elapsed, (state, first, more) => {
        const [before, after] = [knownPosition(state, first), knownPosition(state, first + more)];
        expect(after).toBeGreaterThanOrEqual(before);
        if (state.kind === "paused") expect(after).toBe(state.positionMs);
      }),
    );
  });

  test("is what the server works out for the same moment", () => {
    fc.assert(
      fc.property(anyTrackState, elapsed, (state, ms) => {
        const playback = aPlayback({
          state: state.kind,
          positionMs: state.positionMs,
          rate: state.rate ?? 1,
          observedAtMs: 0,
          track: { ...aPlayback().track, durationMs: state.track.durationMs },
        });
        expect(knownPosition(state, ms)).toBe(positionAt(playback, ms));
      }),
    );
  });

  test("is not known without a track, or when the server does not know it", () => {
    expect(positionAfter({ kind: "idle" }, 1_000)).toBeNull();
    expect(positionAfter({ kind: "offline" }, 1_000)).toBeNull();
    expect(positionAfter({ kind: "playing", track, positionMs: null }, 1_000)).toBeNull();
  });
});

describe("progressShare", () => {
  test("is the share of the track that has passed, 0 to 1", () => {
    fc.assert(
      fc.property(anyTrackState, elapsed, (state, ms) => {
        const positionMs = knownPosition(state, ms);
        const share = progressShare(state, positionMs);
        const { durationMs } = state.track;
        if (durationMs === null) expect(share).toBeNull();
        else {
          expect(share).toBeWithin(0, 1 + Number.EPSILON);
          expect((share ?? 0) * durationMs).toBeCloseTo(positionMs, 3);
        }
      }),
    );
  });

  test("is not known without a track, its length or a position", () => {
    expect(progressShare({ kind: "idle" }, 0)).toBeNull();
    expect(progressShare({ kind: "playing", track, positionMs: null }, null)).toBeNull();
    const state: WidgetState = {
      kind: "playing",
      positionMs: 0,
      track: { ...track, durationMs: 0 },
    };
    expect(progressShare(state, 0)).toBeNull();
  });
});

describe("cardTexts", () => {
  const words = languages.en.widget;
  const textsOf = (state: WidgetState, query = "") =>
    cardTexts(state, parseWidgetOptions(new URLSearchParams(query)).options, words);

  test("say what plays, and by which service if that is asked for", () => {
    const playing: WidgetState = { kind: "playing", positionMs: 0, track };
    expect(textsOf(playing).label).toBe("Now playing");
    expect(textsOf(playing, "album=1&source=1")).toEqual({
      label: "Now playing · Spotify",
      title: "Paper Lanterns",
      artist: "Juniper Vale",
      album: "Slow Weather",
      announcement: "Now playing: Paper Lanterns by Juniper Vale",
    });
  });

  test("name no artist where there is none", () => {
    const state: WidgetState = { kind: "paused", positionMs: 0, track: { ...track, artist: "" } };
    expect(textsOf(state).announcement).toBe("Paused: Paper Lanterns");
  });

  test("say the streamer's own words while nothing plays", () => {
    expect(textsOf({ kind: "idle" }).title).toBe("Nothing playing");
    expect(textsOf({ kind: "idle" }, "idleText=Back soon").title).toBe("Back soon");
  });
});

describe("the time for which the card is shown", () => {
  const shownFor = (state: WidgetState, query: string) =>
    shownForMs(state, parseWidgetOptions(new URLSearchParams(query)).options);
  const playing: WidgetState = { kind: "playing", track, positionMs: 0 };

  test.each<[query: string, state: WidgetState, ms: number]>([
    ["", { kind: "idle" }, 5_000],
    ["hideDelay=60000", { kind: "idle" }, 60_000],
    ["hideDelay=60000", { kind: "idle", isWithdrawn: true }, 0],
    ["hideDelay=60000&idle=text", { kind: "idle", isWithdrawn: true }, Infinity],
    ["hideDelay=60000&paused=hide", { ...playing, kind: "paused" }, 60_000],
    ["", playing, Infinity],
    ["show=8", playing, 8_000],
  ])("with %j in %o is %d ms", (query, state, ms) => {
    expect(shownFor(state, query)).toBe(ms);
  });
});
