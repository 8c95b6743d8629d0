import type { Clock } from "../clock.ts";
import { UPSTREAM_DEADLINE_MS, UpstreamError } from "./call.ts";

interface LifetimeDeps {
  /** The address, for errors. */
  readonly place: string;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, "after">;
  readonly queue: { end(error: unknown): void };
  hangUp(): void;
}

/**
 * What every open connection to an upstream has in common: it opens in time, and ends once.
 * @throws the signal's reason, if it has aborted
 */
export function beginLifetime<Opened>({ place, signal, clock, queue, hangUp }: LifetimeDeps) {
  signal.throwIfAborted();
  const opening = Promise.withResolvers<Opened>();
  let cancelEnd = () => {};
  let hasEnded = false;

  /** Ends it, if it has not ended; returns the error with which whoever waits is rejected. */
  const end = (problem: string | Error, cause?: unknown): Error => {
    const error =
      problem instanceof Error ? problem : new UpstreamError(`${place} ${problem}`, { cause });
    if (hasEnded) return error;
    hasEnded = true;
    cancelEnd();
    signal.removeEventListener("abort", onAbort);
    opening.reject(error);
    queue.end(error);
    hangUp();
    return error;
  };
  const onAbort = () => void end("is no longer needed");
  /** Ends it after this time with this problem, in place of what was planned before. */
  const endIn = (ms: number, problem: string) => {
    cancelEnd();
    cancelEnd = clock.after(ms, () => end(problem));
  };

  signal.addEventListener("abort", onAbort);
  endIn(UPSTREAM_DEADLINE_MS, "did not answer in time");
  return {
    opening,
    hasEnded: () => hasEnded,
    endIn,
    /** It does not end by time any more. */
    cancelEnd: () => cancelEnd(),
    end,
  };
}
