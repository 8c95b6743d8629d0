import { hidesTrack, isSharingPaused, type PrivacyRules } from "../accounts/privacy.ts";
import { withShownNames } from "../titles/shown-names.ts";
import type { KnownConnection } from "./connection-state.ts";
import { merge, type Moment, nextMergeAt, type Reading } from "./merge.ts";

const ALL_HIDDEN: Reading = { kind: "nothing", hides: "all" };
const SONG_HIDDEN: Reading = { kind: "nothing", hides: "song" };

export type { Reading } from "./merge.ts";

/** A moment by both clocks, in milliseconds. */
export interface Now extends Moment {
  /** Unix time. */
  readonly wallMs: number;
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
  const reading = connections && merge(connections, now);
  if (reading?.kind !== "playback") return reading;
  const shown = withShownNames(reading.playback, reading.connectionId, rules.titles);
  if (hidesTrack(rules, shown)) return SONG_HIDDEN;
  return shown === reading.playback ? reading : { ...reading, playback: shown };
}

/** When the reading changes by time alone (monotonic); `undefined` when it does not. */
export function nextChangeAt(
  connections: readonly KnownConnection[] | undefined,
  { pausedUntil }: Pick<PrivacyRules, "pausedUntil">,
  now: Now,
): number | undefined {
  const { nowMs, wallMs } = now;
  const resumesAtMs = pausedUntil === null ? -Infinity : nowMs + pausedUntil - wallMs;
  const mergedAtMs = connections && nextMergeAt(connections, now);
  if (resumesAtMs <= nowMs) return mergedAtMs;
  return Math.min(resumesAtMs, mergedAtMs ?? Infinity);
}
