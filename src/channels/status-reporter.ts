import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { FailureReason, ReportedStatus } from "../music/connection-status.ts";

/** A status that has lasted this long is stable; one that changes sooner is unstable. */
export const CALM_MS = 30_000;

export interface StatusReporterDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Is called when the connection's status has changed. Never fails: who stores it says so. */
  onStatus(connectionId: number, status: ReportedStatus): void;
}

/** A status without the time since when it holds. */
type StatusChange = DistributiveOmit<ReportedStatus, "since">;
type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown
  ? Omit<Union, Key>
  : never;

interface Observed {
  /** While the kind is the same, the status continues. */
  readonly kind: "ok" | "broken" | FailureReason;
  readonly status: StatusChange;
  /** Whether it was the stored status when the connection was read. */
  readonly isStored?: boolean;
  /** Writes the status to the log; called only when its kind has changed. */
  log(): void;
}

/**
 * Reports the status of a connection to the log and to `onStatus`, but not every change of an unstable
 * one. It reports at once the first status, the beginning of a failure, and any change of a status that was
 * stable. Any other status is reported when it has become stable itself. So a connection that often fails
 * and recovers is reported once, as failing.
 */
export function createStatusReporter(
  user: number,
  connectionId: number | undefined,
  { clock, log, onStatus }: StatusReporterDeps,
) {
  const whose = { user, connection: connectionId };
  let reported: Observed | undefined;
  let current: { readonly kind: string; readonly sinceMs: number } | undefined;
  let cancelReport = () => {};

  const report = (observed: Observed, sinceMs: number) => {
    const last = reported;
    reported = observed;
    if (!last && observed.isStored) return;
    // Log `ok` only after a failure. Do not log a longer pause of the same kind again.
    if (observed.kind !== (last?.kind ?? "ok")) observed.log();
    if (connectionId === undefined) return;
    const since = Math.round(clock.wallMs() + sinceMs - clock.monotonicMs());
    onStatus(connectionId, { ...observed.status, since });
  };

  const observe = (observed: Observed) => {
    const { kind } = observed;
    const nowMs = clock.monotonicMs();
    const before = current;
    const sinceMs = before?.kind === kind ? before.sinceMs : nowMs;
    current = { kind, sinceMs };
    cancelReport();
    if (reported && isSameStatus(reported, observed)) return;
    const beginsToFail = reported?.kind === "ok" && kind !== "ok";
    const endsCalm = !before || nowMs - before.sinceMs >= CALM_MS;
    if (!reported || beginsToFail || endsCalm) report(observed, sinceMs);
    else cancelReport = clock.after(sinceMs + CALM_MS - nowMs, () => report(observed, sinceMs));
  };

  return {
    ok: (isStored: boolean) =>
      observe({
        kind: "ok",
        status: { state: "ok" },
        isStored,
        log: () => log.info("music is reported again", whose),
      }),
    broken: (reason: string) =>
      observe({
        kind: "broken",
        status: { state: "retrying", reason: "unreachable" },
        log: () => log.error("a source broke", { ...whose, reason }),
      }),
    failed(kind: FailureReason, reason: string, afterMs?: number) {
      const seconds = afterMs === undefined ? undefined : Math.ceil(afterMs / 1000);
      observe({
        kind,
        status:
          kind === "limited" && afterMs !== undefined
            ? { state: "limited", until: Math.ceil(clock.wallMs() + afterMs) }
            : { state: "retrying", reason: kind },
        log: () => log.warn("music cannot be followed", { ...whose, reason, seconds }),
      });
    },
    /** Observation stops for a while: a change that was not reported yet is dropped. */
    pause() {
      cancelReport();
      current = undefined;
    },
  };
}

/** Two end times of a pause that differ by less than this are the same end. */
const SAME_END_MS = 5_000;

/** Whether a status need not be reported after another one was. */
function isSameStatus(
  { kind, status: last }: Observed,
  { kind: nextKind, status: next }: Observed,
) {
  if (last.state === "limited" && next.state === "limited") {
    return Math.abs(last.until - next.until) < SAME_END_MS;
  }
  return kind === nextKind;
}
