import type { Clock } from "../clock.ts";

/** A status that has lasted this long is calm; one that changes sooner flickers. */
export const CALM_MS = 30_000;

/** A status of a connection. */
export interface Status {
  /** `ok`, or what is wrong; what stays of one kind goes on. */
  readonly kind: string;
}

export interface StatusReporter<Observed extends Status> {
  observe(status: Observed): void;
  /** Nothing is observed for a while, so what was not reported by then is not. */
  pause(): void;
}

export interface StatusReporterDeps<Observed extends Status> {
  readonly clock: Clock;
  /** Whether there is nothing to report of `next` where `last` was reported. */
  isSame(last: Observed, next: Observed): boolean;
  /** @param lastedMs how long the status has lasted */
  report(status: Observed, last: Observed | undefined, lastedMs: number): void;
}

/**
 * Reports the status of a connection, but not every change of one that comes and goes. Reported at
 * once are the first status, the beginning of a failure, and whatever ends a time of calm. Anything
 * else is reported once it has lasted that long itself, so a connection that flickers is reported
 * once, as failing.
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
