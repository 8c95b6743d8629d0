import { type Playback, positionAt } from "../../playback.ts";
import { continues, type Finding, hadEnded } from "../polling/cadence.ts";

/**
 * Spotify now and then answers with the state from before the latest change. Such a stale answer
 * looks like a jump back, so a jump back is believed only when it is answered twice.
 */

/** What has been believed lately. */
export interface Memory {
  /** `undefined` before anything was heard. */
  readonly current: Playback | null | undefined;
  /** What was believed before the latest change. */
  readonly before: Playback | null | undefined;
  /** When the latest change was found. */
  readonly changedAtMs: number;
  /** Whether the last answer was suspect. */
  readonly suspect: boolean;
}

export const NOTHING_BELIEVED: Memory = {
  current: undefined,
  before: undefined,
  changedAtMs: Number.NEGATIVE_INFINITY,
  suspect: false,
};

/** A stale answer comes soon after the change that it knows nothing of. */
const STALE_MS = 12_000;
/** How closely a stale answer continues, or repeats, the state before. */
const SAME_PLACE_MS = 1_000;

export interface Verdict {
  readonly finding: Finding;
  readonly memory: Memory;
}

/**
 * What to make of an answer: one that may be stale and is asked for again, the same playback going
 * on, or a change, which was a surprise unless the track had come to its end.
 */
export function classify(memory: Memory, heard: Playback | null, nowMs: number): Verdict {
  const { current, changedAtMs, suspect } = memory;
  if (continues(current, heard, nowMs)) {
    return { finding: "same", memory: { ...memory, current: heard, suspect: false } };
  }
  const recent = nowMs - changedAtMs < STALE_MS;
  if (recent && !suspect && repeats(memory, heard, nowMs)) {
    return { finding: "suspect", memory: { ...memory, suspect: true } };
  }
  const believed = { current: heard, before: current, changedAtMs: nowMs, suspect: false };
  return { finding: hadEnded(current, nowMs) ? "expected" : "surprise", memory: believed };
}

/**
 * Whether an answer says again what was believed before. It may repeat any moment between the last
 * poll and now. After a pause it has to fit better: a track that goes on is in that span, too.
 */
function repeats({ before, current }: Memory, heard: Playback | null, nowMs: number): boolean {
  if (!before || !heard) return before === heard;
  if (before.track.id !== heard.track.id || before.state !== heard.state) return false;
  const position = positionAt(heard, nowMs);
  const latest = positionAt(before, nowMs);
  if (current?.state === before.state) {
    return position >= before.positionMs - SAME_PLACE_MS && position <= latest + SAME_PLACE_MS;
  }
  const nearest = Math.min(
    Math.abs(latest - position),
    Math.abs(before.positionMs - heard.positionMs),
  );
  return nearest <= SAME_PLACE_MS;
}
