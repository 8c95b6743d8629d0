import { FIRST_SIGHT, positionIn } from "../playback.ts";
import { numberOf } from "../upstream/json.ts";

/** What upstreams and programs report of lengths, positions and volumes. */

/** Nothing that is played is longer: a larger number is no time. */
const LONGEST_MS = 30 * 86_400_000;

/**
 * How far a position lies behind the true one at most if it was cut to whole seconds, with the time that
 * it travels.
 */
export const WHOLE_SECONDS_LAG_MS = 1_100;

/** A time of a track; `null` when it is no number, negative, or longer than any track. */
export function timeMs(value: unknown, unitMs: number): number | null {
  const ms = Math.round((numberOf(value) ?? Number.NaN) * unitMs);
  return ms >= 0 && ms <= LONGEST_MS ? ms : null;
}

/** A track's length; `null` for a stream, whose length is absent, 0 or negative. */
export const lengthMs = (value: unknown, unitMs: number): number | null =>
  timeMs(value, unitMs) || null;

/** A position within a track of this length; 0 if the upstream reports none. */
export function positionMs(value: unknown, unitMs: number, durationMs: number | null): number {
  const ms = (numberOf(value) ?? 0) * unitMs;
  return Math.round(Math.min(Math.max(0, ms), durationMs ?? LONGEST_MS));
}

/**
 * The position behind an answer that is cut to whole seconds: as near to the expected one as the
 * answer allows. So the position does not jump to and fro within the second.
 */
export function positionWithinSecond(
  seconds: unknown,
  expectedMs: number,
  durationMs: number | null,
): number {
  const fromMs = positionMs(seconds, 1000, durationMs);
  return positionMs(Math.min(Math.max(expectedMs, fromMs), fromMs + 999), 1, durationMs);
}

/**
 * A position that was right `ageMs` ago, as it is now. `null` where that would be the end: then its stamp
 * is wrong, or the track has begun again without another one. A reader may say of an age only that the
 * whole track has passed.
 */
export function positionSince(
  positionMs: number,
  ageMs: number,
  durationMs: number | null,
): number | null {
  const sinceMs = positionMs + ageMs;
  return ageMs > 0 && durationMs !== null && sinceMs >= durationMs ? null : Math.max(0, sinceMs);
}

/** What is known of a position in a song of which each message says only a part. */
export interface KnownPosition {
  readonly isPlaying: boolean;
  /** At the monotonic time `observedAtMs`; `null` where nobody has reported it. */
  readonly positionMs: number | null;
  readonly observedAtMs: number;
}

/** The same position as the song has gone on since, for a message that says none. */
export const positionAfter = (
  { isPlaying, positionMs, observedAtMs }: KnownPosition,
  nowMs: number,
): number | null =>
  positionMs === null
    ? null
    : positionIn(
        { state: isPlaying ? "playing" : "paused", positionMs, observedAtMs, rate: 1 },
        null,
        nowMs,
      );

/**
 * A playback's position as it was reported; `null` where nobody has reported it.
 * @param positionLagMs how far it may lie behind
 */
export const reportedPosition = (positionMs: number | null, positionLagMs: number) =>
  positionMs === null ? FIRST_SIGHT : { positionMs: Math.round(positionMs), positionLagMs };

/** The speed of playing; 1 if the upstream reports none that can be. */
export function rateOf(value: unknown): number {
  const rate = numberOf(value) ?? 1;
  return rate > 0.01 && rate < 100 ? rate : 1;
}

/** A volume in percent of the full one; `null` for none, and for less than none, as without an output. */
export function percentOf(volume: unknown, full: number): number | null {
  const amount = numberOf(volume) ?? -1;
  return amount < 0 ? null : Math.min(100, Math.round((amount / full) * 100));
}
