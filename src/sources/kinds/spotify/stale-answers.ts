import { isSameSong, type Playback, positionAt } from "../../../playback.ts";
import { continues, type Finding } from "../../polling/cadence.ts";

/**
 * Spotify sometimes answers with the state from before the latest change. Such a stale answer
 * looks like a jump back, so a jump back is accepted only when two answers in a row show it.
 */

/** The playbacks that were accepted last. */
export interface Memory {
  /** The accepted playback; `undefined` before the first answer. */
  readonly current: Playback | null | undefined;
  /** The accepted playback before the latest change. */
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

/** A stale answer comes within this time after the change that it misses. */
const STALE_MS = 12_000;
/** How far the position of a stale answer may differ from the state before the change. */
const SAME_PLACE_MS = 1_000;

export interface Verdict {
  readonly finding: Finding;
  readonly memory: Memory;
}

/** Classifies an answer: it is `suspect` when it may be stale and must be polled again. */
export function classify(memory: Memory, polled: Playback | null, nowMs: number): Verdict {
  const { current, changedAtMs, suspect } = memory;
  if (continues(current, polled, nowMs)) {
    return { finding: "same", memory: { ...memory, current: polled, suspect: false } };
  }
  const recent = nowMs - changedAtMs < STALE_MS;
  if (recent && !suspect && repeats(memory, polled, nowMs)) {
    return { finding: "suspect", memory: { ...memory, suspect: true } };
  }
  const believed = { current: polled, before: current, changedAtMs: nowMs, suspect: false };
  return { finding: "changed", memory: believed };
}

/**
 * Whether an answer repeats the state before the latest change. It may repeat any moment between
 * that state's last poll and now. If `state` has changed since (a pause), the position must match
 * more closely, because a track that continues is in that range, too.
 */
function repeats({ before, current }: Memory, polled: Playback | null, nowMs: number): boolean {
  if (!before || !polled) return before === polled;
  if (!isSameSong(before, polled) || before.state !== polled.state) return false;
  const position = positionAt(polled, nowMs);
  const latest = positionAt(before, nowMs);
  if (current?.state === before.state) {
    return position >= before.positionMs - SAME_PLACE_MS && position <= latest + SAME_PLACE_MS;
  }
  const nearest = Math.min(
    Math.abs(latest - position),
    Math.abs(before.positionMs - polled.positionMs),
  );
  return nearest <= SAME_PLACE_MS;
}
