import { type KnownConnection, stateAfter } from "../channels/connection-state.ts";
import type { Watching, WatchingDeps } from "../channels/connection-set.ts";
import type { Clock } from "../clock.ts";
import type { Bus } from "./bus.ts";
import type { OnStreamCounts } from "./cluster.ts";
import { shardOf } from "./leases.ts";
import type { UserReport } from "./message.ts";
import { type ArtworkFrom, shiftConnections } from "./shift.ts";

/** The users in whose music this node is interested, whichever node watches them. */
export interface Subscriptions extends OnStreamCounts {
  /** What a channel gets instead of its own watchers. */
  watch(of: WatchingDeps): Watching;
  /** Takes in what the holder of a user's shard has published. */
  receive(userId: number, report: UserReport): void;
  /** Publishes this node's interests again, in the users of all shards or of one. */
  publish(shard?: number): void;
  /** The bus is down: what is known of all users holds as long as after any other failure. */
  failAll(): void;
  count(): number;
  stop(): void;
}

export interface SubscriptionsDeps {
  readonly clock: Clock;
  readonly bus: Pick<Bus, "send" | "up">;
  readonly artworkFrom: ArtworkFrom;
}

interface Subscription {
  readonly of: WatchingDeps;
  connections: readonly KnownConnection[] | undefined;
  watchedSinceMs: number | undefined;
  onStreamElsewhere: number;
  /** Ends the following of its demand. */
  readonly run: AbortController;
}

/** When a channel whose node is cut off is tried again, as far as anybody can say. */
const CUT_OFF_RETRY_MS = 1_000;
/** A bus that is down for a moment is often back before anybody has to see a failure. */
const PATIENCE_MS = 2_000;

export function createSubscriptions({ clock, bus, artworkFrom }: SubscriptionsDeps): Subscriptions {
  const subscriptions = new Map<number, Subscription>();
  const onStreamHere = new Map<number, number>();
  const streamListeners: ((userId: number) => void)[] = [];

  const publish = (userId: number) => {
    const subscription = subscriptions.get(userId);
    if (!subscription) return;
    const { watched } = subscription.of.demand;
    bus.send(["interest", userId, { watched, onStream: onStreamHere.get(userId) ?? 0 }]);
  };

  const followDemand = async ({ of: { userId, demand }, run: { signal } }: Subscription) => {
    while (!signal.aborted) {
      const event = await demand.nextChange(signal);
      if (signal.aborted) return;
      if (event === "asked") bus.send(["ask", userId]);
      else publish(userId);
    }
  };

  const fail = (subscription: Subscription) => {
    subscription.connections = failed(subscription.connections, clock.monotonicMs());
    subscription.of.onChange();
  };

  /** What was never known is waited for a moment. */
  const failSoon = (subscription: Subscription) => {
    if (subscription.connections) return fail(subscription);
    clock.after(PATIENCE_MS, () => {
      if (!bus.up && !subscription.run.signal.aborted && !subscription.connections) {
        fail(subscription);
      }
    });
  };

  const begin = (of: WatchingDeps) => {
    const subscription: Subscription = {
      of,
      connections: undefined,
      watchedSinceMs: undefined,
      onStreamElsewhere: 0,
      run: new AbortController(),
    };
    subscriptions.set(of.userId, subscription);
    void followDemand(subscription);
    publish(of.userId);
    if (!bus.up) failSoon(subscription);
  };

  const end = (userId: number) => {
    const subscription = subscriptions.get(userId);
    if (!subscription) return;
    subscriptions.delete(userId);
    subscription.run.abort();
    bus.send(["interest", userId, null]);
  };

  return {
    watch: (of) => ({
      get connections() {
        return subscriptions.get(of.userId)?.connections;
      },
      get watchedSinceMs() {
        return subscriptions.get(of.userId)?.watchedSinceMs;
      },
      async follow() {
        if (!subscriptions.has(of.userId)) begin(of);
      },
      stop: () => end(of.userId),
    }),
    receive(userId, { nowMs, watchedSinceMs, onStream, connections }) {
      const subscription = subscriptions.get(userId);
      if (!subscription) return;
      const byMs = clock.monotonicMs() - nowMs;
      const before = subscription.connections;
      subscription.watchedSinceMs =
        watchedSinceMs === undefined ? undefined : watchedSinceMs + byMs;
      const others = Math.max(0, onStream - (onStreamHere.get(userId) ?? 0));
      const isOtherCount = others !== subscription.onStreamElsewhere;
      subscription.onStreamElsewhere = others;
      // A node that has just taken the user over may not know the connections yet.
      subscription.connections = connections
        ? shiftConnections(connections, before, byMs, artworkFrom)
        : before;
      if (subscription.connections) subscription.of.onChange();
      if (isOtherCount) for (const listener of streamListeners) listener(userId);
    },
    publish(shard) {
      for (const userId of subscriptions.keys()) {
        if (shard === undefined || shardOf(userId) === shard) publish(userId);
      }
    },
    failAll() {
      for (const subscription of [...subscriptions.values()]) failSoon(subscription);
    },
    setOnStream(userId, count) {
      if (count === (onStreamHere.get(userId) ?? 0)) return;
      if (count > 0) onStreamHere.set(userId, count);
      else onStreamHere.delete(userId);
      publish(userId);
      for (const listener of streamListeners) listener(userId);
    },
    onStream: (userId) =>
      (onStreamHere.get(userId) ?? 0) + (subscriptions.get(userId)?.onStreamElsewhere ?? 0),
    onStreamChange: (listener) => void streamListeners.push(listener),
    count: () => subscriptions.size,
    stop() {
      for (const { run } of subscriptions.values()) run.abort();
      subscriptions.clear();
    },
  };
}

/** The connections of a user of whom nothing can be received. */
function failed(
  connections: readonly KnownConnection[] | undefined,
  nowMs: number,
): readonly KnownConnection[] {
  const report = { kind: "failed", retryAfterMs: CUT_OFF_RETRY_MS } as const;
  const unread: KnownConnection = {
    connectionId: undefined,
    delivery: "streamed",
    state: { kind: "waiting", sinceMs: nowMs, pause: undefined },
  };
  return (connections ?? [unread]).map((connection) =>
    connection.state.kind === "unlinked" || connection.state.kind === "silent"
      ? connection
      : { ...connection, state: stateAfter(connection, report, nowMs) },
  );
}
