import { and, desc, eq, inArray, type SQL } from "drizzle-orm";
import { songs } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import { nextTurn } from "../next-turn.ts";

/** Some milliseconds of work. */
const DELETED_AT_ONCE = 500;

/**
 * Deletes the songs of a user to which a condition applies, in parts, between which others are answered.
 * Rejects when the database takes no writes now.
 */
export async function deleteSongs(
  { queries }: Pick<Store, "queries">,
  userId: number,
  condition: SQL | undefined,
): Promise<void> {
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
}
