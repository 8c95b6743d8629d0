import { describeError } from "../log.ts";
import {
  type Demand,
  type Said,
  type Source,
  SourceFailure,
  type WatchContext,
} from "../sources/source.ts";
import { retryDelayMs } from "./backoff.ts";
import { boundPlayback } from "./bounds.ts";
import type { Report } from "./connection-state.ts";
import { CALM_MS, StatusReporter, type StatusReporterDeps } from "./status-reporter.ts";

/** A user's connection, ready to be watched. */
export interface WatchedConnection extends Pick<Source, "delivery" | "pollsEveryMs"> {
  /** `undefined` when the user has connected nothing and gets the demo. */
  readonly connectionId: number | undefined;
  /** Whether its stored status was `ok` when it was read, so that the first one is not stored again. */
  readonly wasOk: boolean;
  watch(context: Omit<WatchContext, "connection">): AsyncIterable<Said>;
  /**
   * Stores that the upstream refuses this connection until the user connects again. Absent where
   * nothing is stored.
   */
  refuse?(): Promise<void>;
}

export interface WatcherDeps extends StatusReporterDeps {
  /** A number from 0 to 1. */
  random(): number;
  /** The user's connections that can be watched, in the user's order. */
  connectionsOf(userId: number): readonly WatchedConnection[];
}

interface WatcherRun {
  readonly connection: WatchedConnection;
  readonly demand: Demand;
  readonly signal: AbortSignal;
}

/** How one attempt to watch a connection has ended. */
type WatchEnd = "unlinked" | { readonly retryAfterMs?: number };

/**
 * Runs one connection's source, tries again when it fails, and reports the connection's status. A class,
 * because each connection has one.
 */
export class Watcher {
  private readonly userId: number;
  private readonly connectionId: number | undefined;
  private readonly deps: WatcherDeps;
  /** Kept between runs, so that a known failure is not reported as new after a restart. */
  private readonly status: StatusReporter;

  constructor(userId: number, connectionId: number | undefined, deps: WatcherDeps) {
    this.userId = userId;
    this.connectionId = connectionId;
    this.deps = deps;
    this.status = new StatusReporter(userId, connectionId, deps);
  }

  /** Yields the source's reports until the signal aborts or the user has to connect again. */
  async *watch({ connection: given, demand, signal }: WatcherRun): AsyncGenerator<Report> {
    const { status } = this;
    const { clock, log, random } = this.deps;
    signal.addEventListener("abort", () => status.pause());
    for (let failures = 0; !signal.aborted;) {
      let firstReportAtMs: number | undefined;
      let end: WatchEnd;
      let connection: WatchedConnection | undefined = given;
      try {
        if (failures > 0) connection = this.reopen();
        if (signal.aborted) return;
        if (!connection) return yield this.unlinked();
        for await (const playback of connection.watch({ signal, clock, log, demand })) {
          if (signal.aborted) return;
          if (playback === undefined) {
            yield { kind: "silent" };
            continue;
          }
          firstReportAtMs ??= clock.monotonicMs();
          status.ok(connection.wasOk);
          yield { kind: "reported", playback: playback && boundPlayback(playback) };
        }
        throw new SourceFailure({ kind: "unavailable" }, "the source ended by itself");
      } catch (error) {
        if (signal.aborted) return;
        end = await this.endOf(error, connection ?? given);
      }
      if (end === "unlinked") return yield this.unlinked();
      if (signal.aborted) return;
      // Retries of a player that closes after each answer must become slower, too.
      const wasCalm =
        firstReportAtMs !== undefined && clock.monotonicMs() - firstReportAtMs >= CALM_MS;
      failures = wasCalm ? 1 : failures + 1;
      const retryAfterMs = end.retryAfterMs ?? retryDelayMs(failures, random());
      yield { kind: "failed", retryAfterMs };
      await clock.sleep(retryAfterMs, signal);
    }
  }

  /** The connection with its current settings, which may have changed while it was watched. */
  private reopen(): WatchedConnection | undefined {
    const { userId, connectionId } = this;
    return this.deps.connectionsOf(userId).find((found) => found.connectionId === connectionId);
  }

  private async endOf(error: unknown, failed: WatchedConnection): Promise<WatchEnd> {
    const reason = describeError(error);
    const { status } = this;
    if (!(error instanceof SourceFailure)) {
      status.broken(reason);
      return {};
    }
    const { meaning } = error;
    if (meaning.kind === "unauthorized") return this.refuse(failed, reason);
    if (meaning.kind === "unavailable") {
      status.failed(meaning.reason ?? "unreachable", reason);
      return {};
    }
    status.failed(meaning.reason, reason, meaning.afterMs);
    return { retryAfterMs: meaning.afterMs };
  }

  private async refuse(refused: WatchedConnection, reason: string): Promise<WatchEnd> {
    const { log } = this.deps;
    try {
      await refused.refuse?.();
    } catch (error) {
      // If the disk is full, the refusal is found again after a restart of the server.
      log.error("a refusal could not be stored", { reason: describeError(error) });
    }
    const whose = { user: this.userId, connection: this.connectionId };
    log.warn("music has to be connected again", { ...whose, reason });
    return "unlinked";
  }

  private unlinked(): Report {
    this.status.pause();
    return { kind: "unlinked" };
  }
}
