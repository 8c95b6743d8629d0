import { createBoundedMap } from "../bounded-map.ts";
import type { Clock } from "../clock.ts";
import type { Artwork, Playback } from "../playback.ts";

/** Covers that could not be shown: they are left out of what everybody is told, for a while. */
export type UnreadableCovers = ReturnType<typeof createUnreadableCovers>;

const MOST_COVERS = 4_096;
const GONE_MS = 10 * 60_000;
const PASSING_MS = 60_000;

export function createUnreadableCovers({ monotonicMs }: Pick<Clock, "monotonicMs">) {
  /** By the pictures' keys, until when they are left out. */
  const untilMs = createBoundedMap<string, number>(MOST_COVERS);
  const made = new WeakMap<Playback, Playback>();
  const has = (artwork: Artwork | undefined) =>
    artwork !== undefined && (untilMs.get(artwork.key) ?? -Infinity) > monotonicMs();
  return {
    /** @param isPassing whether it may be there a moment later, as when its server does not answer */
    note: ({ key }: Artwork, isPassing: boolean) =>
      untilMs.set(key, monotonicMs() + (isPassing ? PASSING_MS : GONE_MS)),
    has,
    /** A playback without them; the same object for the same playback while the same are left out. */
    leftOut(playback: Playback) {
      const { album } = playback;
      if (!album.artworks.some(has)) return playback;
      const artworks = album.artworks.filter((artwork) => !has(artwork));
      const before = made.get(playback);
      if (before?.album.artworks.length === artworks.length) return before;
      const shown = { ...playback, album: { ...album, artworks } };
      made.set(playback, shown);
      return shown;
    },
  };
}
