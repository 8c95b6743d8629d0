import { createBoundedMap } from "../../bounded-map.ts";

/** Since when each connection plays its track, for upstreams that report no position. */
export interface FirstSights {
  /** When the track was first seen, at the latest now (monotonic ms). */
  since(connectionId: number, trackId: string, nowMs: number): number;
  /** Forgets the track: if it is seen again, it has begun again. */
  forget(connectionId: number): void;
}

const MOST_CONNECTIONS = 10_000;
/** A track that nobody has looked at for this long may have been played again from the start. */
const FORGOTTEN_MS = 60_000;

export function createFirstSights(): FirstSights {
  const sights = createBoundedMap<number, { trackId: string; sinceMs: number; seenMs: number }>(
    MOST_CONNECTIONS,
  );
  return {
    since(connectionId, trackId, nowMs) {
      const known = sights.get(connectionId);
      const goesOn = known?.trackId === trackId && nowMs - known.seenMs < FORGOTTEN_MS;
      const sinceMs = goesOn ? known.sinceMs : nowMs;
      sights.set(connectionId, { trackId, sinceMs, seenMs: nowMs });
      return sinceMs;
    },
    forget: (connectionId) => void sights.take(connectionId),
  };
}
