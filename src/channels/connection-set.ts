import { describeError } from "../log.ts";
import type { Demand } from "../sources/source.ts";
import { retryDelayMs } from "./backoff.ts";
import {
  type ConnectionState,
  type HeardConnection,
  type Report,
  stateAfter,
  stateBeforeReports,
} from "./connection-state.ts";
import {
  createWatcher,
  type WatchedConnection,
  type Watcher,
  type WatcherDeps,
} from "./watcher.ts";

/** All connections of a user, each with its own watcher. */
export interface ConnectionSet {
  /** In the user's order, with their current states; `undefined` before they are known. */
  readonly connections: readonly HeardConnection[] | undefined;
  /** The ids of the stored connections that are watched now, in the user's order. */
  watchedIds(): number[];
  /** Reads the user's connections. Starts and stops the watchers of those that have changed. */
  follow(): Promise<void>;
  /** Stops all watchers. Statuses and pauses are kept for the next start. */
  stop(): void;
}

export interface ConnectionSetDeps {
  readonly userId: number;
  readonly demand: Demand;
  /** Is called after a report, or after the connections or their order have changed. */
  onChange(): void;
}

interface Member extends HeardConnection {
  state: ConnectionState;
  readonly watcher: Watcher;
  /** Ends its watching; `undefined` while it is not watched. */
  run: AbortController | undefined;
}

const UNTRIED: ConnectionState = { kind: "waiting", sinceMs: -Infinity, pause: undefined };

export function createConnectionSet(
  { userId, demand, onChange }: ConnectionSetDeps,
  deps: WatcherDeps,
): ConnectionSet {
  const { clock, log } = deps;
  let members: readonly Member[] = [];
  let connections: readonly HeardConnection[] | undefined;
  let areKnown = false;
  /** Counts the calls of `follow` and `stop`: the last one wins. */
  let turn = 0;
  let failures = 0;

  const memberFor = ({ connectionId, delivery, pollsEveryMs }: WatchedConnection): Member => ({
    connectionId,
    delivery,
    ...(pollsEveryMs !== undefined && { pollsEveryMs }),
    state: UNTRIED,
    watcher: createWatcher(userId, connectionId, deps),
    run: undefined,
  });

  const apply = (member: Member, report: Report) => {
    member.state = stateAfter(member, report, clock.monotonicMs());
    onChange();
  };

  const watch = async (member: Member, connection: WatchedConnection, run: AbortController) => {
    const { signal } = run;
    for await (const report of member.watcher.watch({ connection, demand, signal })) {
      if (signal.aborted) return;
      apply(member, report);
    }
    // The user has to connect again.
    if (member.run === run) member.run = undefined;
  };

  const start = (member: Member, connection: WatchedConnection) => {
    if (member.run) return;
    member.run = new AbortController();
    member.state = stateBeforeReports(member.state, clock.monotonicMs());
    void watch(member, connection, member.run);
  };

  const end = (member: Member) => {
    member.run?.abort();
    member.run = undefined;
    member.state = stateBeforeReports(member.state, clock.monotonicMs());
  };

  const use = (found: readonly WatchedConnection[]) => {
    const before = members;
    members = found.map(
      (connection) =>
        before.find(({ connectionId }) => connectionId === connection.connectionId) ??
        memberFor(connection),
    );
    connections = members;
    areKnown = true;
    for (const gone of before) if (!members.includes(gone)) end(gone);
    for (const [index, connection] of found.entries()) {
      const member = members[index];
      if (member) start(member, connection);
    }
  };

  /** Tries again later. Connections that are known are watched meanwhile. */
  const retry = (error: unknown) => {
    failures += 1;
    const reason = describeError(error);
    if (failures === 1) log.error("a user's connections cannot be read", { user: userId, reason });
    const retryAfterMs = retryDelayMs(failures, deps.random());
    if (!areKnown) {
      const state = connections?.[0]?.state ?? UNTRIED;
      const unread = { connectionId: undefined, delivery: "streamed", state } as const;
      const report = { kind: "failed", retryAfterMs } as const;
      connections = [{ ...unread, state: stateAfter(unread, report, clock.monotonicMs()) }];
    }
    const mine = turn;
    clock.after(retryAfterMs, () => {
      if (mine === turn) void follow();
    });
  };

  const follow = async () => {
    turn += 1;
    const mine = turn;
    try {
      const found = await deps.connectionsOf(userId);
      if (mine !== turn) return;
      failures = 0;
      use(found);
    } catch (error) {
      if (mine !== turn) return;
      retry(error);
    }
    onChange();
  };

  return {
    get connections() {
      return connections;
    },
    watchedIds: () => members.flatMap(({ connectionId, run }) => (run && connectionId) ?? []),
    follow,
    stop() {
      turn += 1;
      failures = 0;
      connections = undefined;
      areKnown = false;
      for (const member of members) end(member);
    },
  };
}
