import { isSameSong, type Playback, positionAt } from "../../../playback.ts";
import type { PollState } from "../../polling/cadence.ts";

/**
 * Spotify sometimes answers with the state from before the latest change. Such a stale answer
 * looks like a jump back, so a jump back is accepted only when two answers in a row show it.
 */

/** A stale answer comes within this time after the change that it misses. */
const STALE_MS = 12_000;
/** How far the position of a stale answer may differ from the state before the change. */
const SAME_PLACE_MS = 1_000;

/**
 * Whether an answer may be stale: it repeats the state before the latest change. It may repeat any
 * moment between that state's last poll and now. If `state` has changed since (a pause), the position must match
 * more closely, because a track that continues is in that range, too.
 */
export function isStale(
  { before, playback: current, changedAtMs }: PollState,
  polled: Playback | null,
  nowMs: number,
): boolean {
  if (nowMs - changedAtMs >= STALE_MS) return false;
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
