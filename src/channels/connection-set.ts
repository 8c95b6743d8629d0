import { describeError } from "../log.ts";
import type { Demand } from "../sources/source.ts";
import { retryDelayMs } from "./backoff.ts";
import {
  type ConnectionState,
  type KnownConnection,
  stateAfter,
  stateBeforeReports,
} from "./connection-state.ts";
import { type WatchedConnection, Watcher, type WatcherDeps } from "./watcher.ts";

/** Whose connections are watched, and for whom. */
export interface Watching {
  readonly userId: number;
  readonly demand: Demand;
  /** Is called after a report, or after the connections or their order have changed. */
  notify(): void;
}

interface Member extends KnownConnection {
  state: ConnectionState;
  readonly watcher: Watcher;
  /** Ends its watching; `undefined` while it is not watched. */
  run: AbortController | undefined;
}

const UNTRIED: ConnectionState = { kind: "waiting", sinceMs: -Infinity, pause: undefined };

/**
 * All connections of a user, each with its own watcher. It is a class because there is one for
 * each user: functions of its own would take more memory than its state.
 */
export class ConnectionSet {
  /** In the user's order, with their current states; `undefined` before they are known. */
  connections: readonly KnownConnection[] | undefined;
  private members: readonly Member[] = [];
  /** How often in a row the connections could not be read. */
  private failures = 0;
  /** Drops the next attempt to read them. */
  private cancelRetry: (() => void) | undefined;
  private readonly watching: Watching;
  private readonly deps: WatcherDeps;

  constructor(watching: Watching, deps: WatcherDeps) {
    this.watching = watching;
    this.deps = deps;
  }

  /** Reads the user's connections. Starts and stops the watchers of those that have changed. */
  follow(): void {
    this.cancelRetry?.();
    try {
      this.use(this.deps.connectionsOf(this.watching.userId));
      this.failures = 0;
    } catch (error) {
      this.failures += 1;
      this.retry(error);
    }
    this.changed();
  }

  /** Stops all watchers. Statuses and pauses are kept for the next start. */
  stop(): void {
    this.cancelRetry?.();
    this.failures = 0;
    this.connections = undefined;
    for (const member of this.members) this.end(member);
  }

  private use(found: readonly WatchedConnection[]): void {
    const before = this.members;
    this.members = found.map(
      (connection) =>
        before.find(({ connectionId }) => connectionId === connection.connectionId) ??
        this.memberFor(connection),
    );
    this.connections = this.members;
    for (const gone of before) if (!this.members.includes(gone)) this.end(gone);
    this.members.forEach((member, index) => {
      const connection = found[index];
      if (connection && !member.run) void this.watch(member, connection);
    });
  }

  private memberFor({ connectionId, delivery, pollsEveryMs }: WatchedConnection): Member {
    return {
      connectionId,
      delivery,
      ...(pollsEveryMs !== undefined && { pollsEveryMs }),
      state: UNTRIED,
      watcher: new Watcher(this.watching.userId, connectionId, this.deps),
      run: undefined,
    };
  }

  private async watch(member: Member, connection: WatchedConnection): Promise<void> {
    const { clock } = this.deps;
    const run = new AbortController();
    const { signal } = run;
    member.run = run;
    member.state = stateBeforeReports(member.state, clock.monotonicMs());
    const { demand } = this.watching;
    for await (const report of member.watcher.watch({ connection, demand, signal })) {
      if (signal.aborted) return;
      member.state = stateAfter(member, report, clock.monotonicMs());
      this.changed();
    }
    // The user has to connect again.
    if (member.run === run) member.run = undefined;
  }

  /** What a source sends may be hostile: a failure here concerns this user alone. */
  private changed(): void {
    try {
      this.watching.notify();
    } catch (error) {
      const fields = { user: this.watching.userId, reason: describeError(error) };
      this.deps.log.error("what plays could not be worked out", fields);
    }
  }

  private end(member: Member): void {
    member.run?.abort();
    member.run = undefined;
    member.state = stateBeforeReports(member.state, this.deps.clock.monotonicMs());
  }

  /** Tries again later. Connections that are known are watched meanwhile. */
  private retry(error: unknown): void {
    const { clock, log, random } = this.deps;
    const fields = { user: this.watching.userId, reason: describeError(error) };
    if (this.failures === 1) log.error("a user's connections cannot be read", fields);
    const retryAfterMs = retryDelayMs(this.failures, random());
    if (!this.connections || this.connections !== this.members) {
      const state = this.connections?.[0]?.state ?? UNTRIED;
      const unread = { connectionId: undefined, delivery: "streamed", state } as const;
      const report = { kind: "failed", retryAfterMs } as const;
      this.connections = [{ ...unread, state: stateAfter(unread, report, clock.monotonicMs()) }];
    }
    this.cancelRetry = clock.after(retryAfterMs, () => this.follow());
  }
}
