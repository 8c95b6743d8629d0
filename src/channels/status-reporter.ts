import type { Clock } from "../clock.ts";

/** A status that has lasted this long is stable; one that changes sooner is unstable. */
export const CALM_MS = 30_000;

/** A status of a connection. */
export interface Status {
  /** `ok`, or the kind of failure. While the kind is the same, the status continues. */
  readonly kind: string;
}

export interface StatusReporter<Observed extends Status> {
  observe(status: Observed): void;
  /** Observation stops for a while: a change that was not reported yet is dropped. */
  pause(): void;
}

export interface StatusReporterDeps<Observed extends Status> {
  readonly clock: Clock;
  /** Whether `next` need not be reported after `last` was. */
  isSame(last: Observed, next: Observed): boolean;
  /** @param lastedMs how long the status has lasted */
  report(status: Observed, last: Observed | undefined, lastedMs: number): void;
}

/**
 * Reports the status of a connection, but not every change of an unstable one. It reports at once
 * the first status, the beginning of a failure, and any change of a status that was stable. Any
 * other status is reported when it has become stable itself. So a connection that often fails and
 * recovers is reported once, as failing.
 */
export function createStatusReporter<Observed extends Status>({
  clock,
  isSame,
  report,
}: StatusReporterDeps<Observed>): StatusReporter<Observed> {
  let reported: Observed | undefined;
  let current: { readonly kind: string; readonly sinceMs: number } | undefined;
  let cancelReport: (() => void) | undefined;

  return {
    observe(status) {
      const nowMs = clock.monotonicMs();
      const before = current;
      const sinceMs = before?.kind === status.kind ? before.sinceMs : nowMs;
      current = { kind: status.kind, sinceMs };
      cancelReport?.();
      cancelReport = undefined;
      if (reported && isSame(reported, status)) return;

      const reportNow = () => {
        const last = reported;
        reported = status;
        report(status, last, clock.monotonicMs() - sinceMs);
      };
      const beginsToFail = reported?.kind === "ok" && status.kind !== "ok";
      const endsCalm = !before || nowMs - before.sinceMs >= CALM_MS;
      if (!reported || beginsToFail || endsCalm) reportNow();
      else cancelReport = clock.after(sinceMs + CALM_MS - nowMs, reportNow);
    },
    pause() {
      cancelReport?.();
      cancelReport = undefined;
      current = undefined;
    },
  };
}
