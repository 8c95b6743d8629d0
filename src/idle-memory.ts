/** The processor's time that counts as nothing to do, as a share of the time that has passed. */
const IDLE_SHARE = 0.02;
/** Whoever has just been answered often comes back within this time. */
const AFTER_USE_MS = 30_000;

export interface IdleMemoryDeps {
  /** The processor's time that this process has taken so far, in milliseconds. */
  cpuMs(): number;
  monotonicMs(): number;
  /** Gives back memory that is not needed at this moment. */
  release(): void;
}

/**
 * Gives memory back when the server has had nothing to do since the last call, after a start, or for a
 * while, once it has been used; then not again until it has had something to do. Code that was compiled
 * goes with it, so whoever comes next waits some milliseconds longer.
 */
export function createIdleMemory({ cpuMs, monotonicMs, release }: IdleMemoryDeps): () => void {
  let before = { cpuMs: cpuMs(), atMs: monotonicMs() };
  /** When there was last something to do. */
  let usedAtMs = -Infinity;
  let isReleased = false;
  return () => {
    const now = { cpuMs: cpuMs(), atMs: monotonicMs() };
    const isIdle = now.cpuMs - before.cpuMs < IDLE_SHARE * (now.atMs - before.atMs);
    before = now;
    if (!isIdle) {
      usedAtMs = now.atMs;
      isReleased = false;
    } else if (!isReleased && now.atMs - usedAtMs >= AFTER_USE_MS) {
      release();
      isReleased = true;
    }
  };
}
