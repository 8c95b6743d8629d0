import { createBoundedMap } from "../bounded-map.ts";
import type { Clock } from "../clock.ts";

/**
 * Limits how many covers a connection may bring: each may be fetched, and has to be drawn. Says whether one
 * may be used: one of the last minute, or one of few new ones.
 */
type AdmitsCover = (connection: string, key: string) => boolean;

/**
 * Somebody who skips through a playlist plays each song for two seconds or longer, and a player names
 * one cover for a song.
 */
export const MOST_A_MINUTE = 30;
const MINUTE_MS = 60_000;
/** Limits the memory; the connection that brought no new cover for longest is forgotten first. */
const MOST_CONNECTIONS = 10_000;

export function createCoverRate({ monotonicMs }: Pick<Clock, "monotonicMs">): AdmitsCover {
  /** The covers of each connection's last minute, by digest, and when they came; oldest first. */
  const connections = createBoundedMap<string, Map<string, number>>(MOST_CONNECTIONS);
  return (connection, key) => {
    const nowMs = monotonicMs();
    const covers = connections.get(connection) ?? new Map<string, number>();
    for (const [digest, atMs] of covers) {
      if (nowMs - atMs < MINUTE_MS) break;
      covers.delete(digest);
    }
    const digest = new Bun.CryptoHasher("sha256").update(key).digest("base64url");
    if (covers.has(digest)) return true;
    if (covers.size >= MOST_A_MINUTE) return false;
    connections.set(connection, covers.set(digest, nowMs));
    return true;
  };
}
