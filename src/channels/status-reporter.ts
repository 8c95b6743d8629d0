import type { Clock } from "../clock.ts";

/** Who has done the same for this long is calm; what comes and goes within it is a flicker. */
export const CALM_MS = 30_000;

/** How a connection does. */
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
  /** @param lastedMs how long the connection has done so */
  report(status: Observed, last: Observed | undefined, lastedMs: number): void;
}

/**
 * Reports how a connection does, but not every turn of one that comes and goes. At once: what it
 * does first, that it has begun to fail, and whatever ends a time of calm. Anything else once it
 * has lasted that long itself, so a connection that flickers is reported as failing, and that once.
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
