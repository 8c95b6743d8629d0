import { and, desc, eq, isNull, lt, lte, or } from "drizzle-orm";
import { foundCovers } from "../db/schema.ts";
import type { AccountsContext } from "./context.ts";

/** What a search for a cover has come to. */
export type FoundCover = NonNullable<ReturnType<FoundCovers["find"]>>;

/** Covers that were looked for elsewhere, for all users: a song is looked up once. */
export type FoundCovers = ReturnType<typeof createFoundCovers>;

const DAY_MS = 86_400_000;
const FOUND_KEPT_MS = 90 * DAY_MS;
const NOT_FOUND_KEPT_MS = 7 * DAY_MS;
const MOST_ROWS = 20_000;

/** @param mostRows how many songs are kept after `forgetOld` */
export function createFoundCovers({ store, wallMs }: AccountsContext, mostRows = MOST_ROWS) {
  const { queries } = store;
  const untilOf = (cover: string | null, searchedAt: number) =>
    searchedAt + (cover === null ? NOT_FOUND_KEPT_MS : FOUND_KEPT_MS);
  return {
    /** `undefined` when it was not looked for, or too long ago. */
    find(song: string) {
      const row = queries.select().from(foundCovers).where(eq(foundCovers.song, song)).get();
      if (!row) return undefined;
      const { service, cover } = row;
      /** For how long that counts, as Unix time in milliseconds. */
      const until = untilOf(cover, row.searchedAt);
      return wallMs() < until ? { service, cover, until } : undefined;
    },
    /** Stores what a search has come to, if the database takes it at this moment. */
    note(
      song: string,
      { service, cover }: Pick<typeof foundCovers.$inferSelect, "service" | "cover">,
    ) {
      const row = { song, service, cover, searchedAt: wallMs() };
      try {
        queries
          .insert(foundCovers)
          .values(row)
          .onConflictDoUpdate({ target: foundCovers.song, set: row })
          .run();
      } catch {
        // It is searched again after a restart, then.
      }
      return { service, cover, until: untilOf(cover, row.searchedAt) };
    },
    /** Deletes what is too old, and the oldest of too many. */
    forgetOld() {
      const nowMs = wallMs();
      const newestTooMany = queries
        .select({ searchedAt: foundCovers.searchedAt })
        .from(foundCovers)
        .orderBy(desc(foundCovers.searchedAt))
        .limit(1)
        .offset(mostRows)
        .get();
      queries
        .delete(foundCovers)
        .where(
          or(
            lte(foundCovers.searchedAt, newestTooMany?.searchedAt ?? 0),
            lt(foundCovers.searchedAt, nowMs - FOUND_KEPT_MS),
            and(isNull(foundCovers.cover), lt(foundCovers.searchedAt, nowMs - NOT_FOUND_KEPT_MS)),
          ),
        )
        .run();
    },
  };
}
