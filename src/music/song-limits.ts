import { desc, eq, gt, sql } from "drizzle-orm";
import { songs } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import { LIMITED } from "./kept-song.ts";

/** A user's newest songs; whoever keeps them for good has room for years. */
export const MOST_KEPT = 100_000;
/** The most characters that all songs of a user may have: more than usual ones ever do. */
const MOST_CHARACTERS = 64_000_000;
/** How many characters of new songs are stored before the total is checked again. */
const CHARACTERS_BETWEEN_CHECKS = 1_000_000;

/** Finds what a user has too much of. */
export function createSongLimits({ queries }: Pick<Store, "queries">) {
  /** Of songs that were noted since the user's total was last checked. */
  const noted = new Map<number, number>();

  /** When the newest song started of those with which all are too many characters. */
  const tooLongUntil = (userId: number) => {
    if ((noted.get(userId) ?? 0) < CHARACTERS_BETWEEN_CHECKS) return undefined;
    noted.delete(userId);
    const { startedAt } = songs;
    const size = sql.join(
      LIMITED.map((name) => sql`coalesce(length(${songs[name]}), 0)`),
      sql` + `,
    );
    const newerToo = sql<number>`sum(${size}) OVER (ORDER BY ${startedAt} DESC)`.as("newer_too");
    const sums = queries
      .select({ startedAt, newerToo })
      .from(songs)
      .where(eq(songs.userId, userId))
      .as("sums");
    return queries
      .select({ startedAt: sums.startedAt })
      .from(sums)
      .where(gt(sums.newerToo, MOST_CHARACTERS))
      .orderBy(desc(sums.startedAt))
      .limit(1)
      .get()?.startedAt;
  };

  /** When the newest song started of those that are more than a user may have. */
  const tooManyUntil = (userId: number) =>
    queries
      .select({ startedAt: songs.startedAt })
      .from(songs)
      .where(eq(songs.userId, userId))
      .orderBy(desc(songs.startedAt))
      .limit(1)
      .offset(MOST_KEPT)
      .get()?.startedAt;

  return {
    /** Counts characters of a song that was noted. */
    count: (userId: number, characters: number) =>
      void noted.set(userId, (noted.get(userId) ?? 0) + characters),
    /** Up to when a user's songs are too many, or too many characters; `-Infinity` when they are not. */
    tooMuchUntil: (userId: number) =>
      Math.max(tooLongUntil(userId) ?? -Infinity, tooManyUntil(userId) ?? -Infinity),
  };
}
