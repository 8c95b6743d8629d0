import { hidesTrack, isSharingPaused, type PrivacyRules } from "../accounts/privacy.ts";
import { withShownNames } from "../titles/shown-names.ts";
import type { KnownConnection } from "./connection-state.ts";
import { merge, nextMergeAt, type Reading } from "./merge.ts";

const ALL_HIDDEN: Reading = { kind: "nothing", hides: "all" };
const SONG_HIDDEN: Reading = { kind: "nothing", hides: "song" };

export type { Reading } from "./merge.ts";

/** The clocks of one moment, in milliseconds. */
export interface Now {
  readonly monotonicMs: number;
  /** Unix time. */
  readonly wallMs: number;
  /** Monotonic time since when there are subscribers; `undefined` while there are none. */
  readonly watchedSinceMs: number | undefined;
}

/**
 * The reading at `now` as others are shown it, within the user's privacy rules; `undefined` while
 * too little is known, unless the user has paused sharing.
 * @param connections in the user's order; `undefined` before they are known
 */
export function readingAt(
  connections: readonly KnownConnection[] | undefined,
  rules: PrivacyRules,
  now: Now,
): Reading | undefined {
  if (isSharingPaused(rules, now.wallMs)) return ALL_HIDDEN;
  const { monotonicMs: nowMs, watchedSinceMs } = now;
  const reading = connections && merge(connections, { nowMs, watchedSinceMs });
  if (reading?.kind !== "playback") return reading;
  const shown = withShownNames(reading.playback, reading.connectionId, rules.titles);
  if (hidesTrack(rules, shown)) return SONG_HIDDEN;
  return shown === reading.playback ? reading : { ...reading, playback: shown };
}

/** When the reading changes by time alone (monotonic); `undefined` when it does not. */
export function nextChangeAt(
  connections: readonly KnownConnection[] | undefined,
  { pausedUntil }: Pick<PrivacyRules, "pausedUntil">,
  { monotonicMs: nowMs, wallMs, watchedSinceMs }: Now,
): number | undefined {
  const resumesAtMs = pausedUntil === null ? -Infinity : nowMs + pausedUntil - wallMs;
  const mergedAtMs = connections && nextMergeAt(connections, { nowMs, watchedSinceMs });
  if (resumesAtMs <= nowMs) return mergedAtMs;
  return Math.min(resumesAtMs, mergedAtMs ?? Infinity);
}
