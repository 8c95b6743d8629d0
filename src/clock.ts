/**
 * The server's clocks. Elapsed time is measured with the monotonic clock, because the wall
 * clock may jump. The wall clock is only for times that people and other machines read.
 */
export interface Clock {
  /** Unix time in milliseconds. May jump. */
  wallMs(): number;
  /** Milliseconds since an arbitrary start. Never runs backwards. */
  monotonicMs(): number;
  /** Milliseconds of processor time that this thread has used since an arbitrary start. */
  processorMs(): number;
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `task` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, task: () => void): () => void;
}

/** The longest delay that a timer accepts; a longer one would fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  processorMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
  sleep(ms, signal) {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      const timer = setTimeout(finish, Math.min(ms, LONGEST_TIMER_MS));
      signal?.addEventListener("abort", finish);
    });
  },
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** A wall clock's time for programs, such as `2026-11-21T12:00:00.000Z`. */
export const isoTime = (unixMs: number | null): string | null =>
  unixMs === null ? null : new Date(unixMs).toISOString();

/** What `work` resolves with, or `undefined` after `ms` milliseconds. Rejects as `work` does. */
export async function atMost<Result>(
  { after }: Pick<Clock, "after">,
  ms: number,
  work: Promise<Result>,
): Promise<Result | undefined> {
  const late = Promise.withResolvers<undefined>();
  const cancel = after(ms, () => late.resolve(undefined));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}
