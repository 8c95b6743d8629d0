import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ReportedStatus } from "../../src/music/connection-status.ts";
import type { Reading } from "../../src/channels/reading.ts";
import type { WatchedConnection } from "../../src/channels/watcher.ts";
import type { Hub } from "../../src/channels/hub.ts";
import { type Demand, SourceFailure } from "../../src/sources/source.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createScriptedSource, type ScriptedSource } from "../fixtures/sources/scripted-source.ts";
import { createTestHub } from "../fixtures/sources/test-hub.ts";

const ADA = 1;
/** What a source that is asked now and then said last counts as right for so long. */
const FRESH_MS = 4_000;

let clock: FakeClock;
let source: ScriptedSource;
let connection: WatchedConnection | undefined;
/** What the source learned of who looks on. */
let noticed: ("asked" | "changed")[];
let demand: Demand | undefined;
let status: ReportedStatus[];
let logged: string[];
let hub: Hub;

/** The scripted source as one that has to ask its upstream again and again. */
function polling({ listening }: ScriptedSource): WatchedConnection {
  return {
    ...listening,
    delivery: "polled",
    watch(context) {
      demand = context.demand;
      const notice = async () => {
        while (!context.signal.aborted) {
          const event = await context.demand.nextChange(context.signal);
          if (!context.signal.aborted) noticed.push(event);
        }
      };
      void notice();
      return listening.watch(context);
    },
  };
}

beforeEach(() => {
  clock = createFakeClock();
  source = createScriptedSource(7);
  connection = polling(source);
  noticed = [];
  demand = undefined;
  status = [];
  logged = [];
  hub = createTestHub(
    {
      clock,
      connectionsOf: () => (connection ? [connection] : []),
      onStatus: (_id, reported) => void status.push(reported),
    },
    logged,
  );
});
afterEach(() => hub.stop());

const song = (title: string) =>
  aPlayback({
    track: { id: title, title, durationMs: 900_000, explicit: false },
    observedAtMs: clock.monotonicMs(),
  });

const titleOf = (reading: Reading | undefined) =>
  reading?.kind === "playback" ? reading.playback.track.title : reading?.kind;

/** A channel that nobody follows and whose source said something just now. */
async function readOnce(title = "A") {
  const reading = hub.read(ADA, 1_000);
  await settle();
  await source.says(song(title));
  await reading;
}

/** A reading under way, and whether it has come. */
function reading(atMostMs: number) {
  const seen = { answer: undefined as Reading | undefined };
  void hub.read(ADA, atMostMs).then((answer) => {
    seen.answer = answer;
  });
  return seen;
}

describe("what a source that has to be asked said last", () => {
  test("is passed on at once while it is fresh", async () => {
    await readOnce();
    await clock.advance(FRESH_MS);
    expect(titleOf(hub.peek(ADA))).toBe("A");
    expect(titleOf(await hub.read(ADA, 4_000))).toBe("A");
    expect(noticed).toEqual([]);
  });

  test("is not passed on at a glance once it has grown old", async () => {
    await readOnce();
    await clock.advance(FRESH_MS + 1);
    expect(hub.peek(ADA)).toBeUndefined();
  });

  test("is fresh again with every word, be it the same one", async () => {
    await readOnce();
    await clock.advance(FRESH_MS + 1);
    await source.says(song("A"));
    expect(titleOf(hub.peek(ADA))).toBe("A");
  });

  test("never grows old while somebody follows", async () => {
    hub.subscribe(ADA, () => {});
    await source.says(song("A"));
    await clock.advance(60_000);
    expect(titleOf(hub.peek(ADA))).toBe("A");
    expect(titleOf(await hub.read(ADA, 4_000))).toBe("A");
    expect(noticed).not.toContain("asked");
  });

  test("grows old again when the last follower has left", async () => {
    const leave = hub.subscribe(ADA, () => {});
    await source.says(song("A"));
    await clock.advance(20_000);
    leave();
    expect(hub.peek(ADA)).toBeUndefined();
  });
});

describe("reading an old word", () => {
  beforeEach(async () => {
    await readOnce("A");
    await clock.advance(FRESH_MS + 1);
  });

  test("asks the source and waits for what it says next", async () => {
    const seen = reading(4_000);
    await settle();
    expect(noticed).toEqual(["asked"]);
    expect(seen.answer).toBeUndefined();
    await clock.advance(300);
    await source.says(song("B"));
    expect(titleOf(seen.answer)).toBe("B");
  });

  test("takes the old word after a second", async () => {
    const seen = reading(4_000);
    await clock.advance(999);
    expect(seen.answer).toBeUndefined();
    await clock.advance(1);
    expect(titleOf(seen.answer)).toBe("A");
  });

  test("waits no longer than it may", async () => {
    const seen = reading(200);
    await clock.advance(200);
    expect(titleOf(seen.answer)).toBe("A");
  });

  test("by many at once gives all of them the same next word", async () => {
    const all = Array.from({ length: 20 }, () => reading(4_000));
    await settle();
    await source.says(song("B"));
    expect(new Set(all.map(({ answer }) => titleOf(answer)))).toEqual(new Set(["B"]));
  });

  test("ends with the old word when the source fails meanwhile", async () => {
    const seen = reading(4_000);
    await settle();
    await source.fails(new SourceFailure({ kind: "unavailable" }, "the line is cut"));
    expect(titleOf(seen.answer)).toBe("A");
  });

  test("leaves no timer behind", async () => {
    const before = clock.waiting();
    const seen = reading(4_000);
    await settle();
    await source.says(song("B"));
    expect(titleOf(seen.answer)).toBe("B");
    expect(clock.waiting()).toBe(before);
  });
});

describe("nobody waits", () => {
  test("for a source that tells of changes by itself", async () => {
    connection = source.listening;
    await readOnce();
    await clock.advance(50_000);
    expect(titleOf(hub.peek(ADA))).toBe("A");
    expect(titleOf(await hub.read(ADA, 4_000))).toBe("A");
  });

  test("for a source that fails", async () => {
    await readOnce();
    await source.fails(
      new SourceFailure({ kind: "retryLater", afterMs: 60_000, reason: "limited" }, "too many"),
    );
    await clock.advance(20_000);
    expect(titleOf(hub.peek(ADA))).toBe("A");
    await clock.advance(10_001);
    expect(titleOf(hub.peek(ADA))).toBe("unavailable");
  });

  test("for a connection that has to be linked again", async () => {
    await readOnce();
    await source.fails(new SourceFailure({ kind: "unauthorized" }, "revoked"));
    await clock.advance(20_000);
    expect(titleOf(hub.peek(ADA))).toBe("unlinked");
  });
});

describe("the source learns", () => {
  test("whether somebody follows", async () => {
    void hub.read(ADA, 1_000);
    await settle();
    expect(demand?.watched).toBe(false);
    const leave = hub.subscribe(ADA, () => {});
    expect(demand?.watched).toBe(true);
    leave();
    expect(demand?.watched).toBe(false);
  });

  test("when following begins and ends, but not of every follower", async () => {
    void hub.read(ADA, 1_000);
    await settle();
    const leaves = [1, 2, 3].map(() => hub.subscribe(ADA, () => {}));
    await settle();
    expect(noticed).toEqual(["changed"]);
    for (const leave of leaves) leave();
    await settle();
    expect(noticed).toEqual(["changed", "changed"]);
  });

  test("nothing more once its watching has ended", async () => {
    await readOnce();
    await clock.advance(120_000);
    expect(hub.running()).toBe(0);
    noticed.length = 0;
    const leave = hub.subscribe(ADA, () => {});
    await settle();
    leave();
    await settle();
    expect(noticed).toEqual(["changed"]);
  });
});

describe("how a connection does", () => {
  const unavailable = new SourceFailure({ kind: "unavailable" }, "the line is cut");
  const limited = (afterMs: number) =>
    new SourceFailure({ kind: "retryLater", afterMs, reason: "limited" }, "too many");
  const states = () => status.map(({ state }) => state);

  beforeEach(() => void hub.subscribe(ADA, () => {}));

  test("is told once when it is well, not for every word", async () => {
    for (const title of ["A", "B", "A"]) await source.says(song(title));
    await source.says(null);
    expect(status).toEqual([{ state: "ok", since: clock.wallMs() }]);
  });

  test("is told again when it fails for another reason", async () => {
    await source.says(song("A"));
    await source.fails(unavailable);
    await source.fails(
      new SourceFailure({ kind: "retryLater", afterMs: 5_000, reason: "noPremium" }, "premium"),
    );
    await clock.advance(60_000);
    expect(status.slice(1)).toMatchObject([
      { state: "retrying", reason: "unreachable" },
      { state: "retrying", reason: "noPremium" },
    ]);
  });

  test("tells until when it is limited, once a pause", async () => {
    await source.says(song("A"));
    await source.fails(limited(30_000));
    expect(status[1]).toEqual({
      state: "limited",
      since: clock.wallMs(),
      until: clock.wallMs() + 30_000,
    });
    await clock.advance(10_000);
    hub.stop();
    await source.fails(limited(20_000));
    void hub.read(ADA, 1_000);
    await settle();
    expect(states()).toEqual(["ok", "limited"]);
  });

  test("is logged once while one pause follows another", async () => {
    await source.says(song("A"));
    await source.fails(limited(10_000));
    await clock.advance(600_000);
    expect(logged.filter((line) => line.includes("cannot be followed"))).toHaveLength(1);
  });
});
