import type { Artwork } from "../playback.ts";
import { type CoverNamer, type Covers, inMemory } from "../upstream/covers.ts";
import { createCoverRate } from "./cover-rate.ts";
import type { Parts } from "../http/parts.ts";

/**
 * Pictures that programs name or send. A connection that brings too many new ones gets none until a
 * minute has passed.
 */
export type PushedCovers = ReturnType<typeof createPushedCovers>;

export function createPushedCovers(
  clock: Parts["clock"],
  covers: Pick<Covers, "allows" | "named">,
) {
  const admitsCover = createCoverRate(clock);
  const admitted = (artwork: Artwork | undefined, origin: string) =>
    artwork && admitsCover(origin, artwork.key) ? artwork : undefined;

  return {
    allows: covers.allows,
    named: (text: string, namer: CoverNamer) => admitted(covers.named(text, namer), namer.origin),
    /** A picture that was sent, for as long as the caller keeps the bytes. */
    sent(picture: Uint8Array, origin: string) {
      // The store of artworks remembers many of them: only the caller holds the large picture.
      const kept = new WeakRef(picture);
      const artwork = inMemory(picture, origin, async () => {
        const bytes = kept.deref();
        if (!bytes) throw new Error("the picture is no longer there");
        return bytes;
      });
      return admitted(artwork, origin);
    },
  };
}
