import { and, desc, eq, inArray, type SQL } from "drizzle-orm";
import { songs } from "../db/schema.ts";
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

export function createSongSweep({ queries }: Pick<Store, "queries">): SongSweep {
  return {
    async deleteOf(userId, condition) {
      for (;;) {
        // The newest first: a song that goes on must not be taken for one of the same start.
        const ids = queries
          .select({ id: songs.id })
          .from(songs)
          .where(and(eq(songs.userId, userId), condition))
          .orderBy(desc(songs.startedAt))
          .limit(DELETED_AT_ONCE)
          .all()
          .map(({ id }) => id);
        if (ids.length === 0) return;
        queries.delete(songs).where(inArray(songs.id, ids)).run();
        if (ids.length < DELETED_AT_ONCE) return;
        await nextTurn();
      }
    },
  };
}
