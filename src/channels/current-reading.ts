import type { Reading } from "./reading.ts";

/**
 * A channel's reading for as long as it holds. It lives as long as its channel, so whoever answers
 * often may keep it: with thousands of users each object that is read may have to be fetched from slow
 * memory, and this one is enough to know a user's music.
 */
export class CurrentReading {
  /** Monotonic time of the last use: the channel stops some time after it. */
  usedAtMs = 0;
  private reading: Reading | undefined;
  private untilMs = -Infinity;

  /** The reading at a monotonic time, which counts as a use; `undefined` if it may be another by now. */
  at(nowMs: number): Reading | undefined {
    if (nowMs >= this.untilMs) return undefined;
    this.usedAtMs = nowMs;
    return this.reading;
  }

  /** From now on this is the reading, until a monotonic time. */
  keep(reading: Reading | undefined, untilMs: number): void {
    this.reading = reading;
    this.untilMs = untilMs;
  }

  /** Something has happened: the reading may be another. */
  forget(): void {
    this.untilMs = -Infinity;
  }
}
