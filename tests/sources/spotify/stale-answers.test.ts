import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Playback } from "../../../src/playback.ts";
import { isStale } from "../../../src/sources/kinds/spotify/stale-answers.ts";
import {
  afterPoll,
  findingOf,
  newPollState,
  USUAL_PACE,
} from "../../../src/sources/polling/cadence.ts";
import { aPlayback } from "../../fixtures/sources/playback.ts";

/** Hears answers one after the other and keeps what they were taken for. */
function listener() {
  let state = newPollState(0);
  return {
    plays(received: Playback | null, atMs: number) {
      const finding = findingOf(state, received, atMs, isStale);
      const result = { playback: received, finding, askedAtMs: atMs, nowMs: atMs };
      state = afterPoll(state, result, USUAL_PACE);
      return finding;
    },
    believes: () => state.playback,
  };
}

const song = (id: string, atMs: number, changes: Partial<Playback> = {}): Playback =>
  aPlayback({
    track: { id, title: id, durationMs: 200_000, explicit: false },
    positionMs: 10_000,
    observedAtMs: atMs,
    ...changes,
  });

describe("the first answer", () => {
  test("is believed, be it music or silence", () => {
    expect(listener().plays(song("a", 0), 0)).toBe("changed");
    expect(listener().plays(null, 0)).not.toBe("suspect");
  });
});

describe("an answer that goes on as expected", () => {
  test("is the same listening", () => {
    const { plays } = listener();
    plays(song("a", 0), 0);
    expect(plays(song("a", 5_000, { positionMs: 15_000 }), 5_000)).toBe("same");
    expect(plays(song("a", 9_000, { positionMs: 20_000 }), 9_000)).toBe("same");
  });

  test("of a pause is the same pause", () => {
    const { plays } = listener();
    plays(song("a", 0, { state: "paused" }), 0);
    expect(plays(song("a", 60_000, { state: "paused" }), 60_000)).toBe("same");
  });

  test("of silence is the same silence", () => {
    const { plays } = listener();
    plays(null, 0);
    expect(plays(null, 5_000)).toBe("same");
  });
});

describe("a change", () => {
  const changes: Record<string, Playback | null> = {
    "to another track": song("b", 5_000, { positionMs: 0 }),
    "to a pause": song("a", 5_000, { state: "paused", positionMs: 14_000 }),
    "of the position by a seek": song("a", 5_000, { positionMs: 90_000 }),
    "to silence": null,
  };
  for (const [which, next] of Object.entries(changes)) {
    test(`${which} is believed at once`, () => {
      const { plays, believes } = listener();
      plays(song("a", -60_000), -60_000);
      plays(song("a", 0, { positionMs: 70_000 }), 0);
      expect(plays(next, 5_000)).toBe("changed");
      expect(believes()).toBe(next);
    });
  }
});

describe("a stale answer", () => {
  test("of the track before a skip is not believed", () => {
    const { plays, believes } = listener();
    plays(song("a", 0), 0);
    const next = song("b", 5_000, { positionMs: 0 });
    plays(next, 5_000);
    expect(plays(song("a", 7_000, { positionMs: 17_000 }), 7_000)).toBe("suspect");
    expect(believes()).toBe(next);
  });

  test("that repeats the state before word for word is not believed", () => {
    const { plays } = listener();
    plays(song("a", 0), 0);
    plays(song("b", 5_000, { positionMs: 0 }), 5_000);
    expect(plays(song("a", 7_000, { positionMs: 10_000 }), 7_000)).toBe("suspect");
  });

  test("of music before a pause, and of silence before music, is not believed", () => {
    const pausing = listener();
    pausing.plays(song("a", 0), 0);
    pausing.plays(song("a", 5_000, { state: "paused", positionMs: 15_000 }), 5_000);
    expect(pausing.plays(song("a", 7_000, { positionMs: 17_000 }), 7_000)).toBe("suspect");

    const beginning = listener();
    beginning.plays(null, 0);
    beginning.plays(song("a", 60_000), 60_000);
    expect(beginning.plays(null, 62_000)).toBe("suspect");
  });

  test("that comes twice was none", () => {
    const { plays, believes } = listener();
    plays(song("a", 0), 0);
    plays(song("b", 5_000, { positionMs: 0 }), 5_000);
    expect(plays(song("a", 7_000, { positionMs: 17_000 }), 7_000)).toBe("suspect");
    const again = song("a", 8_200, { positionMs: 18_200 });
    expect(plays(again, 8_200)).toBe("changed");
    expect(believes()).toBe(again);
  });

  test("that is followed by the truth has changed nothing", () => {
    const { plays } = listener();
    plays(song("a", 0), 0);
    plays(song("b", 5_000, { positionMs: 0 }), 5_000);
    plays(song("a", 7_000, { positionMs: 17_000 }), 7_000);
    expect(plays(song("b", 8_200, { positionMs: 3_200 }), 8_200)).toBe("same");
  });

  test("does not come twelve seconds after the change: then somebody went back", () => {
    const { plays } = listener();
    plays(song("a", 0), 0);
    plays(song("b", 5_000, { positionMs: 0 }), 5_000);
    plays(song("b", 16_000, { positionMs: 11_000 }), 16_000);
    expect(plays(song("a", 17_000, { positionMs: 27_000 }), 17_000)).toBe("changed");
  });

  test("is no track that began anew from its start", () => {
    const { plays } = listener();
    plays(song("a", 0, { positionMs: 60_000 }), 0);
    plays(song("b", 5_000, { positionMs: 0 }), 5_000);
    expect(plays(song("a", 7_000, { positionMs: 0 }), 7_000)).toBe("changed");
  });
});

describe("whatever is answered", () => {
  const answers = fc.array(
    fc.record({
      gapMs: fc.integer({ min: 100, max: 20_000 }),
      received: fc.option(
        fc.record({
          id: fc.constantFrom("a", "b"),
          state: fc.constantFrom("playing" as const, "paused" as const),
          positionMs: fc.integer({ min: 0, max: 200_000 }),
        }),
      ),
    }),
    { maxLength: 40 },
  );

  /** The answers with their times and what each was taken for. */
  function judged(given: typeof answers extends fc.Arbitrary<infer Answers> ? Answers : never) {
    const { plays, believes } = listener();
    let nowMs = 0;
    return given.map(({ gapMs, received }) => {
      nowMs += gapMs;
      const playback =
        received &&
        song(received.id, nowMs, { state: received.state, positionMs: received.positionMs });
      const before = believes();
      const kind = plays(playback, nowMs);
      return { kind, playback, before, after: believes() };
    });
  }

  test("is suspect at most once before it is believed", () => {
    fc.assert(
      fc.property(answers, (given) => {
        const kinds = judged(given).map(({ kind }) => kind);
        for (const [index, kind] of kinds.entries()) {
          if (kind === "suspect") expect(kinds[index + 1]).not.toBe("suspect");
        }
      }),
    );
  });

  test("is what is believed, unless it was suspect, which leaves the belief as it was", () => {
    fc.assert(
      fc.property(answers, (given) => {
        for (const { kind, playback, before, after } of judged(given)) {
          expect(after).toBe(kind === "suspect" ? before : playback);
        }
      }),
    );
  });
});
