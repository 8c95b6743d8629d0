import { describeError } from "../log.ts";
import type { Playback } from "../playback.ts";
import { type Demand, type Source, SourceFailure, type WatchContext } from "../sources/source.ts";
import { retryDelayMs } from "./backoff.ts";
import { boundPlayback } from "./bounds.ts";
import type { Report } from "./connection-state.ts";
import { CALM_MS, createStatusReporter, type StatusReporterDeps } from "./status-reporter.ts";

/** A user's connection, ready to be watched. */
export interface WatchedConnection extends Pick<Source, "delivery" | "pollsEveryMs"> {
  /** `undefined` when the user has connected nothing and gets the demo. */
  readonly connectionId: number | undefined;
  /** Whether its stored status was `ok` when it was read, so that the first one is not stored again. */
  readonly wasOk: boolean;
  watch(context: Omit<WatchContext, "connection">): AsyncIterable<Playback | null>;
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

/**
 * Runs one connection's source, tries again when it fails, and reports the connection's status. Yields the
 * source's reports until the signal aborts or the user has to connect again.
 */
export type Watch = (run: WatcherRun) => AsyncIterable<Report>;

interface WatcherRun {
  readonly connection: WatchedConnection;
  readonly demand: Demand;
  readonly signal: AbortSignal;
}

/** How one attempt to watch a connection has ended. */
type WatchEnd = "unlinked" | { readonly retryAfterMs?: number };

export function createWatcher(
  userId: number,
  connectionId: number | undefined,
  deps: WatcherDeps,
): Watch {
  const { clock, log, random } = deps;
  /** Kept between runs, so that a known failure is not reported as new after a restart. */
  const status = createStatusReporter(userId, connectionId, deps);

  /** The connection with its current settings, which may have changed while it was watched. */
  const reopen = (): WatchedConnection | undefined =>
    deps.connectionsOf(userId).find((found) => found.connectionId === connectionId);

  const refuse = async (refused: WatchedConnection, reason: string): Promise<WatchEnd> => {
    try {
      await refused.refuse?.();
    } catch (error) {
      // If the disk is full, the refusal is found again after a restart of the server.
      log.error("a refusal could not be stored", { reason: describeError(error) });
    }
    log.warn("music has to be connected again", { user: userId, connection: connectionId, reason });
    return "unlinked";
  };

  const endOf = async (error: unknown, failed: WatchedConnection): Promise<WatchEnd> => {
    const reason = describeError(error);
    if (!(error instanceof SourceFailure)) {
      status.broken(reason);
      return {};
    }
    const { meaning } = error;
    if (meaning.kind === "unauthorized") return refuse(failed, reason);
    if (meaning.kind === "unavailable") {
      status.failed(meaning.reason ?? "unreachable", reason);
      return {};
    }
    status.failed(meaning.reason, reason, meaning.afterMs);
    return { retryAfterMs: meaning.afterMs };
  };

  const unlinked = (): Report => {
    status.pause();
    return { kind: "unlinked" };
  };

  return async function* watch({ connection: given, demand, signal }) {
    signal.addEventListener("abort", () => status.pause());
    for (let failures = 0; !signal.aborted;) {
      let firstReportAtMs: number | undefined;
      let end: WatchEnd;
      let connection: WatchedConnection | undefined = given;
      try {
        if (failures > 0) connection = reopen();
        if (signal.aborted) return;
        if (!connection) return yield unlinked();
        let isSilent = connection.delivery === "pushed";
        for await (const playback of connection.watch({ signal, clock, log, demand })) {
          if (signal.aborted) return;
          isSilent &&= playback === null;
          if (isSilent) {
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
        end = await endOf(error, connection ?? given);
      }
      if (end === "unlinked") return yield unlinked();
      if (signal.aborted) return;
      // Retries of a player that closes after each answer must become slower, too.
      const wasCalm =
        firstReportAtMs !== undefined && clock.monotonicMs() - firstReportAtMs >= CALM_MS;
      failures = wasCalm ? 1 : failures + 1;
      const retryAfterMs = end.retryAfterMs ?? retryDelayMs(failures, random());
      yield { kind: "failed", retryAfterMs };
      await clock.sleep(retryAfterMs, signal);
    }
  };
}
