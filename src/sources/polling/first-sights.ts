import { createBoundedMap } from "../../bounded-map.ts";
import { digestOfPlay, type IdentifiedSong } from "../../playback.ts";

/** Since when each connection plays its song, for upstreams that report no position. */
export interface FirstSights {
  /** When the song was first seen, at the latest now (monotonic ms). */
  since(connectionId: number, song: IdentifiedSong, nowMs: number): number;
  /** Forgets the song: if it is seen again, it has begun again. */
  forget(connectionId: number): void;
}

const MOST_CONNECTIONS = 10_000;
/** A song that nobody has looked at for this long may have been played again from the start. */
const FORGOTTEN_MS = 60_000;

export function createFirstSights(): FirstSights {
  const sights = createBoundedMap<number, { digest: string; sinceMs: number; seenMs: number }>(
    MOST_CONNECTIONS,
  );
  return {
    since(connectionId, song, nowMs) {
      const known = sights.get(connectionId);
      const digest = digestOfPlay(song);
      const goesOn = known?.digest === digest && nowMs - known.seenMs < FORGOTTEN_MS;
      const sinceMs = goesOn ? known.sinceMs : nowMs;
      sights.set(connectionId, { digest, sinceMs, seenMs: nowMs });
      return sinceMs;
    },
    forget: (connectionId) => void sights.take(connectionId),
  };
}
