import { and, eq, isNotNull } from "drizzle-orm";
import { createBoundedMap } from "../bounded-map.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import { histories, songs } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import type { SongRow } from "./kept-song.ts";

/** While the database takes no writes, so many songs of all users wait. */
const MOST_WAITING = 1_000;

const keyOf = ({ userId, startedAt }: Pick<SongRow, "userId" | "startedAt">): string =>
  `${userId} ${startedAt}`;

/** Songs on their way into the database. */
export function createSongWrites(store: Store, deferred: Pick<DeferredWrites, "writeSoon">) {
  const noted = createBoundedMap<string, SongRow>(MOST_WAITING);

  /** Stores all that wait. @throws if it cannot */
  const storeAll = () => {
    const rows = [...noted.entries()];
    if (rows.length === 0) return;
    store.transaction((tx) => {
      for (const [, row] of rows) {
        // Users may be gone by now, or keep nothing any more.
        const isKept = and(eq(histories.userId, row.userId), isNotNull(histories.keeps));
        if (!tx.select({ userId: histories.userId }).from(histories).where(isKept).get()) continue;
        const isIt = and(eq(songs.userId, row.userId), eq(songs.startedAt, row.startedAt));
        const before = tx.select().from(songs).where(isIt).get();
        const { coverPath = null, coverUrl = null } = row;
        const playedMs = Math.max(row.playedMs, before?.playedMs ?? 0);
        if (before) tx.update(songs).set({ playedMs, coverPath, coverUrl }).where(isIt).run();
        else tx.insert(songs).values(row).run();
      }
    });
    noted.clear();
  };

  return {
    /** Stores a song, or how it goes on. Rejects if it cannot be stored now; it is tried again. */
    async note(row: SongRow) {
      noted.set(keyOf(row), row);
      await deferred.writeSoon("history", storeAll);
    },
    /** What a user's songs wait for is not stored any more. */
    forget(userId: number) {
      for (const [key, row] of noted.entries()) if (row.userId === userId) noted.take(key);
    },
    storeAll,
  };
}
