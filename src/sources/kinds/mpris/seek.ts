import { fieldsOf, numberOf, textOf } from "../../../upstream/json.ts";
import { rateOf } from "../../amounts.ts";

/** A seek that a player has signalled, with the position that it has led to. */
export interface Seek {
  readonly positionMs: number;
  /** Monotonic time of the signal, in milliseconds. */
  readonly atMs: number;
  /** The track of the first answer after the signal; `undefined` until then. */
  track: string | undefined;
}

/**
 * Right after a seek some players answer 0 or the position before it: Strawberry, Clementine and Audacious
 * do for hundreds of milliseconds. For this long the signalled position counts instead.
 */
export const SEEK_SETTLES_MS = 1_000;
/** An answer this near to the signalled position is the better one. */
const SAME_PLACE_MS = 500;
export const MICROSECONDS_IN_MS = 1_000;

/** @param position what the signal carries: microseconds. `undefined` if that is no position */
export function createSeek(position: unknown, atMs: number): Seek | undefined {
  const positionMs = millisecondsIn(position);
  return positionMs >= 0 ? { positionMs, atMs, track: undefined } : undefined;
}

/** What a player has answered, with the position of a seek that has not settled. */
export function afterSeek(
  seek: Seek,
  properties: Readonly<Record<string, unknown>>,
  nowMs: number,
): Readonly<Record<string, unknown>> {
  const { Position: position } = properties;
  const track = trackIn(properties);
  seek.track ??= track;
  // The next track has begun since.
  if (seek.track !== track) return properties;
  const isPlaying = textOf(properties["PlaybackStatus"]) === "Playing";
  const elapsedMs = isPlaying ? (nowMs - seek.atMs) * rateOf(properties["Rate"]) : 0;
  const expectedMs = seek.positionMs + elapsedMs;
  return Math.abs(millisecondsIn(position) - expectedMs) <= SAME_PLACE_MS
    ? properties
    : { ...properties, Position: expectedMs * MICROSECONDS_IN_MS };
}

function trackIn({ Metadata: metadata }: Readonly<Record<string, unknown>>): string {
  const names = ["mpris:trackid", "xesam:url", "xesam:title"];
  return JSON.stringify(names.map((name) => textOf(fieldsOf(metadata)[name])));
}

/** `NaN` for what is no position. */
const millisecondsIn = (value: unknown): number =>
  (numberOf(value) ?? Number.NaN) / MICROSECONDS_IN_MS;
