import type { Playback } from "../playback.ts";
import type { Bus } from "./bus.ts";
import type { Relay } from "./cluster.ts";
import { HOLD_MS, type Leases, shardOf, SHARDS } from "./leases.ts";
import type { Message, Node } from "./message.ts";
import { createSubscriptions, type SubscriptionsDeps } from "./subscriptions.ts";
import { createWatchedUsers, type WatchedUsersDeps } from "./watched-users.ts";
import { shiftPlayback } from "./shift.ts";

export interface SharedRelayDeps
  extends SubscriptionsDeps, Omit<WatchedUsersDeps, "isCatchingUp" | "bus"> {
  readonly bus: Bus;
  readonly leases: Leases;
}

/** After messages were missed, what nobody has repeated until then no longer holds. */
const REPEATED_WITHIN_MS = 5_000;
/** The terms are asked for so soon again when the database did not answer. */
const RETRY_MS = 500;

/**
 * Watches each user on one node, the one that holds the lease of the user's shard, which publishes
 * what it gets to all. Even its own channels show only what comes back from the bus, so that all
 * nodes receive the same in the same order.
 */
export function createSharedRelay(deps: SharedRelayDeps): Relay {
  const { clock, bus, leases } = deps;
  /** Between a new connection to the bus and the knowledge of the terms that were missed. */
  let isCatchingUp = true;
  /** Counts the times that the bus came up: only the last one ends the catching up. */
  let turn = 0;
  let { lapses } = leases;
  let isStopped = false;
  /** The newest term known of each shard: reports of an older one are ignored. */
  const newest = new Array<number>(SHARDS).fill(0);
  const demandListeners: ((widgetId: number, ms: number) => void)[] = [];
  const showListeners: ((userId: number, playback: Playback, ms: number) => void)[] = [];
  const subscriptions = createSubscriptions(deps);
  const users = createWatchedUsers({ ...deps, isCatchingUp: () => isCatchingUp });

  const raise = (shard: number, term: number) => {
    newest[shard] = Math.max(newest[shard] ?? 0, term);
  };

  const receiveLease = (from: Node, shard: number, term: number) => {
    raise(shard, term);
    if (from === bus.node) users.hold(shard);
    else users.forget(shard);
    subscriptions.publish(shard);
  };

  const receive = (message: Message, from: Node) => {
    switch (message[0]) {
      case "holds":
        for (const [shard, term] of message[1]) receiveLease(from, shard, term);
        return;
      case "repeat":
        if (from !== bus.node) subscriptions.publish();
        return;
      case "interest":
        return users.receiveInterest(from, message[1], message[2]);
      case "ask":
        return users.ask(message[1]);
      case "report": {
        const [, userId, term, report] = message;
        const shard = shardOf(userId);
        if (isCatchingUp || term < (newest[shard] ?? 0)) return;
        raise(shard, term);
        return subscriptions.receive(userId, report);
      }
      case "show": {
        const [, userId, ms, sent, sentAtMs] = message;
        const playback = shiftPlayback(sent, clock.monotonicMs() - sentAtMs, deps.artworkFrom);
        for (const listener of showListeners) listener(userId, playback, ms);
        return;
      }
      case "demand":
        for (const listener of demandListeners) listener(message[1], message[2]);
        return;
      default:
    }
  };

  const followLeases = () => {
    const nowMs = clock.monotonicMs();
    const alive = new Set(leases.nodes);
    for (let shard = 0; shard < SHARDS; shard++) {
      if (leases.termOf(shard) !== undefined) users.hold(shard);
    }
    // One that is not among the living may have come after the last beat.
    users.dropSubscribers(
      (name, { receivedAtMs }) =>
        leases.standing && !alive.has(name) && nowMs - receivedAtMs > HOLD_MS,
    );
    // The others may have believed that this node was gone, and it published nothing meanwhile.
    const isBack = leases.lapses !== lapses;
    lapses = leases.lapses;
    if (isBack && !isCatchingUp) announce();
  };

  /** Repeats what others may have missed or forgotten, and asks for what was missed here. */
  const announce = () => {
    bus.send(["repeat"]);
    subscriptions.publish();
    users.publish();
    const sinceMs = clock.monotonicMs();
    clock.after(REPEATED_WITHIN_MS, () => {
      if (!isStopped) users.dropSubscribers((_, { receivedAtMs }) => receivedAtMs < sinceMs);
    });
  };

  /** Reports of a former holder must not be believed because the news of its successor was missed. */
  const catchUp = async () => {
    turn += 1;
    const mine = turn;
    isCatchingUp = true;
    while (!(await leases.beat())) {
      await clock.sleep(RETRY_MS, new AbortController().signal);
      if (mine !== turn || isStopped) return;
    }
    if (mine !== turn || isStopped) return;
    for (let shard = 0; shard < SHARDS; shard++) raise(shard, leases.newestTermOf(shard));
    isCatchingUp = false;
    users.review();
    announce();
  };

  bus.onMessage(receive);
  bus.onUp(() => void catchUp());
  bus.onDown(subscriptions.failAll);
  leases.onChange(followLeases);
  if (bus.up) void catchUp();

  return {
    watch: subscriptions.watch,
    followConnections: users.followConnections,
    setOnStream: subscriptions.setOnStream,
    onStream: subscriptions.onStream,
    onStreamChange: subscriptions.onStreamChange,
    show: (userId, playback, ms) => bus.send(["show", userId, ms, playback, clock.monotonicMs()]),
    onShow: (listener) => void showListeners.push(listener),
    showOnDemand: (widgetId, ms) => bus.send(["demand", widgetId, ms]),
    onDemand: (listener) => void demandListeners.push(listener),
    gauges: {
      shards: leases.held,
      relayed_channels: subscriptions.count,
      watched_users: users.count,
      bus_delay_seconds: () => (bus.up ? (bus.delayMs ?? NaN) / 1000 : NaN),
    },
    stop() {
      isStopped = true;
      subscriptions.stop();
      users.stop();
    },
  };
}
