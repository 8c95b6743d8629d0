import type { ConnectionReading } from "../../channels/channel-view.ts";

/** Why a connection is the one that is shown, or which other one is shown instead. */
export type ShownReason =
  | { readonly kind: "onlyPlaying" | "firstPlaying" | "lastPaused" }
  | {
      readonly kind: "comesLater" | "isPaused" | "pausedEarlier";
      readonly shown: ConnectionReading;
    };

/**
 * Follows the rule of channels/merge.ts; `undefined` where nothing is to be explained.
 * @param all what each connection of the user reports, in the user's order
 */
export function shownReason(
  own: ConnectionReading,
  all: readonly ConnectionReading[],
): ShownReason | undefined {
  const shown = all.find(({ isShown }) => isShown);
  if (all.length < 2 || !own.playback || !shown?.playback) return undefined;
  const isPlaying = own.playback.state === "playing";
  if (own === shown) {
    if (!isPlaying) return { kind: "lastPaused" };
    const playing = all.filter(({ playback }) => playback?.state === "playing");
    return { kind: playing.length > 1 ? "firstPlaying" : "onlyPlaying" };
  }
  if (shown.playback.state === "paused") return { kind: "pausedEarlier", shown };
  return { kind: isPlaying ? "comesLater" : "isPaused", shown };
}
