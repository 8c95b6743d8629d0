import type { Artwork } from "../playback.ts";
import type { ArtworkStore } from "./artwork-store.ts";

/** A playback has ten covers at most. */
const MOST_AT_ONCE = 10;

/**
 * Looks at the covers that others are shown, so that those that cannot be shown are known. A user whose
 * music changes faster than it can be looked at has ten looks under way, whatever comes.
 */
export function createLooks({ look }: Pick<ArtworkStore, "look">) {
  /** How many are under way, by user. */
  const underWay = new Map<number, number>();
  return (userId: number, artwork: Artwork): void => {
    const before = underWay.get(userId) ?? 0;
    // The others are looked at when their playback is read again.
    if (before >= MOST_AT_ONCE) return;
    const looking = look(artwork, userId);
    if (!looking) return;
    underWay.set(userId, before + 1);
    void looking.finally(() => {
      const left = (underWay.get(userId) ?? 1) - 1;
      if (left > 0) underWay.set(userId, left);
      else underWay.delete(userId);
    });
  };
}
