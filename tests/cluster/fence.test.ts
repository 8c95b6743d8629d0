import { beforeEach, describe, expect, test } from "bun:test";
import type { HeardConnection } from "../../src/channels/connection-state.ts";
import type { Watching, WatchingDeps } from "../../src/channels/connection-set.ts";
import { createDemand } from "../../src/channels/demand.ts";
import { type Leases, shardOf } from "../../src/cluster/leases.ts";
import type { Message, Node } from "../../src/cluster/message.ts";
import { createRelay, type Relay } from "../../src/cluster/relay.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";

const ADA = 7;
const SHARD = shardOf(ADA);

let clock: FakeClock;
let say: (message: Message, from?: Node) => void;
let told: Message[];
let goUp: () => void;
let beat: () => Promise<boolean>;
/** What the table has said: what this node leases, and the newest epoch of each shard. */
let table: { epoch: number | undefined; newest: number; standing: boolean; nodes: string[] };
let lapses: number;
let tellLeases: () => void;
let relay: Relay;
/** What this node's own watchers of Ada's music are told to do. */
let orders: string[];
let watcher: WatchingDeps | undefined;
/** What they hear. */
let connections: readonly HeardConnection[];

const silent: HeardConnection = {
  connectionId: 1,
  delivery: "pushed",
  state: { kind: "silent" },
};

beforeEach(async () => {
  clock = createFakeClock();
  told = [];
  orders = [];
  watcher = undefined;
  connections = [silent];
  lapses = 1;
  table = { epoch: undefined, newest: 0, standing: true, nodes: ["me", "b"] };
  beat = async () => true;
  const leases: Leases = {
    epochOf: (shard) => (shard === SHARD ? table.epoch : undefined),
    isOurs: () => table.epoch !== undefined,
    newestEpochOf: () => table.newest,
    get standing() {
      return table.standing;
    },
    get lapses() {
      return lapses;
    },
    get nodes() {
      return table.nodes;
    },
    held: () => 0,
    watchedElsewhere: () => 0,
    beat: () => beat(),
    onChange: (listener) => void (tellLeases = listener),
    release: async () => {},
  };
  const watching: Watching = {
    get connections() {
      return connections;
    },
    watchedIds: () => [1],
    follow: async () => void orders.push("watch"),
    stop: () => void orders.push("stop"),
  };
  relay = createRelay({
    clock,
    log: { error() {} },
    bus: {
      node: "me",
      tell: (message) => void told.push(message),
      hear: (listener) => void (say = (message, from = "b") => listener(message, from)),
      onUp: (listener) => void (goUp = listener),
      onDown() {},
      up: true,
      delayMs: 0,
      close: async () => {},
    },
    leases,
    watch(of) {
      watcher = of;
      return watching;
    },
    connectionIdsOf: async () => [1],
    artworkFrom: (artwork) => ({ ...artwork, load: () => Promise.reject(new Error("not here")) }),
  });
  await settle();
});

/** The delivery of the last word that was believed tells which one it was. */
const word = (epoch: number, delivery: "polled" | "streamed"): Message => [
  "word",
  ADA,
  epoch,
  { onStream: 0, connections: [{ id: 1, delivery, state: { kind: "silent" } }] },
];

describe("a word of a user whom another node watches", () => {
  let channel: Watching;
  const believed = () => channel.connections?.map(({ delivery }) => delivery).join();
  beforeEach(async () => {
    const demand = createDemand(() => true);
    channel = relay.watch({ userId: ADA, demand, onChange() {} });
    await channel.follow();
  });

  test("is believed when it is of the newest epoch", () => {
    say(["took", [[SHARD, 5]]]);
    say(word(5, "polled"));
    expect(believed()).toBe("polled");
  });

  test("is ignored when a later owner has taken the shard", () => {
    say(["took", [[SHARD, 5]]]);
    say(word(4, "polled"));
    expect(believed()).toBeUndefined();
  });

  test("is ignored when a later owner has spoken", () => {
    say(word(6, "streamed"));
    say(word(5, "polled"));
    expect(believed()).toBe("streamed");
  });

  test("is ignored when the table knows of a later owner", async () => {
    table.newest = 9;
    goUp();
    await settle();
    say(word(8, "polled"));
    expect(believed()).toBeUndefined();
    say(word(9, "streamed"));
    expect(believed()).toBe("streamed");
  });

  test("is ignored between a new connection and the table's answer, however often it fails", async () => {
    const asked: PromiseWithResolvers<boolean>[] = [];
    beat = () => {
      const next = Promise.withResolvers<boolean>();
      asked.push(next);
      return next.promise;
    };
    goUp();
    say(word(5, "polled"));
    asked[0]?.resolve(false);
    await clock.advance(500);
    say(word(5, "polled"));
    expect(believed()).toBeUndefined();
    asked[1]?.resolve(true);
    await settle();
    say(word(5, "streamed"));
    expect(believed()).toBe("streamed");
  });

  test("is ignored until the answer that belongs to the last connection", async () => {
    const asked: PromiseWithResolvers<boolean>[] = [];
    beat = () => {
      const next = Promise.withResolvers<boolean>();
      asked.push(next);
      return next.promise;
    };
    goUp();
    goUp();
    asked[0]?.resolve(true);
    await settle();
    say(word(5, "polled"));
    expect(believed()).toBeUndefined();
    asked[1]?.resolve(true);
    await settle();
    say(word(5, "streamed"));
    expect(believed()).toBe("streamed");
  });
});

describe("the node that leases a user's shard", () => {
  const words = () => told.filter(([kind]) => kind === "word");
  const look = () => say(["look", ADA, { watched: true, onStream: 0 }]);
  beforeEach(async () => {
    table.epoch = 3;
    say(["took", [[SHARD, 3]]], "me");
    look();
    await settle();
  });

  test("watches for those who look, and tells its epoch with each word", () => {
    expect(orders).toEqual(["watch"]);
    expect(words()).toMatchObject([["word", ADA, 3, {}]]);
  });

  test("tells nothing from the moment its lease has ended, noticed or not", async () => {
    connections = [{ ...silent, state: { kind: "unlinked" } }];
    watcher?.onChange();
    await settle();
    expect(words()).toHaveLength(2);
    table.epoch = undefined;
    table.newest = 4;
    connections = [silent];
    watcher?.onChange();
    await settle();
    expect(words()).toHaveLength(2);
    look();
    expect(orders).toEqual(["watch", "stop"]);
  });

  test("stops watching when another one has taken it, whatever it believes of its lease", async () => {
    say(["took", [[SHARD, 4]]]);
    expect(orders).toEqual(["watch", "stop"]);
    told = [];
    watcher?.onChange();
    look();
    await settle();
    expect(words()).toEqual([]);
    expect(orders).toEqual(["watch", "stop"]);
  });

  test("keeps those who look while it does not know who lives", async () => {
    Object.assign(table, { epoch: undefined, standing: false, nodes: [] });
    await clock.advance(60_000);
    tellLeases();
    expect(orders).toEqual(["watch", "stop"]);
    Object.assign(table, { epoch: 3, standing: true, nodes: ["me", "b"] });
    tellLeases();
    expect(orders).toEqual(["watch", "stop", "watch"]);
  });

  test("forgets those who look from a node that no longer lives", async () => {
    table.nodes = ["me"];
    await clock.advance(8_001);
    tellLeases();
    expect(orders).toEqual(["watch", "stop"]);
  });

  test("repeats itself and asks the others when its leases have lapsed", async () => {
    told = [];
    tellLeases();
    await settle();
    expect(told).toEqual([]);
    lapses += 1;
    tellLeases();
    await settle();
    expect(told.map(([kind]) => kind)).toEqual(["hello", "word"]);
  });
});

test("a node watches nobody whose shard it was not told to have", () => {
  say(["look", ADA, { watched: true, onStream: 0 }]);
  expect(watcher).toBeUndefined();
});
