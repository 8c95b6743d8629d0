import type { Playback } from "../playback.ts";

/** What one of this machine's players plays, and the system's name of the player. */
export interface ReportingPlayer {
  readonly name: string;
  readonly playback: Playback;
}

/**
 * Which of several players is shown: a playing one rather than a paused one, of these the one that
 * was shown before, else the one whose news are the newest.
 */
export function choosePlayer(
  players: readonly ReportingPlayer[],
  shown: string | undefined,
): ReportingPlayer | undefined {
  const rank = ({ name, playback }: ReportingPlayer) =>
    (playback.state === "playing" ? 2 : 0) + (name === shown ? 1 : 0);
  return players.toSorted(
    (a, b) => rank(b) - rank(a) || b.playback.observedAtMs - a.playback.observedAtMs,
  )[0];
}
