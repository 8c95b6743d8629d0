import { type Playback, positionAt } from "../../playback.ts";

/**
 * Spotify now and then answers with the state from before the latest change. Such an echo looks
 * like a jump back, so a jump back is believed only when it is heard twice.
 */

/** What has been believed lately. */
export interface Memory {
  /** `undefined` before anything was heard. */
  readonly current: Playback | null | undefined;
  /** What was believed before the latest change. */
  readonly before: Playback | null | undefined;
  /** When the latest change was found. */
  readonly changedAtMs: number;
  /** Whether the last answer was taken for an echo. */
  readonly suspect: boolean;
}

export const NOTHING_BELIEVED: Memory = {
  current: undefined,
  before: undefined,
  changedAtMs: Number.NEGATIVE_INFINITY,
  suspect: false,
};

/** An echo comes soon after the change that it knows nothing of. */
const ECHO_MS = 12_000;
/** How well an echo continues, or repeats, what was heard before. */
const SAME_PLACE_MS = 1_000;
/** A position further off than this from what was expected is a seek. */
const SEEK_MS = 1_500;

export type Verdict =
  | { readonly kind: "echo"; readonly memory: Memory }
  | { readonly kind: "same" | "surprise" | "expected"; readonly memory: Memory };

/**
 * What to make of an answer: an echo to be asked about again, the same listening going on, or a
 * change, which was a surprise unless the track had come to its end.
 */
export function classify(memory: Memory, heard: Playback | null, nowMs: number): Verdict {
  const { current, changedAtMs, suspect } = memory;
  if (continues(current, heard, nowMs)) {
    return { kind: "same", memory: { ...memory, current: heard, suspect: false } };
  }
  const recent = nowMs - changedAtMs < ECHO_MS;
  if (recent && !suspect && repeats(memory, heard, nowMs)) {
    return { kind: "echo", memory: { ...memory, suspect: true } };
  }
  const believed = { current: heard, before: current, changedAtMs: nowMs, suspect: false };
  return { kind: hadEnded(current, nowMs) ? "expected" : "surprise", memory: believed };
}

function continues(
  current: Playback | null | undefined,
  heard: Playback | null,
  nowMs: number,
): boolean {
  if (!current || !heard) return current === heard;
  return (
    current.track.id === heard.track.id &&
    current.state === heard.state &&
    Math.abs(positionAt(current, nowMs) - positionAt(heard, nowMs)) <= SEEK_MS
  );
}

/**
 * Whether an answer says again what was believed before. It may repeat any moment between the last
 * look and now. After a pause it has to fit better: whoever goes on listening is in that span too.
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

/** Whether the track before a change had played to its end, give or take a cross-fade. */
function hadEnded(current: Playback | null | undefined, nowMs: number): boolean {
  if (current?.state !== "playing" || current.track.durationMs === null) return false;
  return positionAt(current, nowMs) >= current.track.durationMs - SEEK_MS;
}
