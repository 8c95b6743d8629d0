import { beforeEach, describe, expect, test } from "bun:test";
import type { Reading } from "../../src/channels/reading.ts";
import type { WatchedConnection } from "../../src/channels/watcher.ts";
import { shardOf } from "../../src/cluster/leases.ts";
import { NOTHING_HIDDEN } from "../../src/accounts/privacy.ts";
import { type Playback, positionAt } from "../../src/playback.ts";
import { SourceFailure } from "../../src/sources/source.ts";
import {
  createTestCluster,
  type TestCluster,
  type TestNode,
} from "../fixtures/cluster/test-cluster.ts";
import { createFakeClock, type FakeClock } from "../fixtures/clock/fake-clock.ts";
import { aPlayback } from "../fixtures/sources/playback.ts";
import { createScriptedSource, type ScriptedSource } from "../fixtures/sources/scripted-source.ts";

const ADA = 7;

let clock: FakeClock;
let player: ScriptedSource;
let connected: () => WatchedConnection[];
/** The node on which each watcher of the player was started. */
let startedOn: string[];
let cluster: TestCluster;
let nodes: TestNode[];

beforeEach(async () => {
  clock = createFakeClock();
  player = createScriptedSource(1);
  connected = () => [player.listening];
  startedOn = [];
  cluster = createTestCluster(clock, {
    connectionsOf: (_, node) =>
      connected().map((one) => ({
        ...one,
        watch(context) {
          startedOn.push(node);
          return one.watch(context);
        },
      })),
  });
  nodes = ["a", "b", "c"].map((name) => cluster.addNode(name));
  await clock.advance(40_000);
});

const song = (title: string, changes: Partial<Playback> = {}) =>
  aPlayback({
    track: { id: title, title, durationMs: 600_000, explicit: false },
    positionMs: 0,
    observedAtMs: clock.monotonicMs(),
    ...changes,
  });

const titleOf = (reading: Reading | undefined) =>
  reading?.kind === "playback" ? reading.playback.track.title : reading?.kind;

const subscribe = (node: TestNode): (string | undefined)[] => {
  const titles: (string | undefined)[] = [];
  node.hub.subscribe(ADA, (reading) => titles.push(titleOf(reading)));
  return titles;
};

const holderOf = (userId: number): TestNode => {
  const name = cluster.rows.holderOf(shardOf(userId));
  const holder = nodes.find((node) => node.name === name);
  if (!holder) throw new Error("nobody watches");
  return holder;
};
const othersThan = (node: TestNode): [TestNode, TestNode] => {
  const [first, second] = nodes.filter((other) => other !== node);
  if (!first || !second) throw new Error("there are three nodes");
  return [first, second];
};

const sharesOf = (among: readonly TestNode[]) => {
  const shares = among.map(({ leases }) => leases.held());
  return { sum: shares.reduce((sum, share) => sum + share, 0), largest: Math.max(...shares) };
};

const reports = async (playback: Playback | null) => {
  await player.says(playback);
  await clock.advance(10);
};

describe("nodes that share the users", () => {
  test("share the shards evenly", () => {
    expect(sharesOf(nodes)).toEqual({ sum: 256, largest: 86 });
  });

  test("watch a user on one node, and all receive it", async () => {
    const received = nodes.map(subscribe);
    await clock.advance(10);
    await reports(song("one"));
    expect(received).toEqual([["one"], ["one"], ["one"]]);
    expect(startedOn).toEqual([holderOf(ADA).name]);
  });

  test("answer a request on a node that does not watch", async () => {
    const [other] = othersThan(holderOf(ADA));
    const reading = other.hub.read(ADA, 4_000);
    await clock.advance(10);
    await reports(song("one"));
    expect(titleOf(await reading)).toBe("one");
  });

  test("stop watching a minute after the last request on any of them", async () => {
    const [other] = othersThan(holderOf(ADA));
    void other.hub.read(ADA, 1_000);
    await clock.advance(50_000);
    expect(player.listeners()).toBe(1);
    await clock.advance(15_000);
    expect(player.listeners()).toBe(0);
  });

  test("show the same position, within what the bus takes", async () => {
    const [first, second] = othersThan(holderOf(ADA));
    subscribe(first);
    subscribe(second);
    await clock.advance(10);
    await reports(song("one", { positionMs: 30_000 }));
    await clock.advance(5_000);
    for (const { hub } of [first, second]) {
      const playback = hub.rawPlayback(ADA);
      const positionMs = playback ? positionAt(playback, clock.monotonicMs()) : 0;
      expect(Math.abs(positionMs - 35_010)).toBeLessThan(20);
    }
  });

  test("do not deliver a song again because it was published again", async () => {
    const [first, second] = othersThan(holderOf(ADA));
    const titles = subscribe(first);
    await clock.advance(10);
    await reports(song("one"));
    // The holder publishes everything again to whoever comes.
    subscribe(second);
    await clock.advance(3_000);
    expect(titles).toEqual(["one"]);
  });

  test("give a newcomer what is known at once", async () => {
    const [first, second] = othersThan(holderOf(ADA));
    subscribe(first);
    await clock.advance(10);
    await reports(song("one"));
    const titles = subscribe(second);
    await clock.advance(10);
    expect(titles).toEqual(["one"]);
  });

  test("apply privacy rules where somebody reads", async () => {
    const [first, second] = othersThan(holderOf(ADA));
    const [shown, hidden] = [subscribe(first), subscribe(second)];
    second.privacy.rules = { ...NOTHING_HIDDEN, pausedUntil: Infinity };
    await clock.advance(10);
    await reports(song("one"));
    expect(shown).toEqual(["one"]);
    expect(hidden).toEqual(["nothing"]);
    expect(second.hub.rawPlayback(ADA)?.track.title).toBe("one");
  });

  test("show on the dashboard of any node what each connection reports", async () => {
    const radio = createScriptedSource(2);
    connected = () => [player.listening, radio.listening];
    const [first] = othersThan(holderOf(ADA));
    subscribe(first);
    await clock.advance(10);
    await reports(song("one", { state: "paused" }));
    await radio.says(song("two"));
    await clock.advance(10);
    expect(
      first.hub
        .readingsOf(ADA)
        .map(({ connectionId, playback, isShown }) => [
          connectionId,
          playback?.track.title,
          isShown,
        ]),
    ).toEqual([
      [1, "one", false],
      [2, "two", true],
    ]);
  });

  test("follow changed connections on the node that watches", async () => {
    const radio = createScriptedSource(2);
    const [first] = othersThan(holderOf(ADA));
    const titles = subscribe(first);
    await clock.advance(10);
    connected = () => [radio.listening];
    for (const { hub } of nodes) await hub.followConnections(ADA);
    await clock.advance(10);
    await radio.says(song("two"));
    await clock.advance(10);
    expect(titles).toEqual(["two"]);
    expect(player.listeners()).toBe(0);
  });

  test("bring the poll of a polled source forward for a request on any node", async () => {
    const events: string[] = [];
    connected = () => [
      {
        connectionId: 1,
        wasOk: false,
        delivery: "polled",
        async *watch({ demand, signal }) {
          yield song("one");
          while (!signal.aborted) {
            const event = await demand.nextChange(signal);
            events.push(`${event} ${demand.watched}`);
            if (event === "asked") yield song("two");
          }
        },
      },
    ];
    const [first, second] = othersThan(holderOf(ADA));
    const firstAnswer = first.hub.read(ADA, 4_000);
    await clock.advance(10);
    expect(titleOf(await firstAnswer)).toBe("one");
    await clock.advance(6_000);
    const secondAnswer = first.hub.read(ADA, 4_000);
    await clock.advance(20);
    expect(titleOf(await secondAnswer)).toBe("two");
    expect(events).toEqual(["asked false"]);
    subscribe(second);
    await clock.advance(20);
    expect(events).toEqual(["asked false", "changed true"]);
  });

  test("do not wait for another poll while a subscriber of another node gets every change", async () => {
    connected = () => [{ ...player.listening, delivery: "polled" }];
    const [first, second] = othersThan(holderOf(ADA));
    subscribe(first);
    await clock.advance(10);
    await reports(song("one"));
    void second.hub.read(ADA, 1_000);
    await clock.advance(20_000);
    expect(titleOf(second.hub.peek(ADA))).toBe("one");
  });

  test("count a user's overlays on stream on all nodes", async () => {
    const [first, second] = othersThan(holderOf(ADA));
    for (const node of nodes) subscribe(node);
    const changes: number[] = [];
    second.relay.onStreamChange((userId) => changes.push(userId));
    first.relay.setOnStream(ADA, 2);
    second.relay.setOnStream(ADA, 1);
    await clock.advance(10);
    expect(nodes.map(({ relay }) => relay.onStream(ADA))).toEqual([3, 3, 3]);
    expect(new Set(changes)).toEqual(new Set([ADA]));
    first.crash();
    await clock.advance(20_000);
    expect(second.relay.onStream(ADA)).toBe(1);
  });

  test("show a test track on all nodes", async () => {
    const shown: string[] = [];
    for (const { name, relay } of nodes) {
      relay.onShow((userId, { track }, ms) => shown.push(`${name} ${userId} ${track.title} ${ms}`));
    }
    nodes[0]?.relay.show(ADA, song("test"), 12_000);
    await clock.advance(10);
    expect(shown).toEqual(["a 7 test 12000", "b 7 test 12000", "c 7 test 12000"]);
  });

  test("show that a source fails, and for how long", async () => {
    const [first] = othersThan(holderOf(ADA));
    const titles = subscribe(first);
    await clock.advance(10);
    await reports(song("one"));
    await player.fails(new SourceFailure({ kind: "unavailable" }, "the line is cut"));
    await clock.advance(29_000);
    expect(titles).toEqual(["one"]);
    await clock.advance(2_000);
    expect(titles).toEqual(["one", "unavailable"]);
  });

  test("send a playback that does not fit into one notice", async () => {
    const [first] = othersThan(holderOf(ADA));
    const titles = subscribe(first);
    await clock.advance(10);
    const long = "🎵é".repeat(400);
    await reports(song(long, { artists: Array.from({ length: 50 }, (_, at) => `${at} ${long}`) }));
    expect(titles).toEqual([long]);
    const playback = first.hub.rawPlayback(ADA);
    expect(playback?.artists).toHaveLength(50);
  });
});

describe("when a node is lost", () => {
  test("another one takes its users over, and shows what follows", async () => {
    const holder = holderOf(ADA);
    const [first] = othersThan(holder);
    const titles = subscribe(first);
    await clock.advance(10);
    await reports(song("one"));
    holder.crash();
    await reports(song("two"));
    await clock.advance(11_000);
    expect(holderOf(ADA)).not.toBe(holder);
    expect(titles).toEqual(["one", "two"]);
  });

  test("the last reports count until the next holder has got something", async () => {
    const holder = holderOf(ADA);
    const [first] = othersThan(holder);
    const titles = subscribe(first);
    await clock.advance(10);
    await reports(song("one"));
    const silent = createScriptedSource(1);
    connected = () => [silent.listening];
    holder.crash();
    await clock.advance(20_000);
    expect(silent.listeners()).toBe(1);
    expect(titles).toEqual(["one"]);
    expect(titleOf(first.hub.peek(ADA))).toBe("one");
  });

  test("the last reports count while the next holder cannot read the user's connections", async () => {
    const holder = holderOf(ADA);
    const [first] = othersThan(holder);
    const titles = subscribe(first);
    await clock.advance(10);
    await reports(song("one"));
    connected = () => {
      throw new Error("the database does not answer");
    };
    holder.crash();
    await clock.advance(20_000);
    expect(titles).toEqual(["one"]);
    connected = () => [player.listening];
    await clock.advance(20_000);
    await reports(song("two"));
    expect(titles).toEqual(["one", "two"]);
  });

  test("a pause keeps its age over a takeover", async () => {
    const holder = holderOf(ADA);
    const [first] = othersThan(holder);
    const titles = subscribe(first);
    await clock.advance(10);
    await reports(song("one", { state: "paused", positionMs: 5_000 }));
    await clock.advance(20 * 60_000);
    holder.crash();
    await clock.advance(10 * 60_000 + 1_000);
    expect(titles).toEqual(["one", "nothing"]);
  });

  test("one that stops in order hands over within three seconds", async () => {
    const holder = holderOf(ADA);
    const [first] = othersThan(holder);
    const titles = subscribe(first);
    await clock.advance(10);
    await reports(song("one"));
    await holder.stop();
    await reports(song("two"));
    await clock.advance(2_500);
    expect(titles).toEqual(["one", "two"]);
  });

  test("one that wakes up watches nothing that was taken, and its late reports are ignored", async () => {
    const holder = holderOf(ADA);
    const [first] = othersThan(holder);
    subscribe(first);
    const own = subscribe(holder);
    await clock.advance(10);
    await reports(song("one"));
    holder.pause();
    await clock.advance(12_000);
    await reports(song("two"));
    expect(titleOf(first.hub.peek(ADA))).toBe("two");
    await holder.resume();
    await clock.advance(3_000);
    expect(player.listeners()).toBe(1);
    expect(own.at(-1)).toBe("two");
    expect(titleOf(first.hub.peek(ADA))).toBe("two");
  });

  test("one that comes back gets its share again", async () => {
    nodes[0]?.crash();
    await clock.advance(20_000);
    expect(nodes.slice(1).map(({ leases }) => leases.held())).toEqual([128, 128]);
    nodes.push(cluster.addNode("d"));
    await clock.advance(40_000);
    expect(sharesOf(nodes.slice(1))).toEqual({ sum: 256, largest: 86 });
  });

  test("giving a shard back leaves no moment with two watchers, and none without for long", async () => {
    nodes[0]?.crash();
    await clock.advance(20_000);
    const users = Array.from({ length: 512 }, (_, index) => index + 1);
    for (const userId of users) nodes[1]?.hub.subscribe(userId, () => {});
    await clock.advance(100);
    const most = { listeners: 0 };
    nodes.push(cluster.addNode("d"));
    for (let passedMs = 0; passedMs < 40_000; passedMs += 50) {
      await clock.advance(50);
      most.listeners = Math.max(most.listeners, player.listeners());
      expect(player.listeners()).toBeGreaterThan(512 - 70);
    }
    expect(most.listeners).toBe(512);
    expect(player.listeners()).toBe(512);
  });
});

describe("a node that is cut off", () => {
  test("shows the last reports for half a minute, then that nothing can be said", async () => {
    const [first] = othersThan(holderOf(ADA));
    const titles = subscribe(first);
    await clock.advance(10);
    await reports(song("one"));
    first.cut();
    await clock.advance(29_000);
    expect(titles).toEqual(["one"]);
    await clock.advance(2_000);
    expect(titles).toEqual(["one", "unavailable"]);
    first.restore();
    await clock.advance(100);
    expect(titles).toEqual(["one", "unavailable", "one"]);
  });

  test("says that nothing can be said of a user it does not know only after a moment", async () => {
    const [first] = othersThan(holderOf(ADA));
    first.cut();
    const titles = subscribe(first);
    await clock.advance(1_500);
    expect(titles).toEqual([]);
    await clock.advance(1_000);
    expect(titles).toEqual(["unavailable"]);
  });

  test("stops watching before others may begin", async () => {
    const holder = holderOf(ADA);
    const [first] = othersThan(holder);
    subscribe(first);
    await clock.advance(10);
    holder.cut();
    const seen: number[] = [];
    for (let passedMs = 0; passedMs < 11_000; passedMs += 100) {
      await clock.advance(100);
      if (seen.at(-1) !== player.listeners()) seen.push(player.listeners());
    }
    expect(seen).toEqual([1, 0, 1]);
  });

  test("receives again what it missed on the bus alone", async () => {
    const [first] = othersThan(holderOf(ADA));
    const titles = subscribe(first);
    await clock.advance(10);
    await reports(song("one"));
    first.bus.cut();
    await reports(song("two"));
    await clock.advance(1_000);
    first.bus.restore();
    await clock.advance(100);
    expect(titles).toEqual(["one", "two"]);
  });

  test("asks for the interests it missed when it is the one that watches", async () => {
    const holder = holderOf(ADA);
    const [first] = othersThan(holder);
    holder.bus.cut();
    const titles = subscribe(first);
    await clock.advance(100);
    holder.bus.restore();
    await clock.advance(100);
    await reports(song("one"));
    expect(titles).toEqual(["one"]);
  });

  test("stops watching for those that left meanwhile", async () => {
    const holder = holderOf(ADA);
    const [first] = othersThan(holder);
    const leave = first.hub.subscribe(ADA, () => {});
    await clock.advance(10);
    holder.bus.cut();
    leave();
    await clock.advance(130_000);
    holder.bus.restore();
    await clock.advance(10_000);
    expect(player.listeners()).toBe(0);
  });

  test("does not believe a former holder because it missed the news of a new one", async () => {
    const holder = holderOf(ADA);
    const [first, second] = othersThan(holder);
    const titles = subscribe(first);
    subscribe(second);
    await clock.advance(10);
    await reports(song("one"));
    first.bus.cut();
    holder.pause();
    await clock.advance(12_000);
    await reports(song("two"));
    const shown = first.hub.rawPlayback(ADA);
    expect(shown?.track.title).toBe("one");
    first.bus.restore();
    await holder.resume();
    await clock.advance(3_000);
    expect(titles).toEqual(["one", "two"]);
  });
});
