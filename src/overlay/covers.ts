import type { ArtworkStore } from "../artwork/artwork-store.ts";
import { atMost, type Clock } from "../clock.ts";
import type { Reading } from "../channels/reading.ts";
import type { Artwork } from "../playback.ts";

/** The cover functions that the overlay needs. */
export type Covers = ReturnType<typeof createCovers>;

/** The longest time that a change waits for the colour of its cover. */
const MOMENT_MS = 120;

export function createCovers(
  artworks: Pick<ArtworkStore, "pathOf" | "accentOf" | "analyse">,
  basePath: string,
  clock: Pick<Clock, "after">,
) {
  return {
    /** Path of a picture of a user's music on this server. */
    pathOf: (artwork: Artwork, userId: number) =>
      basePath + artworks.pathOf(artwork, "256.webp", userId),
    /** A lively colour of it such as `#e07a5f`; `null` when it has none or is not known yet. */
    accentOf: artworks.accentOf,
    /**
     * Waits a short time for the cover of a user's reading to be analysed; never rejects. If the analysis takes
     * longer, `late` is set and resolves when it is done.
     */
    async prepare(reading: Reading, userId: number) {
      const artwork = reading.kind === "playback" ? reading.playback.album.artworks[0] : undefined;
      if (!artwork) return {};
      const study = artworks.analyse(artwork, userId);
      const ready = await atMost(
        clock,
        MOMENT_MS,
        study.then(() => true),
      );
      return ready ? {} : { late: study };
    },
  };
}
