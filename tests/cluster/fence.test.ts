import { beforeEach, describe, expect, test } from "bun:test";
import type { KnownConnection } from "../../src/channels/connection-state.ts";
import type { WatchingHere, WatchingDeps } from "../../src/channels/connection-set.ts";
import { createDemand } from "../../src/channels/demand.ts";
import { type Leases, shardOf } from "../../src/cluster/leases.ts";
import type { Message, Node } from "../../src/cluster/message.ts";
import type { Relay } from "../../src/cluster/cluster.ts";
import { createSharedRelay } from "../../src/cluster/relay.ts";
import { createFakeClock, type FakeClock, settle } from "../fixtures/clock/fake-clock.ts";

const ADA = 7;
const SHARD = shardOf(ADA);

let clock: FakeClock;
let deliver: (message: Message, from?: Node) => void;
let sent: Message[];
let goUp: () => void;
let beat: () => Promise<boolean>;
/** What the table has: what this node holds, and the newest term of each shard. */
let table: { term: number | undefined; newest: number; standing: boolean; nodes: string[] };
let lapses: number;
let followLeases: () => void;
let relay: Relay;
/** What this node's own watchers of Ada's music have to do. */
let orders: string[];
let watcher: WatchingDeps | undefined;
/** What they report. */
let connections: readonly KnownConnection[];

const silent: KnownConnection = {
  connectionId: 1,
  delivery: "pushed",
  state: { kind: "silent" },
};

beforeEach(async () => {
  clock = createFakeClock();
  sent = [];
  orders = [];
  watcher = undefined;
  connections = [silent];
  lapses = 1;
  table = { term: undefined, newest: 0, standing: true, nodes: ["me", "b"] };
  beat = async () => true;
  const leases: Leases = {
    termOf: (shard) => (shard === SHARD ? table.term : undefined),
    isOurs: () => table.term !== undefined,
    newestTermOf: () => table.newest,
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
    onChange: (listener) => void (followLeases = listener),
    release: async () => {},
  };
  const watching: WatchingHere = {
    get connections() {
      return connections;
    },
    watchedIds: () => [1],
    follow: async () => void orders.push("watch"),
    stop: () => void orders.push("stop"),
  };
  relay = createSharedRelay({
    clock,
    bus: {
      node: "me",
      send: (message) => void sent.push(message),
      onMessage: (listener) => void (deliver = (message, from = "b") => listener(message, from)),
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
    onPublish() {},
  });
  await settle();
});

/** The delivery of the last report that was believed shows which one it was. */
const report = (term: number, delivery: "polled" | "streamed"): Message => [
  "report",
  ADA,
  term,
  {
    nowMs: 0,
    onStream: 0,
    connections: [{ connectionId: 1, delivery, state: { kind: "silent" } }],
  },
];

describe("a report of a user whom another node watches", () => {
  let channel: ReturnType<Relay["watch"]>;
  const believed = () => channel.connections?.map(({ delivery }) => delivery).join();
  beforeEach(async () => {
    const demand = createDemand(() => true);
    channel = relay.watch({ userId: ADA, demand, onChange() {} });
    await channel.follow();
  });

  test("is believed when it is of the newest term", () => {
    deliver(["holds", [[SHARD, 5]]]);
    deliver(report(5, "polled"));
    expect(believed()).toBe("polled");
  });

  test("is ignored when a later holder has taken the shard", () => {
    deliver(["holds", [[SHARD, 5]]]);
    deliver(report(4, "polled"));
    expect(believed()).toBeUndefined();
  });

  test("is ignored when a later holder has published", () => {
    deliver(report(6, "streamed"));
    deliver(report(5, "polled"));
    expect(believed()).toBe("streamed");
  });

  test("is ignored when the table knows of a later holder", async () => {
    table.newest = 9;
    goUp();
    await settle();
    deliver(report(8, "polled"));
    expect(believed()).toBeUndefined();
    deliver(report(9, "streamed"));
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
    deliver(report(5, "polled"));
    asked[0]?.resolve(false);
    await clock.advance(500);
    deliver(report(5, "polled"));
    expect(believed()).toBeUndefined();
    asked[1]?.resolve(true);
    await settle();
    deliver(report(5, "streamed"));
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
    deliver(report(5, "polled"));
    expect(believed()).toBeUndefined();
    asked[1]?.resolve(true);
    await settle();
    deliver(report(5, "streamed"));
    expect(believed()).toBe("streamed");
  });
});

describe("the node that leases a user's shard", () => {
  const reports = () => sent.filter(([kind]) => kind === "report");
  const subscribe = () => deliver(["interest", ADA, { watched: true, onStream: 0 }]);
  beforeEach(async () => {
    table.term = 3;
    deliver(["holds", [[SHARD, 3]]], "me");
    subscribe();
    await settle();
  });

  test("watches for those who are interested, and publishes its term with each report", () => {
    expect(orders).toEqual(["watch"]);
    expect(reports()).toMatchObject([["report", ADA, 3, {}]]);
  });

  test("publishes nothing from the moment its lease has ended, noticed or not", async () => {
    connections = [{ ...silent, state: { kind: "unlinked" } }];
    watcher?.onChange();
    await settle();
    expect(reports()).toHaveLength(2);
    table.term = undefined;
    table.newest = 4;
    connections = [silent];
    watcher?.onChange();
    await settle();
    expect(reports()).toHaveLength(2);
    subscribe();
    expect(orders).toEqual(["watch", "stop"]);
  });

  test("stops watching when another one has taken it, whatever it believes of its lease", async () => {
    deliver(["holds", [[SHARD, 4]]]);
    expect(orders).toEqual(["watch", "stop"]);
    sent = [];
    watcher?.onChange();
    subscribe();
    await settle();
    expect(reports()).toEqual([]);
    expect(orders).toEqual(["watch", "stop"]);
  });

  test("keeps its subscribers while it does not know who lives", async () => {
    Object.assign(table, { term: undefined, standing: false, nodes: [] });
    await clock.advance(60_000);
    followLeases();
    expect(orders).toEqual(["watch", "stop"]);
    Object.assign(table, { term: 3, standing: true, nodes: ["me", "b"] });
    followLeases();
    expect(orders).toEqual(["watch", "stop", "watch"]);
  });

  test("forgets the interest of a node that no longer lives", async () => {
    table.nodes = ["me"];
    await clock.advance(8_001);
    followLeases();
    expect(orders).toEqual(["watch", "stop"]);
  });

  test("repeats itself and asks the others when its leases have lapsed", async () => {
    sent = [];
    followLeases();
    await settle();
    expect(sent).toEqual([]);
    lapses += 1;
    followLeases();
    await settle();
    expect(sent.map(([kind]) => kind)).toEqual(["repeat", "report"]);
  });
});

test("a node watches nobody whose shard it does not hold", () => {
  deliver(["interest", ADA, { watched: true, onStream: 0 }]);
  expect(watcher).toBeUndefined();
});
