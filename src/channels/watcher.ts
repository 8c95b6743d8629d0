import type { FailureReason, ReportedStatus } from "../accounts/connection-status.ts";
import type { Clock } from "../clock.ts";
import { describeError, type Log } from "../log.ts";
import type { Playback } from "../playback.ts";
import { type Delivery, type Demand, SourceFailure, type WatchContext } from "../sources/source.ts";
import { retryDelayMs } from "./backoff.ts";
import { boundPlayback } from "./bounds.ts";
import type { Report } from "./reading.ts";
import { CALM_MS, createStatusReporter } from "./status-reporter.ts";

/** A user's connection, ready to be watched. */
export interface WatchedConnection {
  /** `undefined` when the user has connected nothing and gets the demo. */
  readonly connectionId: number | undefined;
  readonly delivery: Delivery;
  watch(context: Omit<WatchContext, "connection">): AsyncIterable<Playback | null>;
}

export interface WatcherDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** A number from 0 to 1. */
  random(): number;
  /** The user's connection, if it can be watched. */
  connectionOf(userId: number): Promise<WatchedConnection | undefined>;
  /** Is called when the upstream refuses this connection until the user connects again. */
  onRefused(connectionId: number): Promise<void>;
  /** Is called when the connection's status has changed. */
  onStatus(connectionId: number, status: ReportedStatus): Promise<void>;
}

/** Runs the source of one user, tries again when it fails, and reports the connection's status. */
export interface Watcher {
  /** The connection that is watched, or was last; `undefined` when there is none. */
  readonly connectionId: number | undefined;
  /** Whether that connection's source is polled, so that its last playback becomes outdated. */
  readonly polled: boolean;
  /** Yields the source's reports until the signal aborts or the user has to connect again. */
  watch(run: { readonly demand: Demand; readonly signal: AbortSignal }): AsyncIterable<Report>;
}

/** How one attempt to watch a connection has ended. */
type WatchEnd = "unlinked" | { readonly retryAfterMs?: number };

export function createWatcher(userId: number, deps: WatcherDeps): Watcher {
  const { clock, log, random } = deps;
  let connectionId: number | undefined;
  let polled = false;
  /** Kept between runs, so that a known failure is not reported as new after a restart. */
  let status = createConnectionStatus(undefined, userId, deps);

  const open = async (): Promise<WatchedConnection | undefined> => {
    const connection = await deps.connectionOf(userId);
    polled = connection?.delivery === "polled";
    if (connection?.connectionId !== connectionId) {
      // Each connection has its own status: a new connection starts without one.
      status.pause();
      status = createConnectionStatus(connection?.connectionId, userId, deps);
    }
    connectionId = connection?.connectionId;
    return connection;
  };

  const refuse = async (reason: string): Promise<WatchEnd> => {
    log.warn("music has to be connected again", { user: userId, reason });
    try {
      if (connectionId !== undefined) await deps.onRefused(connectionId);
    } catch (error) {
      // If the disk is full, the refusal is found again after a restart of the server.
      log.error("a refusal could not be stored", { reason: describeError(error) });
    }
    return "unlinked";
  };

  const endOf = async (error: unknown): Promise<WatchEnd> => {
    const reason = describeError(error);
    if (!(error instanceof SourceFailure)) {
      status.broken(reason);
      return {};
    }
    const { meaning } = error;
    if (meaning.kind === "unauthorized") return refuse(reason);
    if (meaning.kind === "unavailable") {
      status.failed("unreachable", reason, undefined);
      return {};
    }
    status.failed(meaning.reason, reason, meaning.afterMs);
    return { retryAfterMs: meaning.afterMs };
  };

  const unlinked = (): Report => {
    status.pause();
    return { kind: "unlinked" };
  };

  return {
    get connectionId() {
      return connectionId;
    },
    get polled() {
      return polled;
    },
    async *watch({ demand, signal }) {
      signal.addEventListener("abort", () => status.pause());
      for (let failures = 0; !signal.aborted;) {
        let firstHeardAtMs: number | undefined;
        let end: WatchEnd;
        try {
          const connection = await open();
          if (signal.aborted) return;
          if (!connection) return yield unlinked();
          for await (const playback of connection.watch({ signal, clock, log, demand })) {
            if (signal.aborted) return;
            firstHeardAtMs ??= clock.monotonicMs();
            status.ok();
            yield { kind: "heard", playback: playback && boundPlayback(playback) };
          }
          if (signal.aborted) return;
          status.ended();
          end = {};
        } catch (error) {
          if (signal.aborted) return;
          end = await endOf(error);
        }
        if (end === "unlinked") return yield unlinked();
        if (signal.aborted) return;
        // Retries of a player that closes after each answer must become slower, too.
        const wasCalm =
          firstHeardAtMs !== undefined && clock.monotonicMs() - firstHeardAtMs >= CALM_MS;
        failures = wasCalm ? 1 : failures + 1;
        const retryAfterMs = end.retryAfterMs ?? retryDelayMs(failures, random());
        yield { kind: "failed", retryAfterMs };
        await clock.sleep(retryAfterMs, signal);
      }
    },
  };
}

type ConnectionStatusDeps = Pick<WatcherDeps, "clock" | "log" | "onStatus">;

/** A status without the time since when it holds. */
type StatusChange = DistributiveOmit<ReportedStatus, "since">;
type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown
  ? Omit<Union, Key>
  : never;

interface Observed {
  readonly kind: "ok" | "broken" | "ended" | FailureReason;
  readonly status: StatusChange;
  /** Writes the status to the log; called only when its kind has changed. */
  log(): void;
}

const UNREACHABLE: StatusChange = { state: "retrying", reason: "unreachable" };

/** Reports the status of one connection to the log and to `onStatus`, which stores it. */
function createConnectionStatus(
  connectionId: number | undefined,
  user: number,
  { clock, log, onStatus }: ConnectionStatusDeps,
) {
  const store = async (change: StatusChange, lastedMs: number) => {
    if (connectionId === undefined) return;
    try {
      await onStatus(connectionId, { ...change, since: clock.wallMs() - lastedMs });
    } catch (error) {
      log.error("a connection's status could not be stored", { reason: describeError(error) });
    }
  };
  const reporter = createStatusReporter<Observed>({
    clock,
    isSame: isSameStatus,
    report(observed, last, lastedMs) {
      // Log `ok` only after a failure. Do not log a longer pause of the same kind again.
      if (observed.kind !== (last?.kind ?? "ok")) observed.log();
      void store(observed.status, lastedMs);
    },
  });
  return {
    ok: () =>
      reporter.observe({
        kind: "ok",
        status: { state: "ok" },
        log: () => log.info("music is heard again", { user }),
      }),
    ended: () =>
      reporter.observe({
        kind: "ended",
        status: UNREACHABLE,
        log: () => log.warn("a source ended by itself", { user }),
      }),
    broken: (reason: string) =>
      reporter.observe({
        kind: "broken",
        status: UNREACHABLE,
        log: () => log.error("a source broke", { user, reason }),
      }),
    failed(kind: FailureReason, reason: string, afterMs: number | undefined) {
      const seconds = afterMs === undefined ? undefined : Math.ceil(afterMs / 1000);
      reporter.observe({
        kind,
        status:
          kind === "limited" && afterMs !== undefined
            ? { state: "limited", until: clock.wallMs() + afterMs }
            : { state: "retrying", reason: kind },
        log: () => log.warn("music cannot be heard", { user, reason, seconds }),
      });
    },
    pause: reporter.pause,
  };
}

/** Two end times of a pause that differ by less than this are the same end. */
const SAME_END_MS = 5_000;

function isSameStatus(
  { kind, status: last }: Observed,
  { kind: nextKind, status: next }: Observed,
) {
  if (last.state === "limited" && next.state === "limited") {
    return Math.abs(last.until - next.until) < SAME_END_MS;
  }
  return kind === nextKind;
}
