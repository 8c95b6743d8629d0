import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { NOTHING_HIDDEN } from "../../src/accounts/privacy.ts";
import type { Reading } from "../../src/channels/reading.ts";
import type { WatchedConnection } from "../../src/channels/watcher.ts";
import type { Hub } from "../../src/channels/hub.ts";
import { nextTurn } from "../../src/next-turn.ts";
import { SourceFailure } from "../../src/sources/source.ts";
import { FIRST_SIGHT } from "../../src/playback.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createScriptedSource, type ScriptedSource } from "../fixtures/sources/scripted-source.ts";
import { createTestHub } from "../fixtures/sources/test-hub.ts";

const ADA = 1;

let clock: FakeClock;
let source: ScriptedSource;
let connection: WatchedConnection | undefined;
let logged: string[];
let hub: Hub;

beforeEach(() => {
  clock = createFakeClock();
  source = createScriptedSource(7);
  connection = source.listening;
  logged = [];
  hub = createTestHub({ clock, connectionsOf: () => (connection ? [connection] : []) }, logged);
});
afterEach(() => hub.stop());

/** A listener that keeps all it was told. */
function listen(): { readings: Reading[]; leave: () => void } {
  const readings: Reading[] = [];
  const leave = hub.subscribe(ADA, (reading) => readings.push(reading));
  return { readings, leave };
}

const titles = (readings: readonly Reading[]) =>
  readings.map((reading) =>
    reading.kind === "playback" ? reading.playback.track.title : reading.kind,
  );

const song = (title: string) =>
  aPlayback({
    track: { id: title, title, durationMs: 100_000, explicit: false },
    observedAtMs: clock.monotonicMs(),
  });

test("what cannot be worked out is logged, and the next song is shown", async () => {
  let isBroken = false;
  hub = createTestHub(
    {
      clock,
      connectionsOf: () => [source.listening],
      privacyOf() {
        if (isBroken) throw new Error("no such rule");
        return NOTHING_HIDDEN;
      },
    },
    logged,
  );
  const { readings } = listen();
  await source.says(song("A"));
  isBroken = true;
  await source.says(song("B"));
  isBroken = false;
  await source.says(song("C"));
  expect(titles(readings)).toEqual(["A", "C"]);
  expect(logged.join()).toContain("no such rule");
});

describe("the current reading that others keep", () => {
  test("is what a user's music is, until something happens or the rules change", async () => {
    let rules = NOTHING_HIDDEN;
    hub = createTestHub(
      { clock, connectionsOf: () => [source.listening], privacyOf: () => rules },
      logged,
    );
    const current = hub.currentOf(ADA);
    const now = () => current.at(clock.monotonicMs());
    expect(now()).toBe(undefined);
    void hub.read(ADA, 1_000);
    await source.says(song("A"));
    expect(hub.peek(ADA)).toBe(now());
    expect(titles([now() ?? { kind: "nothing" }])).toEqual(["A"]);
    await source.says(song("B"));
    expect(now()).toBe(undefined);
    expect(titles([hub.peek(ADA) ?? { kind: "nothing" }])).toEqual(["B"]);
    rules = { ...NOTHING_HIDDEN, hiddenTitles: ["B"] };
    hub.notify(ADA);
    expect(now()).toBe(undefined);
    expect(hub.peek(ADA)).toEqual({ kind: "nothing", hides: "song" });
    expect(hub.currentOf(ADA)).toBe(current);
  });

  test("keeps the channel running while it is used", async () => {
    const current = hub.currentOf(ADA);
    void hub.read(ADA, 1_000);
    await source.says(song("A"));
    hub.peek(ADA);
    for (let second = 0; second < 90; second += 30) {
      await clock.advance(30_000);
      expect(current.at(clock.monotonicMs())).toBeDefined();
    }
    expect(hub.running()).toBe(1);
    await clock.advance(90_000);
    expect(hub.running()).toBe(0);
    expect(current.at(clock.monotonicMs())).toBe(undefined);
  });
});

describe("one channel a user", () => {
  test("listens to the source once, however many look", async () => {
    const listeners = [listen(), listen(), listen()];
    void hub.read(ADA, 1_000);
    await source.says(song("A"));
    expect(source.starts()).toBe(1);
    for (const { readings } of listeners) expect(titles(readings)).toEqual(["A"]);
  });

  test("tells a late listener at once what is playing, then what changes", async () => {
    listen();
    await source.says(song("A"));
    const late = listen();
    expect(titles(late.readings)).toEqual(["A"]);
    await source.says(song("B"));
    expect(titles(late.readings)).toEqual(["A", "B"]);
  });

  test("tells the same thing only once", async () => {
    const { readings } = listen();
    await source.says(song("A"));
    await clock.advance(5_000);
    const expected = aPlayback({ ...song("A"), positionMs: 15_000 });
    await source.says(expected);
    await source.says(null);
    await source.says(null);
    expect(titles(readings)).toEqual(["A", "nothing"]);
  });

  test("tells nothing that is out of bounds", async () => {
    const { readings } = listen();
    await source.says(song("A".repeat(2_000)));
    expect(titles(readings)).toEqual(["A".repeat(1_000)]);
  });

  test("says nothing more to who has left", async () => {
    const { readings, leave } = listen();
    leave();
    await source.says(song("A"));
    expect(readings).toEqual([]);
  });
});

describe("a channel lives", () => {
  test("from the first look until a minute after the last", async () => {
    expect(source.listeners()).toBe(0);
    const { leave } = listen();
    await settle();
    expect(source.listeners()).toBe(1);
    await clock.advance(10 * 60_000);
    expect(source.listeners()).toBe(1);
    leave();
    await clock.advance(59_000);
    expect(source.listeners()).toBe(1);
    await clock.advance(61_000);
    expect(source.listeners()).toBe(0);
    expect(hub.running()).toBe(0);
  });

  test("on while it is read again and again", async () => {
    await source.says(song("A"));
    for (let minute = 0; minute < 10; minute++) {
      await hub.read(ADA, 1_000);
      await clock.advance(50_000);
    }
    expect(source.starts()).toBe(1);
    await clock.advance(70_000);
    expect(source.listeners()).toBe(0);
  });

  test("anew when somebody looks again", async () => {
    await source.says(song("A"));
    await hub.read(ADA, 1_000);
    await clock.advance(120_000);
    await source.says(song("B"));
    expect(titles([await hub.read(ADA, 1_000)])).toEqual(["B"]);
    expect(source.starts()).toBe(2);
  });

  test("with the new connection when the user connects another source", async () => {
    const { readings } = listen();
    await source.says(song("A"));
    const other = createScriptedSource(8);
    connection = other.listening;
    await hub.followConnections();
    await other.says(song("B"));
    expect(titles(readings)).toEqual(["A", "B"]);
    expect(source.listeners()).toBe(0);
  });

  test("undisturbed when somebody else's connection changes", async () => {
    listen();
    await source.says(song("A"));
    await hub.followConnections();
    expect(source.starts()).toBe(1);
  });
});

test("the connections of all users are looked at with others answered in between", async () => {
  const users = [1, 2, 3];
  const looked: number[] = [];
  const connectionsOf = (userId: number) => {
    looked.push(userId);
    return [];
  };
  hub = createTestHub({ clock, connectionsOf }, logged);
  for (const userId of users) hub.subscribe(userId, () => {});
  looked.length = 0;
  const followed = hub.followConnections();
  await nextTurn();
  expect(looked).toHaveLength(1);
  await followed;
  expect(looked).toEqual(users);
});

describe("reading a cold channel", () => {
  test("waits for the first word", async () => {
    const reading = hub.read(ADA, 1_000);
    await settle();
    await source.says(song("A"));
    expect(titles([await reading])).toEqual(["A"]);
  });

  test("gives up after the time it was given", async () => {
    const reading = hub.read(ADA, 1_000);
    await clock.advance(1_000);
    expect((await reading).kind).toBe("unavailable");
  });

  test("tells at once that nothing plays while its source can say nothing yet", async () => {
    const reading = hub.read(ADA, 1_000);
    await source.says(undefined);
    expect((await reading).kind).toBe("nothing");
    // Nobody has watched the song begin.
    await source.says({ ...song("A"), ...FIRST_SIGHT });
    expect(hub.rawPlayback(ADA)).toMatchObject({ track: { title: "A" }, positionUnknown: true });
  });

  test("tells at once that nothing is connected", async () => {
    connection = undefined;
    expect((await hub.read(ADA, 1_000)).kind).toBe("unlinked");
  });
});

describe("a source that fails", () => {
  test("keeps its last song for a while when it is back, but can say nothing yet", async () => {
    const { readings } = listen();
    await source.says(song("A"));
    await source.fails(new SourceFailure({ kind: "unavailable" }, "lost"));
    await source.says(undefined);
    await clock.advance(10_000);
    expect(source.starts()).toBeGreaterThan(1);
    expect(titles(readings)).toEqual(["A"]);
  });

  test("is left alone as long as it asked for", async () => {
    listen();
    await source.fails(
      new SourceFailure({ kind: "retryLater", afterMs: 90_000, reason: "limited" }, "too many"),
    );
    await clock.advance(89_999);
    expect(source.starts()).toBe(1);
    await clock.advance(1);
    expect(source.starts()).toBe(2);
  });

  test("by refusing us is not asked again, and the refusal is remembered", async () => {
    const { readings } = listen();
    await source.fails(new SourceFailure({ kind: "unauthorized" }, "wrong password"));
    await clock.advance(3_600_000);
    expect(source.starts()).toBe(1);
    expect(source.refusals()).toBe(1);
    expect(titles(readings)).toEqual(["unlinked"]);
    expect(logged.join()).toContain("music has to be connected again");
  });

  test("in a way nobody foresaw is asked again all the same", async () => {
    listen();
    await source.fails(new TypeError("a bug"));
    await clock.advance(1_000);
    expect(source.starts()).toBeGreaterThan(1);
  });
});

describe("a pause", () => {
  test("does not become young again because nobody looked for a while", async () => {
    const paused = () => aPlayback({ state: "paused", observedAtMs: clock.monotonicMs() });
    await source.says(paused());
    await hub.read(ADA, 1_000);
    await clock.advance(20 * 60_000);
    await source.says(paused());
    expect(titles([await hub.read(ADA, 1_000)])).toEqual(["Paper Lanterns"]);
    await clock.advance(11 * 60_000);
    expect((await hub.read(ADA, 1_000)).kind).toBe("nothing");
  });
});
