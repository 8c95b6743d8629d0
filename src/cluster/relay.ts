import { type HeardConnection, stateAfter } from "../channels/connection-state.ts";
import type { Watching, WatchingDeps } from "../channels/connection-set.ts";
import { createDemand, type ChangingDemand } from "../channels/demand.ts";
import type { HubRelay } from "../channels/hub.ts";
import type { Clock } from "../clock.ts";
import { describeError, type Log } from "../log.ts";
import type { Playback } from "../playback.ts";
import type { Bus } from "./bus.ts";
import { type Leases, shardOf, SHARDS } from "./leases.ts";
import type { Look, Message, Node, ToldPlayback, Word } from "./message.ts";
import {
  type ArtworkFrom,
  heardConnections,
  heardPlayback,
  toldConnection,
  toldPlayback,
} from "./word.ts";

/**
 * Watches each user on one node, the one that leases the user's shard, and tells all others what it
 * hears. Even the watching node's own channels hear only what comes back from the bus, so that all
 * nodes hear the same in the same order.
 */
export interface Relay extends HubRelay {
  /** Sets how many overlays of a user are on stream on this node. */
  setOnStream(userId: number, count: number): void;
  /** How many are on all nodes. */
  onStream(userId: number): number;
  /** Calls back when that may have changed. */
  onStreamChange(listener: (userId: number) => void): void;
  /** Shows a track on all of a user's overlays for `ms` milliseconds, on all nodes. */
  show(userId: number, playback: Playback, ms: number): void;
  onShow(listener: (userId: number, playback: Playback, ms: number) => void): void;
  /** The number of users whose music this node hears from the bus. */
  relayed(): number;
  /** The number of users whose connections this node watches. */
  watched(): number;
  /** Stops watching. */
  stop(): void;
}

export interface RelayDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
  readonly bus: Bus;
  readonly leases: Leases;
  /** Watches a user's connections on this node. */
  watch(deps: WatchingDeps): Watching;
  /** The ids of the user's connections that are not refused, in the user's order. */
  connectionIdsOf(userId: number): Promise<readonly number[]>;
  readonly artworkFrom: ArtworkFrom;
  /** Is called with what is about to be told, so that its pictures are there for others. */
  onTold?(userId: number, connections: readonly HeardConnection[]): void;
}

/** A user whose music this node hears from the bus. */
interface Relayed {
  readonly of: WatchingDeps;
  connections: readonly HeardConnection[] | undefined;
  watchedSinceMs: number | undefined;
  onStreamElsewhere: number;
  /** Ends the following of its demand. */
  readonly run: AbortController;
}

interface Looker {
  readonly look: Look;
  /** Monotonic. */
  readonly heardAtMs: number;
}

/** A user of a shard that this node leases, or has just leased. */
interface Owned {
  readonly lookers: Map<Node, Looker>;
  readonly demand: ChangingDemand;
  readonly watching: Watching;
  isWatching: boolean;
  watchedSinceMs: number | undefined;
  /** What was told last. */
  told: readonly HeardConnection[] | undefined;
  isToBeTold: boolean;
}

/** A node that is not among the living may have come after the last beat. */
const GONE_AFTER_MS = 8_000;
/** After messages were missed, what nobody has repeated until then no longer holds. */
const REPEATED_WITHIN_MS = 5_000;
/** When a channel whose node is cut off is tried again, as far as anybody can say. */
const CUT_OFF_RETRY_MS = 1_000;
/** A bus that has not been heard for a moment is often back before anybody has to be told. */
const PATIENCE_MS = 2_000;
/** The epochs are asked for so soon again when the database did not answer. */
const RETRY_MS = 500;

export function createRelay(deps: RelayDeps): Relay {
  const { clock, log, bus, leases } = deps;
  const { node } = bus;
  const relayed = new Map<number, Relayed>();
  const owned = new Map<number, Owned>();
  const onStreamHere = new Map<number, number>();
  const streamListeners: ((userId: number) => void)[] = [];
  const showListeners: ((userId: number, playback: Playback, ms: number) => void)[] = [];
  /** Shards whose looks this node collects: it has heard that it leases them. */
  const mine = new Set<number>();
  /** The newest epoch heard for each shard: words of an older one are ignored. */
  const newest = new Array<number>(SHARDS).fill(0);
  /** Between a new connection to the bus and the knowledge of the epochs that were missed. */
  let isDeaf = true;
  /** Counts the times that the bus came up: only the last one ends the deafness. */
  let turn = 0;
  let { lapses } = leases;
  let isStopped = false;

  const isWatchedBy = ({ lookers }: Owned): boolean =>
    lookers.values().some(({ look }) => look.watched);

  const raise = (shard: number, epoch: number) => {
    newest[shard] = Math.max(newest[shard] ?? 0, epoch);
  };

  // As somebody who looks

  const tellLook = (userId: number) => {
    const looking = relayed.get(userId);
    if (!looking) return;
    const { watched } = looking.of.demand;
    bus.tell(["look", userId, { watched, onStream: onStreamHere.get(userId) ?? 0 }]);
  };

  const followDemand = async ({ of: { userId, demand }, run: { signal } }: Relayed) => {
    while (!signal.aborted) {
      const event = await demand.nextChange(signal);
      if (signal.aborted) return;
      if (event === "asked") bus.tell(["ask", userId]);
      else tellLook(userId);
    }
  };

  const begin = (of: WatchingDeps): Relayed => {
    const looking: Relayed = {
      of,
      connections: undefined,
      watchedSinceMs: undefined,
      onStreamElsewhere: 0,
      run: new AbortController(),
    };
    relayed.set(of.userId, looking);
    void followDemand(looking);
    tellLook(of.userId);
    if (!bus.up) failSoon(looking);
    return looking;
  };

  const end = (userId: number) => {
    const looking = relayed.get(userId);
    if (!looking) return;
    relayed.delete(userId);
    looking.run.abort();
    bus.tell(["look", userId, null]);
  };

  const hearWord = (userId: number, { watchedForMs, onStream, connections }: Word) => {
    const looking = relayed.get(userId);
    if (!looking) return;
    const nowMs = clock.monotonicMs();
    const before = looking.connections;
    looking.watchedSinceMs = watchedForMs === undefined ? undefined : nowMs - watchedForMs;
    const others = Math.max(0, onStream - (onStreamHere.get(userId) ?? 0));
    const isOtherCount = others !== looking.onStreamElsewhere;
    looking.onStreamElsewhere = others;
    // A node that has just taken the user over may not know the connections yet.
    looking.connections = connections
      ? heardConnections(connections, before, nowMs, deps.artworkFrom)
      : before;
    if (looking.connections) looking.of.onChange();
    if (isOtherCount) for (const listener of streamListeners) listener(userId);
  };

  /** The bus is not heard: what was heard holds as long as after any other failure. */
  const fail = (looking: Relayed) => {
    const nowMs = clock.monotonicMs();
    const report = { kind: "failed", retryAfterMs: CUT_OFF_RETRY_MS } as const;
    const unread: HeardConnection = {
      connectionId: undefined,
      delivery: "streamed",
      state: { kind: "waiting", sinceMs: nowMs, pause: undefined },
    };
    const connections = looking.connections ?? [unread];
    looking.connections = connections.map((connection) =>
      connection.state.kind === "unlinked" || connection.state.kind === "silent"
        ? connection
        : { ...connection, state: stateAfter(connection, report, nowMs) },
    );
    looking.of.onChange();
  };

  /** What was never known is waited for a moment. */
  const failSoon = (looking: Relayed) => {
    if (looking.connections) return fail(looking);
    clock.after(PATIENCE_MS, () => {
      if (!bus.up && !looking.run.signal.aborted && !looking.connections) fail(looking);
    });
  };

  // As the one who watches

  const ownedOf = (userId: number): Owned => {
    const known = owned.get(userId);
    if (known) return known;
    const lookers = new Map<Node, Looker>();
    const demand = createDemand(() => lookers.values().some(({ look }) => look.watched));
    const user: Owned = {
      lookers,
      demand,
      watching: deps.watch({ userId, demand, onChange: () => planWord(userId, user) }),
      isWatching: false,
      watchedSinceMs: undefined,
      told: undefined,
      isToBeTold: false,
    };
    owned.set(userId, user);
    return user;
  };

  /** Several reports of one moment are told together. */
  const planWord = (userId: number, user: Owned, always = false) => {
    if (always) user.told = undefined;
    if (user.isToBeTold) return;
    user.isToBeTold = true;
    queueMicrotask(() => {
      user.isToBeTold = false;
      tellWord(userId, user);
    });
  };

  const tellWord = (userId: number, user: Owned) => {
    const epoch = leases.epochOf(shardOf(userId));
    if (epoch === undefined || owned.get(userId) !== user || !user.isWatching) return;
    const { connections } = user.watching;
    if (connections && user.told && !isWorthTelling(connections, user.told, isWatchedBy(user))) {
      return;
    }
    // States change in place, so what is kept to compare with is a copy.
    user.told = connections?.map((connection) => ({ ...connection }));
    if (connections) deps.onTold?.(userId, connections);
    const nowMs = clock.monotonicMs();
    const onStream = user.lookers.values().reduce((sum, { look }) => sum + look.onStream, 0);
    bus.tell([
      "word",
      userId,
      epoch,
      {
        ...(user.watchedSinceMs !== undefined && { watchedForMs: nowMs - user.watchedSinceMs }),
        onStream,
        ...(connections && { connections: connections.map((one) => toldConnection(one, nowMs)) }),
      },
    ]);
  };

  /** Starts or stops a user's watching, as the lease and those who look want it. */
  const review = (userId: number, user: Owned) => {
    const isLeased = leases.epochOf(shardOf(userId)) !== undefined;
    // Nobody would hear what is told while the bus is not heard.
    const mayBegin = user.isWatching || !isDeaf;
    const isWanted = isLeased && !isStopped && user.lookers.size > 0 && mayBegin;
    const isWatched = isWatchedBy(user);
    const wasWatched = user.watchedSinceMs !== undefined;
    if (isWatched !== wasWatched) {
      user.watchedSinceMs = isWatched ? clock.monotonicMs() : undefined;
      user.demand.change("changed");
    }
    if (isWanted === user.isWatching) return;
    user.isWatching = isWanted;
    user.told = undefined;
    if (isWanted) void user.watching.follow();
    else user.watching.stop();
  };

  const forget = (shard: number) => {
    mine.delete(shard);
    for (const [userId, user] of owned) {
      if (shardOf(userId) !== shard) continue;
      owned.delete(userId);
      if (user.isWatching) user.watching.stop();
      user.isWatching = false;
    }
  };

  const hearLook = (from: Node, userId: number, look: Look | null) => {
    if (!mine.has(shardOf(userId))) return;
    if (!look && !owned.has(userId)) return;
    const user = ownedOf(userId);
    if (look) user.lookers.set(from, { look, heardAtMs: clock.monotonicMs() });
    else user.lookers.delete(from);
    review(userId, user);
    planWord(userId, user, true);
  };

  const dropLookers = (isGone: (name: Node, looker: Looker) => boolean) => {
    for (const [userId, user] of owned) {
      let isChanged = false;
      for (const [name, looker] of user.lookers) {
        if (isGone(name, looker)) isChanged = user.lookers.delete(name) || isChanged;
      }
      review(userId, user);
      if (isChanged) planWord(userId, user, true);
    }
  };

  // Leases and the bus

  const hearTook = (from: Node, shard: number, epoch: number) => {
    raise(shard, epoch);
    if (from === node) mine.add(shard);
    else forget(shard);
    for (const userId of relayed.keys()) if (shardOf(userId) === shard) tellLook(userId);
  };

  const hear = (message: Message, from: Node) => {
    switch (message[0]) {
      case "took":
        for (const [shard, epoch] of message[1]) hearTook(from, shard, epoch);
        return;
      case "hello":
        if (from !== node) for (const userId of relayed.keys()) tellLook(userId);
        return;
      case "look":
        return hearLook(from, message[1], message[2]);
      case "ask":
        return owned.get(message[1])?.demand.change("asked");
      case "word": {
        const [, userId, epoch, word] = message;
        const shard = shardOf(userId);
        if (isDeaf || epoch < (newest[shard] ?? 0)) return;
        raise(shard, epoch);
        return hearWord(userId, word);
      }
      case "show": {
        const [, userId, ms, told] = message;
        return hearShow(userId, told, ms);
      }
      default:
    }
  };

  const hearShow = (userId: number, told: ToldPlayback, ms: number) => {
    const playback = heardPlayback(told, clock.monotonicMs(), deps.artworkFrom);
    for (const listener of showListeners) listener(userId, playback, ms);
  };

  const followLeases = () => {
    const nowMs = clock.monotonicMs();
    const alive = new Set(leases.nodes);
    for (let shard = 0; shard < SHARDS; shard++) {
      if (leases.epochOf(shard) !== undefined) mine.add(shard);
    }
    dropLookers(
      (name, { heardAtMs }) =>
        leases.standing && !alive.has(name) && nowMs - heardAtMs > GONE_AFTER_MS,
    );
    // The others may have believed that this node was gone, and what it heard meanwhile was not told.
    const isBack = leases.lapses !== lapses;
    lapses = leases.lapses;
    if (isBack && !isDeaf) announce();
  };

  /** Repeats what others may have missed or forgotten, and asks for what was missed here. */
  const announce = () => {
    bus.tell(["hello"]);
    for (const userId of relayed.keys()) tellLook(userId);
    for (const [userId, user] of owned) planWord(userId, user, true);
    const sinceMs = clock.monotonicMs();
    clock.after(REPEATED_WITHIN_MS, () => {
      if (!isStopped) dropLookers((_, { heardAtMs }) => heardAtMs < sinceMs);
    });
  };

  /** Words of an older owner must not be believed because the news of a newer one was missed. */
  const followBus = async () => {
    turn += 1;
    const mine = turn;
    isDeaf = true;
    while (!(await leases.beat())) {
      await clock.sleep(RETRY_MS, new AbortController().signal);
      if (mine !== turn || isStopped) return;
    }
    if (mine !== turn || isStopped) return;
    for (let shard = 0; shard < SHARDS; shard++) raise(shard, leases.newestEpochOf(shard));
    isDeaf = false;
    for (const [userId, user] of owned) review(userId, user);
    announce();
  };

  bus.hear(hear);
  bus.onUp(() => void followBus());
  bus.onDown(() => {
    for (const looking of [...relayed.values()]) failSoon(looking);
  });
  leases.onChange(followLeases);
  if (bus.up) void followBus();

  return {
    watch(of) {
      const { userId } = of;
      return {
        get connections() {
          return relayed.get(userId)?.connections;
        },
        get watchedSinceMs() {
          return relayed.get(userId)?.watchedSinceMs;
        },
        watchedIds: () =>
          (relayed.get(userId)?.connections ?? []).flatMap(
            ({ connectionId }) => connectionId ?? [],
          ),
        async follow() {
          if (!relayed.has(userId)) begin(of);
        },
        stop: () => end(userId),
      };
    },
    async followConnections(of) {
      for (const [userId, user] of owned) {
        if (!user.isWatching || (of !== undefined && of !== userId)) continue;
        try {
          const ids = await deps.connectionIdsOf(userId);
          if (!user.isWatching || Bun.deepEquals(ids, user.watching.watchedIds())) continue;
          await user.watching.follow();
        } catch (error) {
          log.error("a change could not be followed", { reason: describeError(error) });
        }
      }
    },
    setOnStream(userId, count) {
      if (count === (onStreamHere.get(userId) ?? 0)) return;
      if (count > 0) onStreamHere.set(userId, count);
      else onStreamHere.delete(userId);
      tellLook(userId);
    },
    onStream: (userId) =>
      (onStreamHere.get(userId) ?? 0) + (relayed.get(userId)?.onStreamElsewhere ?? 0),
    onStreamChange: (listener) => void streamListeners.push(listener),
    show: (userId, playback, ms) =>
      bus.tell(["show", userId, ms, toldPlayback(playback, clock.monotonicMs())]),
    onShow: (listener) => void showListeners.push(listener),
    relayed: () => relayed.size,
    watched: () => owned.values().reduce((sum, { isWatching }) => sum + (isWatching ? 1 : 0), 0),
    stop() {
      isStopped = true;
      for (const { run } of relayed.values()) run.abort();
      relayed.clear();
      for (const [userId, user] of owned) review(userId, user);
    },
  };
}

/**
 * Whether connections say more than when they were last told. That a source has answered the same
 * again is news only to those who judge an answer by its age: while nobody follows every change, or
 * where the source has a steady interval.
 */
function isWorthTelling(
  connections: readonly HeardConnection[],
  told: readonly HeardConnection[],
  isWatched: boolean,
): boolean {
  if (!isWatched || connections.length !== told.length) return true;
  return connections.some((connection, index) => {
    const before = told[index];
    if (!before || before.connectionId !== connection.connectionId) return true;
    const { state, pollsEveryMs } = connection;
    if (state === before.state) return false;
    if (pollsEveryMs !== undefined || state.kind !== "heard" || before.state.kind !== "heard") {
      return true;
    }
    return !Bun.deepEquals({ ...state, heardAtMs: 0 }, { ...before.state, heardAtMs: 0 });
  });
}
