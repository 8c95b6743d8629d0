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
  /** Of a failure, for the log. */
  readonly reason?: string;
  readonly seconds?: number | undefined;
}

/**
 * Reports the status of a connection to the log and to `onStatus`, but not every change of an unstable
 * one. It reports at once the first status, the beginning of a failure, and any change of a status that was
 * stable. Any other status is reported when it has become stable itself. So a connection that often fails
 * and recovers is reported once, as failing. A class, because each connection has one.
 */
export class StatusReporter {
  private readonly user: number;
  private readonly connection: number | undefined;
  private readonly deps: StatusReporterDeps;
  private reported: Observed | undefined;
  private current: { readonly kind: string; readonly sinceMs: number } | undefined;
  private cancelReport: (() => void) | undefined;

  constructor(user: number, connection: number | undefined, deps: StatusReporterDeps) {
    this.user = user;
    this.connection = connection;
    this.deps = deps;
  }

  ok(isStored: boolean): void {
    this.observe({ kind: "ok", status: { state: "ok" }, isStored });
  }

  broken(reason: string): void {
    this.observe({ kind: "broken", status: { state: "retrying", reason: "unreachable" }, reason });
  }

  failed(kind: FailureReason, reason: string, afterMs?: number): void {
    const status: StatusChange =
      kind === "limited" && afterMs !== undefined
        ? { state: "limited", until: Math.ceil(this.deps.clock.wallMs() + afterMs) }
        : { state: "retrying", reason: kind };
    const seconds = afterMs === undefined ? undefined : Math.ceil(afterMs / 1000);
    this.observe({ kind, status, reason, seconds });
  }

  /** Observation stops for a while: a change that was not reported yet is dropped. */
  pause(): void {
    this.cancelReport?.();
    this.current = undefined;
  }

  private observe(observed: Observed): void {
    const { kind } = observed;
    const { clock } = this.deps;
    const nowMs = clock.monotonicMs();
    const before = this.current;
    const sinceMs = before?.kind === kind ? before.sinceMs : nowMs;
    this.current = { kind, sinceMs };
    this.cancelReport?.();
    const { reported } = this;
    if (reported && isSameStatus(reported, observed)) return;
    const beginsToFail = reported?.kind === "ok" && kind !== "ok";
    const endsCalm = !before || nowMs - before.sinceMs >= CALM_MS;
    if (!reported || beginsToFail || endsCalm) return this.report(observed, sinceMs);
    const inMs = sinceMs + CALM_MS - nowMs;
    this.cancelReport = clock.after(inMs, () => this.report(observed, sinceMs));
  }

  private report(observed: Observed, sinceMs: number): void {
    const { clock, onStatus } = this.deps;
    const last = this.reported;
    this.reported = observed;
    if (!last && observed.isStored) return;
    // Log `ok` only after a failure. Do not log a longer pause of the same kind again.
    if (observed.kind !== (last?.kind ?? "ok")) this.log(observed);
    if (this.connection === undefined) return;
    const since = Math.round(clock.wallMs() + sinceMs - clock.monotonicMs());
    onStatus(this.connection, { ...observed.status, since });
  }

  private log({ kind, reason, seconds }: Observed): void {
    const { log } = this.deps;
    const { user, connection } = this;
    if (kind === "ok") log.info("music is reported again", { user, connection });
    else if (kind === "broken") log.error("a source broke", { user, connection, reason });
    else log.warn("music cannot be followed", { user, connection, reason, seconds });
  }
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
