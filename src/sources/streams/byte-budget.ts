/** Takes bytes at a monotonic time; how long to wait before more are taken, in milliseconds. */
export type ByteBudget = (bytes: number, nowMs: number) => number;

const BYTES_PER_KBIT = 125;

/** @param burst the bytes that may come at once */
export function createByteBudget(
  { kbitPerSecond, burst }: { readonly kbitPerSecond: number; readonly burst: number },
  startedAtMs: number,
): ByteBudget {
  const bytesPerMs = (kbitPerSecond * BYTES_PER_KBIT) / 1_000;
  let left = burst;
  let atMs = startedAtMs;
  return (bytes, nowMs) => {
    left = Math.min(left + (nowMs - atMs) * bytesPerMs, burst) - bytes;
    atMs = nowMs;
    return left < 0 ? -left / bytesPerMs : 0;
  };
}
