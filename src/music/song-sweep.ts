import { and, desc, eq, inArray, type SQL } from "drizzle-orm";
import type { Store } from "../db/store.ts";
import { nextTurn } from "../next-turn.ts";

/** Deletes songs in parts, between which others are answered. */
export interface SongSweep {
  /**
   * Deletes the songs of a user to which a condition applies. Rejects when the database takes no writes
   * now.
   */
  deleteOf(userId: number, condition: SQL | undefined): Promise<void>;
}

/** Some milliseconds of work. */
const DELETED_AT_ONCE = 500;

export function createSongSweep({ queries, inBackground, tables: { songs } }: Store): SongSweep {
  return {
    async deleteOf(userId, condition) {
      for (;;) {
        // The newest first: a song that goes on must not be taken for one of the same start.
        const found = await queries
          .select({ id: songs.id })
          .from(songs)
          .where(and(eq(songs.userId, userId), condition))
          .orderBy(desc(songs.startedAt))
          .limit(DELETED_AT_ONCE);
        const ids = found.map(({ id }) => id);
        if (ids.length === 0) return;
        await inBackground((writer) => [writer.delete(songs).where(inArray(songs.id, ids))]);
        if (ids.length < DELETED_AT_ONCE) return;
        await nextTurn();
      }
    },
  };
}
