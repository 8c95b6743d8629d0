import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ConnectionReading } from "../../src/channels/channel-view.ts";
import type { Hub } from "../../src/channels/hub.ts";
import type { Reading } from "../../src/channels/reading.ts";
import type { Playback } from "../../src/playback.ts";
import { SourceFailure } from "../../src/sources/source.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createScriptedSource, type ScriptedSource } from "../fixtures/sources/scripted-source.ts";
import { createTestHub } from "../fixtures/sources/test-hub.ts";

const ADA = 1;

let clock: FakeClock;
let browser: ScriptedSource;
let player: ScriptedSource;
/** The user's connections, in the user's order. */
let connected: ScriptedSource[];
let connectionsOf: () => ScriptedSource["listening"][];
let logged: string[];
let hub: Hub;

beforeEach(() => {
  clock = createFakeClock();
  browser = createScriptedSource(1);
  player = createScriptedSource(2);
  connected = [browser, player];
  connectionsOf = () => connected.map(({ listening }) => listening);
  logged = [];
  hub = createTestHub({ clock, connectionsOf: () => connectionsOf() }, logged);
});
afterEach(() => hub.stop());

const song = (title: string, changes: Partial<Playback> = {}) =>
  aPlayback({
    track: { id: title, title, durationMs: 100_000, explicit: false },
    positionMs: 0,
    observedAtMs: clock.monotonicMs(),
    ...changes,
  });
const paused = (title: string) => song(title, { state: "paused", positionMs: 5_000 });

const titleOf = (reading: Reading | undefined) =>
  reading?.kind === "playback" ? reading.playback.track.title : reading?.kind;

/** The titles of all readings that a subscriber gets. */
function subscribe(): (string | undefined)[] {
  const titles: (string | undefined)[] = [];
  hub.subscribe(ADA, (reading) => titles.push(titleOf(reading)));
  return titles;
}

const unavailable = new SourceFailure({ kind: "unavailable" }, "the line is cut");

describe("a user with several connections", () => {
  test("follows all of them, and is shown one", async () => {
    const titles = subscribe();
    await player.says(song("Player"));
    await browser.says(paused("Browser"));
    await browser.says(song("Browser"));
    await browser.says(null);
    expect(titles).toEqual(["Player", "Browser", "Player"]);
    expect([browser.starts(), player.starts()]).toEqual([1, 1]);
  });

  test("is told which of them is shown", async () => {
    subscribe();
    await player.says(song("Player"));
    expect(hub.peek(ADA)).toMatchObject({ kind: "playback", connectionId: 2 });
    await browser.says(song("Browser"));
    expect(hub.peek(ADA)).toMatchObject({ kind: "playback", connectionId: 1 });
    expect(hub.rawPlayback(ADA)?.track.title).toBe("Browser");
  });

  test("is shown the other one when the first has failed for thirty seconds", async () => {
    const titles = subscribe();
    await player.says(paused("Player"));
    await browser.says(song("Browser"));
    await browser.fails(unavailable);
    await clock.advance(29_999);
    expect(titles).toEqual(["Browser"]);
    await clock.advance(1);
    expect(titles).toEqual(["Browser", "Player"]);
    await player.fails(unavailable);
    await clock.advance(30_000);
    expect(titles).toEqual(["Browser", "Player", "unavailable"]);
  });

  test("keeps the others when one is refused", async () => {
    const titles = subscribe();
    await browser.says(song("Browser"));
    await player.says(paused("Player"));
    await browser.fails(new SourceFailure({ kind: "unauthorized" }, "revoked"));
    expect([browser.refusals(), player.refusals()]).toEqual([1, 0]);
    expect(titles).toEqual(["Browser", "Player"]);
    await player.fails(new SourceFailure({ kind: "unauthorized" }, "revoked"));
    expect(titles).toEqual(["Browser", "Player", "unlinked"]);
  });

  test("costs no timer while nobody subscribes, and one while somebody does", async () => {
    const reading = hub.read(ADA, 1_000);
    await settle();
    await browser.says(song("Browser"));
    await player.says(paused("Player"));
    await reading;
    await clock.advance(1_000);
    const before = clock.waiting();
    const leave = hub.subscribe(ADA, () => {});
    expect(clock.waiting()).toBe(before + 1);
    leave();
    expect(clock.waiting()).toBe(before);
  });
});

describe("when the connections change", () => {
  test("only those that changed start and stop", async () => {
    const titles = subscribe();
    await player.says(song("Player"));
    const radio = createScriptedSource(3);
    connected = [player, radio];
    await hub.followConnections(ADA);
    await radio.says(song("Radio"));
    expect(player.starts()).toBe(1);
    expect([browser.listeners(), player.listeners(), radio.listeners()]).toEqual([0, 1, 1]);
    await player.says(null);
    expect(titles).toEqual(["Player", "Radio"]);
  });

  test("a changed order counts at once, and nothing starts again", async () => {
    const titles = subscribe();
    await browser.says(song("Browser"));
    await player.says(song("Player"));
    connected = [player, browser];
    await hub.followConnections(ADA);
    expect(titles).toEqual(["Browser", "Player"]);
    expect([browser.starts(), player.starts()]).toEqual([1, 1]);
  });

  test("one that was refused starts again when it is in use again", async () => {
    subscribe();
    await browser.fails(new SourceFailure({ kind: "unauthorized" }, "revoked"));
    connected = [player];
    await hub.followConnections(ADA);
    await browser.says(song("Browser"));
    connected = [browser, player];
    await hub.followConnections(ADA);
    await settle();
    expect(titleOf(hub.peek(ADA))).toBe("Browser");
    expect(player.starts()).toBe(1);
  });

  test("a new one does not hide what is known while it has not reported", async () => {
    const titles = subscribe();
    connected = [player];
    await hub.followConnections(ADA);
    await player.says(paused("Player"));
    connected = [browser, player];
    await hub.followConnections(ADA);
    const reading = hub.read(ADA, 4_000);
    await clock.advance(2_000);
    expect(titleOf(await reading)).toBe("Player");
    expect(titles).toEqual(["Player"]);
  });

  test("but cannot be read, they are read again, and the known ones stay", async () => {
    const titles = subscribe();
    await browser.says(song("Browser"));
    const readable = connectionsOf;
    connected = [player];
    connectionsOf = () => {
      throw new Error("the disk is full");
    };
    hub.stop();
    const reading = hub.read(ADA, 1_000);
    await settle();
    expect((await reading).kind).toBe("unavailable");
    await clock.advance(60_000);
    expect(logged.filter((line) => line.includes("cannot be read"))).toHaveLength(1);
    connectionsOf = readable;
    await clock.advance(15_000);
    await player.says(song("Player"));
    expect(titles.at(-1)).toBe("Player");
  });
});

describe("connections that could not be read", () => {
  let reads: number;
  let isReadable: boolean;
  beforeEach(() => {
    reads = 0;
    isReadable = false;
    connectionsOf = () => {
      reads += 1;
      if (!isReadable) throw new Error("the disk is full");
      return [player.listening];
    };
    subscribe();
  });

  test("are not read any more once the channel has stopped", async () => {
    hub.stop();
    isReadable = true;
    await clock.advance(600_000);
    expect([reads, player.starts()]).toEqual([1, 0]);
  });

  test("are read after a change, and then not tried again", async () => {
    isReadable = true;
    await hub.followConnections(ADA);
    const readsUntilThen = reads;
    await clock.advance(600_000);
    expect([reads, player.starts()]).toEqual([readsUntilThen, 1]);
  });
});

describe("a cold channel", () => {
  test("shows what plays at once, though another has not reported", async () => {
    const reading = hub.read(ADA, 4_000);
    await settle();
    await player.says(song("Player"));
    expect(titleOf(await reading)).toBe("Player");
  });
});

describe("a connection that programs push to", () => {
  beforeEach(() => {
    player = createScriptedSource(2, { delivery: "pushed" });
    connected = [player];
  });

  test("says nothing before the first push, and does not fail", async () => {
    await player.says(undefined);
    expect(titleOf(await hub.read(ADA, 4_000))).toBe("nothing");
    expect(hub.readingsOf(ADA)).toMatchObject([{ playback: undefined }]);
  });

  test("is waited for while nobody knows yet what was pushed", async () => {
    connected = [player, browser];
    const titles = subscribe();
    await browser.says(null);
    expect(titles).toEqual([]);
    await player.says(song("Player"));
    expect(titles).toEqual(["Player"]);
  });

  test("shows at the first look what was pushed before", async () => {
    await player.says(song("Player"));
    expect(titleOf(await hub.read(ADA, 4_000))).toBe("Player");
    await player.says(null);
    expect(hub.readingsOf(ADA)).toMatchObject([{ playback: null }]);
  });
});

describe("a polled connection", () => {
  let radio: ScriptedSource;
  beforeEach(() => {
    radio = createScriptedSource(3, { delivery: "polled", pollsEveryMs: 5_000 });
  });

  test("is not asked for a request while one before it in the order plays", async () => {
    connected = [player, radio];
    const reading = hub.read(ADA, 4_000);
    await settle();
    await radio.says(song("Radio"));
    await player.says(song("Player"));
    await reading;
    await clock.advance(20_000);
    expect(titleOf(hub.peek(ADA))).toBe("Player");
    await player.says(null);
    expect(hub.peek(ADA)).toBeUndefined();
  });
});

describe("what each connection reports", () => {
  const told = (received: readonly ConnectionReading[]) =>
    received.map(({ connectionId, playback, isShown }) => [
      connectionId,
      playback ? playback.track.title : playback,
      isShown,
    ]);

  test("is known in the user's order", async () => {
    subscribe();
    await player.says(song("Player"));
    expect(told(hub.readingsOf(ADA))).toEqual([
      [1, undefined, false],
      [2, "Player", true],
    ]);
    await browser.says(paused("Browser"));
    expect(told(hub.readingsOf(ADA))).toEqual([
      [1, "Browser", false],
      [2, "Player", true],
    ]);
    await clock.advance(115_000);
    expect(told(hub.readingsOf(ADA))).toEqual([
      [1, "Browser", true],
      [2, null, false],
    ]);
  });

  test("is told to who asks for it, also when something else is shown", async () => {
    const received: unknown[] = [];
    hub.subscribe(ADA, () => received.push(told(hub.readingsOf(ADA))), "all");
    const shown = subscribe();
    await browser.says(song("Browser"));
    await player.says(paused("Player"));
    await player.says(paused("Player"));
    expect(shown).toEqual(["Browser"]);
    expect(received).toEqual([
      [
        [1, "Browser", true],
        [2, undefined, false],
      ],
      [
        [1, "Browser", true],
        [2, "Player", false],
      ],
    ]);
  });
});
