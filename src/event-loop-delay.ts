import type { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "./clock.ts";

type Histogram = ReturnType<typeof monitorEventLoopDelay>;

/** How often the event loop is measured, in milliseconds. */
export const MEASURE_EVERY_MS = 50;
/** Measuring wakes the program, so it ends when nobody has read for so long. */
const READ_WITHIN_MS = 5 * 60_000;
const UNKNOWN = { median: NaN, p99: NaN };

/**
 * Returns a function that reads how late the event loop was since the reading before, in seconds; NaN
 * when that is not known. Measures only while somebody reads: from the first reading on.
 */
export function createEventLoopDelay(
  clock: Pick<Clock, "after">,
  histogram: Pick<Histogram, "count" | "enable" | "disable" | "reset" | "percentile">,
) {
  let isMeasuring = false;
  let cancelEnd = () => {};
  /** The histogram counts nanoseconds. */
  const seconds = (percentile: number) => histogram.percentile(percentile) / 1e9;

  return () => {
    const isKnown = isMeasuring && histogram.count > 0;
    const delay = isKnown ? { median: seconds(50), p99: seconds(99) } : UNKNOWN;
    histogram.reset();
    histogram.enable();
    isMeasuring = true;
    cancelEnd();
    cancelEnd = clock.after(READ_WITHIN_MS, () => {
      histogram.disable();
      isMeasuring = false;
    });
    return delay;
  };
}
