import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type ConnectionState,
  type KnownConnection,
  type Report,
  stateAfter,
} from "../../src/channels/connection-state.ts";
import { reportedBy, merge, nextMergeAt } from "../../src/channels/merge.ts";
import type { Playback } from "../../src/playback.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const TRACK_MS = 60_000;
const INTERVAL_MS = 5_000;
/** When a connection of these tests begins to be watched, and how long a first report may take. */
const START_MS = 0;
const PATIENCE_MS = 2_000;

const waiting: ConnectionState = { kind: "waiting", sinceMs: START_MS, pause: undefined };

type Kind = Pick<KnownConnection, "delivery" | "pollsEveryMs">;
const STREAMED: Kind = { delivery: "streamed" };
const PUSHED: Kind = { delivery: "pushed" };
const POLLED: Kind = { delivery: "polled", pollsEveryMs: INTERVAL_MS };

type Timed = readonly [atMs: number, report: Report];

/** A connection after reports at given times. */
const connection = (
  connectionId: number,
  kind: Kind,
  ...reports: readonly Timed[]
): KnownConnection => ({
  connectionId,
  ...kind,
  state: reports.reduce<ConnectionState>(
    (state, [atMs, report]) => stateAfter({ ...kind, state }, report, atMs),
    waiting,
  ),
});

const received = (playback: Playback | null): Report => ({ kind: "reported", playback });
const plays = (atMs: number, changes: Partial<Playback> = {}): Timed => [
  atMs,
  received(
    aPlayback({
      track: { id: "a", title: "A", durationMs: TRACK_MS, explicit: false },
      positionMs: 0,
      observedAtMs: atMs,
      ...changes,
    }),
  ),
];
const pauses = (atMs: number): Timed => plays(atMs, { state: "paused" });
const says = (atMs: number): Timed => [atMs, received(null)];
const fails = (atMs: number): Timed => [atMs, { kind: "failed", retryAfterMs: 5_000 }];
const refused = (atMs: number): Timed => [atMs, { kind: "unlinked" }];
const silent = (atMs: number): Timed => [atMs, { kind: "silent" }];

/** What is shown while somebody has watched from the start: the connection, or why there is none. */
const shownAt = (
  nowMs: number,
  connections: readonly KnownConnection[],
  watchedSinceMs: number | "unwatched" = START_MS,
) => {
  const reading = merge(connections, {
    nowMs,
    watchedSinceMs: watchedSinceMs === "unwatched" ? undefined : watchedSinceMs,
  });
  return reading?.kind === "playback" ? reading.connectionId : reading?.kind;
};

describe("of several connections is shown", () => {
  test("of those that are paused the one that paused last", () => {
    const one = connection(1, STREAMED, plays(0), pauses(20));
    const other = connection(2, STREAMED, plays(0), pauses(30));
    expect(shownAt(40, [one, other])).toBe(2);
    expect(shownAt(40, [other, one])).toBe(2);
  });

  test("a pause that began before the watching only if no other's beginning is known", () => {
    const unknown = connection(1, STREAMED, pauses(30));
    expect(shownAt(40, [unknown, connection(2, STREAMED, plays(0), pauses(20))])).toBe(2);
    expect(shownAt(40, [unknown, connection(2, STREAMED, pauses(10))])).toBe(1);
  });

  test("a pushed pause by when it was pushed, however long nobody watched", () => {
    const pushed = connection(1, PUSHED, [900, pauses(500)[1]]);
    expect(shownAt(1_000, [pushed, connection(2, STREAMED, plays(0), pauses(400))])).toBe(1);
    expect(shownAt(1_000, [pushed, connection(2, STREAMED, plays(0), pauses(600))])).toBe(2);
  });
});

describe("a playback expires", () => {
  test("fifteen seconds after the end of its track", () => {
    const streamed = connection(1, STREAMED, plays(0, { positionMs: 50_000 }));
    expect(shownAt(10_000 + 15_000 - 1, [streamed])).toBe(1);
    expect(shownAt(10_000 + 15_000, [streamed])).toBe("nothing");
    expect(nextMergeAt([streamed], { nowMs: 0, watchedSinceMs: 0 })).toBe(25_000);
  });

  test("never by itself when its track has no end", () => {
    const radio = { id: "r", title: "R", durationMs: null, explicit: false };
    expect(shownAt(1e9, [connection(1, STREAMED, plays(0, { track: radio }))])).toBe(1);
  });

  test("fifteen seconds after the last report of a player that plays on past the end", () => {
    for (const positionMs of [60_000, 70_000]) {
      const late = connection(1, STREAMED, plays(0), plays(70_000, { positionMs }));
      expect(shownAt(84_999, [late])).toBe(1);
      expect(shownAt(85_000, [late])).toBe("nothing");
    }
  });

  test("not while polls find that it plays on, however long past its end", () => {
    const polls = Array.from({ length: 100 }, (_, at) =>
      plays(at * INTERVAL_MS, { positionMs: Math.min(at * INTERVAL_MS, TRACK_MS) }),
    );
    const looped = connection(1, POLLED, ...polls);
    expect(shownAt(99 * INTERVAL_MS + 14_999, [looped])).toBe(1);
  });

  test("after three intervals of a polled source without an answer", () => {
    const polled = connection(1, POLLED, plays(0), plays(4_000, { positionMs: 4_000 }));
    expect(shownAt(4_000 + 3 * INTERVAL_MS - 1, [polled])).toBe(1);
    expect(shownAt(4_000 + 3 * INTERVAL_MS, [polled])).toBe("nothing");
  });

  test("not so while nobody watches, as the source is polled only when asked", () => {
    const polled = connection(1, POLLED, plays(0));
    expect(shownAt(40_000, [polled], "unwatched")).toBe(1);
    expect(shownAt(40_000, [polled], 39_000)).toBe(1);
    expect(shownAt(54_000, [polled], 39_000)).toBe("nothing");
  });

  test("after thirty minutes of pause", () => {
    const paused = connection(1, STREAMED, plays(0), pauses(1_000));
    expect(shownAt(1_000 + 30 * MINUTE_MS - 1, [paused])).toBe(1);
    expect(shownAt(1_000 + 30 * MINUTE_MS, [paused])).toBe("nothing");
    const sought = plays(20_000, { state: "paused", positionMs: 5_000 });
    const pausedAnew = connection(1, STREAMED, plays(0), pauses(1_000), sought);
    expect(shownAt(1_000 + 30 * MINUTE_MS, [pausedAnew])).toBe(1);
  });

  test("of a program that pushes when its source ends it", () => {
    const pushed = connection(1, PUSHED, plays(0));
    expect(shownAt(TRACK_MS + 60_000, [pushed])).toBe(1);
    expect(shownAt(TRACK_MS, [connection(1, PUSHED, plays(0), says(50))])).toBe("nothing");
  });

  test("and gives way to what another connection plays", () => {
    const ended = connection(1, STREAMED, plays(0));
    expect(shownAt(75_000, [ended, connection(2, STREAMED, pauses(0))])).toBe(2);
  });
});

describe("a connection that fails", () => {
  const playedFirst = connection(1, STREAMED, plays(0), fails(10_000));

  test("is shown for thirty seconds, as if it still played", () => {
    const paused = connection(2, STREAMED, pauses(0));
    expect(shownAt(39_999, [playedFirst, paused])).toBe(1);
    expect(shownAt(40_000, [playedFirst, paused])).toBe(2);
  });

  test("makes the music unavailable only when no other has anything to say", () => {
    expect(shownAt(40_000, [playedFirst])).toBe("unavailable");
    expect(shownAt(40_000, [playedFirst, connection(2, PUSHED, silent(0))])).toBe("unavailable");
    expect(shownAt(40_000, [playedFirst, connection(2, STREAMED, refused(0))])).toBe("unavailable");
    expect(shownAt(40_000, [playedFirst, connection(2, STREAMED, says(0))])).toBe("nothing");
    expect(shownAt(40_000, [playedFirst, connection(2, STREAMED, plays(0))])).toBe(2);
  });

  test("after three unanswered polls is shown only while there is no other", () => {
    const polled = connection(1, POLLED, plays(0), fails(2_000));
    const paused = connection(2, STREAMED, pauses(0));
    expect(shownAt(14_999, [polled, paused])).toBe(1);
    expect(shownAt(15_000, [polled, paused])).toBe(2);
    expect(shownAt(31_999, [polled])).toBe(1);
    expect(shownAt(32_000, [polled])).toBe("unavailable");
  });

  test("does not bring back what had expired before", () => {
    expect(shownAt(16_000, [connection(1, POLLED, plays(0), fails(15_500))])).toBe("nothing");
  });

  test("is tried again first among several that fail", () => {
    const later = connection(2, STREAMED, [0, { kind: "failed", retryAfterMs: 90_000 }]);
    const reading = merge([later, connection(1, STREAMED, fails(0))], {
      nowMs: 1_000,
      watchedSinceMs: 0,
    });
    expect(reading).toEqual({ kind: "unavailable", retryAfterMs: 4_000 });
  });
});

describe("nothing to show", () => {
  test("is unlinked only when all are", () => {
    expect(shownAt(0, [])).toBe("unlinked");
    const unlinked = connection(1, STREAMED, refused(0));
    expect(shownAt(0, [unlinked, connection(2, STREAMED, refused(0))])).toBe("unlinked");
    expect(shownAt(0, [unlinked, connection(2, PUSHED, silent(0))])).toBe("nothing");
    expect(shownAt(0, [unlinked, connection(2, STREAMED, says(0))])).toBe("nothing");
  });

  test("is not said before the others have reported, except when one is slow", () => {
    const slow = connection(1, STREAMED);
    for (const other of [says(0), pauses(0), fails(0)]) {
      const connections = [slow, connection(2, STREAMED, other)];
      expect(shownAt(PATIENCE_MS - 1, connections)).toBeUndefined();
      expect(nextMergeAt(connections, { nowMs: 0, watchedSinceMs: 0 })).toBe(PATIENCE_MS);
      expect(shownAt(PATIENCE_MS, connections)).toBeDefined();
    }
    expect(shownAt(10, [slow, connection(2, STREAMED, plays(0))])).toBe(2);
    expect(shownAt(1e6, [slow])).toBeUndefined();
  });
});

describe("a position that the upstream does not tell", () => {
  const unknown = (atMs: number, id: string): Timed =>
    plays(atMs, {
      track: { id, title: id, durationMs: TRACK_MS, explicit: false },
      positionUnknown: true,
    });
  const playbackOf = (...reports: readonly Timed[]) =>
    reportedBy(connection(1, POLLED, ...reports), { nowMs: 20_000, watchedSinceMs: 0 });

  test("stays unknown while the track goes on that was there first", () => {
    const goesOn = playbackOf(unknown(1_000, "a"), unknown(6_000, "a"));
    const afterFailure = playbackOf(unknown(1_000, "a"), fails(2_000), unknown(6_000, "a"));
    for (const playback of [goesOn, afterFailure]) {
      expect(playback).toMatchObject({ positionUnknown: true, observedAtMs: 1_000 });
    }
  });

  test("is known once another track has begun, and stays so", () => {
    const began = playbackOf(unknown(1_000, "a"), unknown(6_000, "b"), unknown(11_000, "b"));
    expect(began).toMatchObject({ observedAtMs: 6_000, positionMs: 0 });
    expect(began).not.toHaveProperty("positionUnknown");
    expect(playbackOf(says(0), unknown(6_000, "a"))).not.toHaveProperty("positionUnknown");
  });

  test("is not known of a track that began while its source was not watched", () => {
    const afterFailure = playbackOf(unknown(1_000, "a"), fails(2_000), unknown(6_000, "b"));
    const afterGap = playbackOf(unknown(1_000, "a"), unknown(16_001, "b"));
    for (const playback of [afterFailure, afterGap]) {
      expect(playback).toHaveProperty("positionUnknown", true);
    }
  });
});

describe("whatever connections report", () => {
  interface Event {
    readonly kind: "plays" | "pauses" | "says" | "fails" | "refused";
    readonly id: string;
    readonly durationMs: number | null;
  }
  const event: fc.Arbitrary<Event> = fc.record({
    kind: fc.constantFrom("plays", "pauses", "says", "fails", "refused"),
    id: fc.constantFrom("a", "b"),
    durationMs: fc.option(fc.integer({ min: 1_000, max: 10 * MINUTE_MS }), { nil: null }),
  });
  const reportOf = ({ kind, id, durationMs }: Event, atMs: number): Timed => {
    const track = { id, title: id, durationMs, explicit: false };
    if (kind === "plays") return plays(atMs, { track });
    if (kind === "pauses") return plays(atMs, { track, state: "paused" });
    return { says, fails, refused }[kind](atMs);
  };
  const kinds = fc.constantFrom(STREAMED, POLLED, PUSHED);
  interface History {
    readonly kind: Kind;
    readonly events: readonly (readonly [atMs: number, event: Event])[];
  }
  /** Up to four connections, with what they report and when. */
  const histories: fc.Arbitrary<History[]> = fc.array(
    fc.record({
      kind: kinds,
      events: fc
        .array(fc.tuple(fc.integer({ min: 0, max: 40 * MINUTE_MS }), event), { maxLength: 5 })
        .map((unsorted) => unsorted.toSorted(([one], [other]) => one - other)),
    }),
    { minLength: 1, maxLength: 4 },
  );
  /** The connections at a time, in the user's order. */
  const at = (nowMs: number, all: readonly History[]): KnownConnection[] =>
    all.map(({ kind, events }, index) => {
      const past = events.filter(([atMs]) => atMs <= nowMs);
      return connection(index + 1, kind, ...past.map(([atMs, one]) => reportOf(one, atMs)));
    });
  const time = fc.integer({ min: 0, max: 80 * MINUTE_MS });
  const playsAlone = (one: KnownConnection | undefined, nowMs: number): boolean => {
    const reading = one && merge([one], { nowMs, watchedSinceMs: 0 });
    return reading?.kind === "playback" && reading.playback.state === "playing";
  };
  const isOutdated = ({ state }: KnownConnection) => state.kind === "reported" && !!state.failure;

  test("the first of those that play is shown, and never a paused one instead", () => {
    fc.assert(
      fc.property(histories, time, (all, nowMs) => {
        const connections = at(nowMs, all);
        fc.pre(!connections.some(isOutdated));
        const first = connections.find((one) => playsAlone(one, nowMs));
        if (first) expect(shownAt(nowMs, connections)).toBe(first.connectionId);
      }),
    );
  });

  test("the one that is shown stays while it plays unless a higher one begins", () => {
    fc.assert(
      fc.property(histories, time, fc.integer({ min: 1, max: MINUTE_MS }), (all, nowMs, moreMs) => {
        const [before, after] = [at(nowMs, all), at(nowMs + moreMs, all)];
        fc.pre(!after.some(isOutdated) && !before.some(isOutdated));
        const shown = shownAt(nowMs, before);
        const index = before.findIndex(({ connectionId }) => connectionId === shown);
        if (!playsAlone(before[index], nowMs) || !playsAlone(after[index], nowMs + moreMs)) return;
        const higherPlays = after.slice(0, index).some((one) => playsAlone(one, nowMs + moreMs));
        if (!higherPlays) expect(shownAt(nowMs + moreMs, after)).toBe(shown);
      }),
    );
  });

  test("nothing is shown past its end, after its pause or without its connection", () => {
    fc.assert(
      fc.property(histories, time, (all, nowMs) => {
        const connections = at(nowMs, all);
        const reading = merge(connections, { nowMs, watchedSinceMs: 0 });
        if (reading?.kind !== "playback") return;
        const { playback } = reading;
        const shown = connections.find((one) => one.connectionId === reading.connectionId);
        if (shown?.state.kind !== "reported") throw new Error("it never reported that");
        const { track, state, observedAtMs, positionMs } = playback;
        const ageMs = nowMs - observedAtMs;
        if (state === "paused") expect(ageMs).toBeLessThan(30 * MINUTE_MS);
        else if (shown.delivery !== "pushed" && track.durationMs !== null) {
          expect(positionMs + ageMs).toBeLessThan(track.durationMs + 15 * SECOND_MS);
        }
        if (shown.delivery === "polled" && !shown.state.failure) {
          expect(nowMs - shown.state.reportedAtMs).toBeLessThan(3 * INTERVAL_MS);
        }
      }),
    );
  });

  test("it makes no difference which of them is followed first", () => {
    const delay = fc.integer({ min: 0, max: 500 });
    const first = fc.tuple(fc.constantFrom(STREAMED, POLLED), event, delay, delay);
    fc.assert(
      fc.property(fc.array(first, { minLength: 1, maxLength: 4 }), (all) => {
        const shownAfter = (delayOf: (delays: readonly [number, number]) => number) =>
          shownAt(
            600,
            all.map(([kind, what, ...delays], index) =>
              connection(index + 1, kind, reportOf(what, delayOf(delays))),
            ),
          );
        expect(shownAfter(([delayMs]) => delayMs)).toBe(shownAfter(([, delayMs]) => delayMs));
      }),
    );
  });

  test("a pushed one that never spoke changes nothing, unless there is nothing else", () => {
    fc.assert(
      fc.property(histories, time, (all, nowMs) => {
        const connections = at(nowMs, all);
        const alone = shownAt(nowMs, connections);
        const withSilent = shownAt(nowMs, [connection(9, PUSHED, silent(0)), ...connections]);
        expect(withSilent).toBe(alone === "unlinked" ? "nothing" : alone);
      }),
    );
  });

  test("time alone changes what is shown only when it was foretold", () => {
    fc.assert(
      fc.property(
        histories,
        time,
        fc.integer({ min: 0, max: 40 * MINUTE_MS }),
        (all, nowMs, moreMs) => {
          const connections = at(nowMs, all);
          const nextMs = nextMergeAt(connections, { nowMs, watchedSinceMs: 0 }) ?? Infinity;
          if (nowMs + moreMs >= nextMs) return;
          expect(shownAt(nowMs + moreMs, connections)).toBe(shownAt(nowMs, connections));
        },
      ),
    );
  });
});
