import { attemptEach } from "../attempt-each.ts";
import type { KnownConnection } from "../channels/connection-state.ts";
import type { WatchingHere, WatchingDeps } from "../channels/connection-set.ts";
import { type ChangingDemand, createDemand } from "../channels/demand.ts";
import type { Clock } from "../clock.ts";
import type { Bus } from "./bus.ts";
import { type Leases, shardOf } from "./leases.ts";
import type { Interest, Node, UserReport } from "./message.ts";

/** A node that is interested in a user's music. */
export interface SubscribedNode {
  readonly interest: Interest;
  /** Monotonic. */
  readonly receivedAtMs: number;
}

/** The users whom this node watches for all others: those of the shards that it holds. */
export interface WatchedUsers {
  /** Takes in interests in a shard's users from now on. */
  hold(shard: number): void;
  /** Another node holds the shard. */
  forget(shard: number): void;
  receiveInterest(from: Node, userId: number, interest: Interest | null): void;
  /** A request wants a user's current state. */
  ask(userId: number): void;
  /** Drops the interests of nodes that have none any more. */
  dropSubscribers(isGone: (name: Node, subscriber: SubscribedNode) => boolean): void;
  /** Starts and stops the watching of all users, as leases and interests want it. */
  review(): void;
  /** Publishes all users' reports again. */
  publish(): void;
  /** Starts and stops the watching of connections that have changed, of one user or of all. */
  followConnections(userId?: number): Promise<void>;
  /** How many are watched. */
  count(): number;
  stop(): void;
}

export interface WatchedUsersDeps {
  readonly clock: Clock;
  readonly bus: Pick<Bus, "send">;
  readonly leases: Pick<Leases, "termOf">;
  /** Nobody would receive what is published while the node is catching up. */
  isCatchingUp(): boolean;
  /** Watches a user's connections on this node. */
  watch(deps: WatchingDeps): WatchingHere;
  /** The ids of the user's connections that are not refused, in the user's order. */
  connectionIdsOf(userId: number): Promise<readonly number[]>;
  /** Is called with what is about to be published, so that its pictures are there for others. */
  onPublish(userId: number, connections: readonly KnownConnection[]): void;
}

/** A user of a shard that this node holds, or held until a moment ago. */
interface User {
  readonly subscribers: Map<Node, SubscribedNode>;
  readonly demand: ChangingDemand;
  readonly watching: WatchingHere;
  isWatching: boolean;
  watchedSinceMs: number | undefined;
  /** What was published last. */
  published: readonly KnownConnection[] | undefined;
  isToBePublished: boolean;
}

export function createWatchedUsers(deps: WatchedUsersDeps): WatchedUsers {
  const { clock, bus, leases } = deps;
  const users = new Map<number, User>();
  /** Shards whose interests this node takes in: it has received that it holds them. */
  const held = new Set<number>();
  let isStopped = false;

  const userOf = (userId: number): User => {
    const known = users.get(userId);
    if (known) return known;
    const subscribers = new Map<Node, SubscribedNode>();
    const demand = createDemand(() => isFollowedBy(subscribers));
    const user: User = {
      subscribers,
      demand,
      watching: deps.watch({ userId, demand, onChange: () => planReport(userId, user) }),
      isWatching: false,
      watchedSinceMs: undefined,
      published: undefined,
      isToBePublished: false,
    };
    users.set(userId, user);
    return user;
  };

  /** Several changes of one moment are published together. */
  const planReport = (userId: number, user: User, always = false) => {
    if (always) user.published = undefined;
    if (user.isToBePublished) return;
    user.isToBePublished = true;
    queueMicrotask(() => {
      user.isToBePublished = false;
      publish(userId, user);
    });
  };

  const publish = (userId: number, user: User) => {
    const term = leases.termOf(shardOf(userId));
    if (term === undefined || users.get(userId) !== user || !user.isWatching) return;
    const { connections } = user.watching;
    if (connections && !isWorthPublishing(connections, user)) return;
    // States change in place, so what is kept to compare with is a copy.
    user.published = connections?.map((connection) => ({ ...connection }));
    if (connections) deps.onPublish(userId, connections);
    bus.send(["report", userId, term, reportOf(user, clock.monotonicMs())]);
  };

  /** Starts or stops a user's watching, as the lease and the subscribers want it. */
  const review = (user: User, userId: number) => {
    const isLeased = leases.termOf(shardOf(userId)) !== undefined;
    const mayBegin = user.isWatching || !deps.isCatchingUp();
    const isWanted = isLeased && !isStopped && user.subscribers.size > 0 && mayBegin;
    const isFollowed = isFollowedBy(user.subscribers);
    const wasFollowed = user.watchedSinceMs !== undefined;
    if (isFollowed !== wasFollowed) {
      user.watchedSinceMs = isFollowed ? clock.monotonicMs() : undefined;
      user.demand.change("changed");
    }
    if (isWanted === user.isWatching) return;
    user.isWatching = isWanted;
    user.published = undefined;
    if (isWanted) void user.watching.follow();
    else user.watching.stop();
  };

  return {
    hold: (shard) => void held.add(shard),
    forget(shard) {
      held.delete(shard);
      for (const [userId, user] of users) {
        if (shardOf(userId) !== shard) continue;
        users.delete(userId);
        if (user.isWatching) user.watching.stop();
        user.isWatching = false;
      }
    },
    receiveInterest(from, userId, interest) {
      if (!held.has(shardOf(userId))) return;
      if (!interest && !users.has(userId)) return;
      const user = userOf(userId);
      const receivedAtMs = clock.monotonicMs();
      if (interest) user.subscribers.set(from, { interest, receivedAtMs });
      else user.subscribers.delete(from);
      review(user, userId);
      planReport(userId, user, true);
    },
    ask: (userId) => users.get(userId)?.demand.change("asked"),
    dropSubscribers(isGone) {
      for (const [userId, user] of users) {
        let isChanged = false;
        for (const [name, subscriber] of user.subscribers) {
          if (isGone(name, subscriber)) isChanged = user.subscribers.delete(name) || isChanged;
        }
        review(user, userId);
        if (isChanged) planReport(userId, user, true);
      }
    },
    review: () => users.forEach(review),
    publish: () => users.forEach((user, userId) => planReport(userId, user, true)),
    async followConnections(of) {
      await attemptEach(users, async ([userId, user]) => {
        if (!user.isWatching || (of !== undefined && of !== userId)) return;
        const ids = await deps.connectionIdsOf(userId);
        if (!user.isWatching || Bun.deepEquals(ids, user.watching.watchedIds())) return;
        await user.watching.follow();
      });
    },
    count: () => users.values().reduce((sum, { isWatching }) => sum + (isWatching ? 1 : 0), 0),
    stop() {
      isStopped = true;
      users.forEach(review);
    },
  };
}

/** Whether any node follows every change. */
const isFollowedBy = (subscribers: ReadonlyMap<Node, SubscribedNode>): boolean =>
  subscribers.values().some(({ interest }) => interest.watched);

const reportOf = ({ watching, watchedSinceMs, subscribers }: User, nowMs: number): UserReport => ({
  nowMs,
  watchedSinceMs,
  onStream: subscribers.values().reduce((sum, { interest }) => sum + interest.onStream, 0),
  connections: watching.connections?.map(({ connectionId, delivery, pollsEveryMs, state }) => ({
    connectionId,
    delivery,
    ...(pollsEveryMs !== undefined && { pollsEveryMs }),
    state,
  })),
});

/**
 * Whether there is more to connections than when they were last published. That a source has answered the
 * same again is news only to those who judge an answer by its age: while nobody follows every
 * change, or where the source has a steady interval.
 */
function isWorthPublishing(
  connections: readonly KnownConnection[],
  { published, subscribers }: User,
): boolean {
  if (published?.length !== connections.length || !isFollowedBy(subscribers)) return true;
  return connections.some((connection, index) => {
    const before = published[index];
    if (!before || before.connectionId !== connection.connectionId) return true;
    const { state, pollsEveryMs } = connection;
    if (state === before.state) return false;
    if (
      pollsEveryMs !== undefined ||
      state.kind !== "reported" ||
      before.state.kind !== "reported"
    ) {
      return true;
    }
    return !Bun.deepEquals({ ...state, reportedAtMs: 0 }, { ...before.state, reportedAtMs: 0 });
  });
}
