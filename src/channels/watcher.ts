import type { FailureReason, ReportedStatus } from "../music/connection-status.ts";
import type { Clock } from "../clock.ts";
import { describeError, type Log } from "../log.ts";
import type { Playback } from "../playback.ts";
import { type Demand, type Source, SourceFailure, type WatchContext } from "../sources/source.ts";
import { retryDelayMs } from "./backoff.ts";
import { boundPlayback } from "./bounds.ts";
import type { Report } from "./connection-state.ts";
import { CALM_MS, createStatusReporter } from "./status-reporter.ts";

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

export interface WatcherDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** A number from 0 to 1. */
  random(): number;
  /** The user's connections that can be watched, in the user's order. */
  connectionsOf(userId: number): Promise<readonly WatchedConnection[]>;
  /** Is called when the connection's status has changed. Never fails: who stores it says so. */
  onStatus(connectionId: number, status: ReportedStatus): void;
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
  const status = createConnectionStatus(connectionId, userId, deps);

  /** The connection with its current settings, which may have changed while it was watched. */
  const reopen = async (): Promise<WatchedConnection | undefined> =>
    (await deps.connectionsOf(userId)).find((found) => found.connectionId === connectionId);

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

  return async function* watch({ connection: given, demand, signal }) {
    signal.addEventListener("abort", () => status.pause());
    for (let failures = 0; !signal.aborted;) {
      let firstReportAtMs: number | undefined;
      let end: WatchEnd;
      let connection: WatchedConnection | undefined = given;
      try {
        if (failures > 0) connection = await reopen();
        if (signal.aborted) return;
        if (!connection) return yield unlinked();
        const watched = connection.watch({ signal, clock, log, demand });
        const isPushed = connection.delivery === "pushed";
        for await (const playback of isPushed ? reportingSilence(watched) : watched) {
          if (signal.aborted) return;
          if (playback === SILENT) {
            yield { kind: "silent" };
            continue;
          }
          firstReportAtMs ??= clock.monotonicMs();
          status.ok(connection.wasOk);
          yield { kind: "reported", playback: playback && boundPlayback(playback) };
        }
        if (signal.aborted) return;
        status.ended();
        end = {};
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

const SILENT = Symbol("nothing was pushed yet");

/** The playbacks of a pushed source; until it has received something, `SILENT` for nothing. */
async function* reportingSilence(
  playbacks: AsyncIterable<Playback | null>,
): AsyncGenerator<Playback | null | typeof SILENT, void> {
  let isSilent = true;
  for await (const playback of playbacks) {
    isSilent &&= playback === null;
    yield isSilent ? SILENT : playback;
  }
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
  /** Whether it was the stored status when the connection was read. */
  readonly isStored?: boolean;
  /** Writes the status to the log; called only when its kind has changed. */
  log(): void;
}

const UNREACHABLE: StatusChange = { state: "retrying", reason: "unreachable" };

/** Reports the status of one connection to the log and to `onStatus`. */
function createConnectionStatus(
  connectionId: number | undefined,
  user: number,
  { clock, log, onStatus }: ConnectionStatusDeps,
) {
  const whose = { user, connection: connectionId };
  const store = (change: StatusChange, lastedMs: number) => {
    if (connectionId === undefined) return;
    onStatus(connectionId, { ...change, since: Math.round(clock.wallMs() - lastedMs) });
  };
  const reporter = createStatusReporter<Observed>({
    clock,
    isSame: isSameStatus,
    report(observed, last, lastedMs) {
      if (!last && observed.isStored) return;
      // Log `ok` only after a failure. Do not log a longer pause of the same kind again.
      if (observed.kind !== (last?.kind ?? "ok")) observed.log();
      store(observed.status, lastedMs);
    },
  });
  return {
    ok: (isStored: boolean) =>
      reporter.observe({
        ...{ kind: "ok", status: { state: "ok" }, isStored },
        log: () => log.info("music is reported again", whose),
      }),
    ended: () =>
      reporter.observe({
        kind: "ended",
        status: UNREACHABLE,
        log: () => log.warn("a source ended by itself", whose),
      }),
    broken: (reason: string) =>
      reporter.observe({
        kind: "broken",
        status: UNREACHABLE,
        log: () => log.error("a source broke", { ...whose, reason }),
      }),
    failed(kind: FailureReason, reason: string, afterMs: number | undefined) {
      const seconds = afterMs === undefined ? undefined : Math.ceil(afterMs / 1000);
      reporter.observe({
        kind,
        status:
          kind === "limited" && afterMs !== undefined
            ? { state: "limited", until: Math.ceil(clock.wallMs() + afterMs) }
            : { state: "retrying", reason: kind },
        log: () => log.warn("music cannot be followed", { ...whose, reason, seconds }),
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
