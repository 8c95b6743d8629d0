import { and, desc, eq, inArray, isNotNull, sql } from "drizzle-orm";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import { type BoundedMap, createBoundedMap } from "../bounded-map.ts";
import { isOrphan } from "../db/errors.ts";
import type { Schema } from "../db/schema.ts";
import { type Store, step } from "../db/store.ts";
import type { SongRow } from "./kept-song.ts";

/** Songs on their way into the database. */
export interface SongWrites {
  /** Stores a song, or how it goes on. Rejects if it cannot be stored now; it is tried again. */
  note(row: SongRow): Promise<void>;
  /** What a user's songs wait for is not stored any more. */
  forget(userId: number): void;
  /** Stores all that wait. */
  storeAll(): Promise<void>;
}

/** While the database takes no writes, so many songs of all users wait. */
const MOST_WAITING = 1_000;
/** Songs of all users that this node has stored lately. */
const MOST_STARTS = 10_000;
/** Nodes begin to follow a song at different times, and their clocks differ. */
const SAME_SONG_WITHIN_MS = 2 * 3_600_000;

const keyOf = ({ userId, startedAt }: Pick<SongRow, "userId" | "startedAt">): string =>
  `${userId} ${startedAt}`;

/** Whether a user's newest song, which another node has stored, is the one that plays here. */
const isSameSong = (newest: Schema["songs"]["$inferSelect"], row: SongRow): boolean =>
  newest.trackId === row.trackId &&
  newest.title === row.title &&
  row.startedAt - (newest.startedAt + newest.playedMs) < SAME_SONG_WITHIN_MS;

export function createSongWrites(
  store: Store,
  deferred: Pick<DeferredWrites, "writeSoon">,
): SongWrites {
  const { queries } = store;
  const { songs, histories } = store.tables;
  const notedSongs = new Map<string, SongRow>();
  /** With which start the songs of this node are stored, by their key here. */
  const storedStarts = createBoundedMap<string, number>(MOST_STARTS);
  /** The keys under which this node has stored songs. */
  const ownSongs = createBoundedMap<string, true>(MOST_STARTS);

  /**
   * When songs started, by key, for all nodes that have got them: each node measures it with its own
   * clock, from when it began to follow. The first one that stores a song decides.
   */
  const sharedStarts = async (rows: readonly SongRow[]): Promise<BoundedMap<string, number>> => {
    const isNew = rows.filter((row) => storedStarts.get(keyOf(row)) === undefined);
    if (!store.network || isNew.length === 0) return storedStarts;
    const found = await store.exclusively(function* (writer) {
      const starts: [string, number][] = [];
      for (const row of isNew) {
        const [newest] = yield* step(
          writer
            .select()
            .from(songs)
            .where(eq(songs.userId, row.userId))
            .orderBy(desc(songs.startedAt))
            .limit(1),
        );
        const isKept = newest && isSameSong(newest, row) && !ownSongs.get(keyOf(newest));
        if (!isKept) yield* step(writer.insert(songs).values(row).onConflictDoNothing());
        starts.push([keyOf(row), isKept ? newest.startedAt : row.startedAt]);
      }
      return starts;
    });
    isNew.forEach((row, index) => {
      const [key, startedAt] = found[index] ?? [keyOf(row), row.startedAt];
      storedStarts.set(key, startedAt);
      ownSongs.set(keyOf({ ...row, startedAt }), true);
    });
    return storedStarts;
  };

  const storeSongs = async (): Promise<void> => {
    try {
      await storeNotedSongs();
    } catch (error) {
      if (!isOrphan(error)) throw error;
      // A user was removed in between. The songs of the others are stored now.
      await storeSongs();
    }
  };

  const storeNotedSongs = async () => {
    const storing = [...notedSongs];
    const userIds = [...new Set(storing.map(([, { userId }]) => userId))];
    // Users may be gone by now, or keep nothing any more.
    const found = await queries
      .select({ userId: histories.userId })
      .from(histories)
      .where(and(inArray(histories.userId, userIds), isNotNull(histories.keeps)));
    const keeping = new Set(found.map(({ userId }) => userId));
    const kept = storing.filter(([, { userId }]) => keeping.has(userId)).map(([, row]) => row);
    const starts = await sharedStarts(kept);
    // What was cleared meanwhile stays cleared.
    const rows = storing
      .filter(([key, row]) => notedSongs.get(key) === row && keeping.has(row.userId))
      .map(([key, row]) => ({ ...row, startedAt: starts.get(key) ?? row.startedAt }));
    if (rows.length > 0) {
      const longer = sql`excluded.played_ms > ${songs.playedMs}`;
      await store.inBackground((writer) => [
        writer
          .insert(songs)
          .values(rows)
          .onConflictDoUpdate({
            target: [songs.userId, songs.startedAt],
            set: {
              playedMs: sql`CASE WHEN ${longer} THEN excluded.played_ms ELSE ${songs.playedMs} END`,
              coverPath: sql`excluded.cover_path`,
              coverUrl: sql`excluded.cover_url`,
            },
          }),
      ]);
    }
    for (const [key, row] of storing) if (notedSongs.get(key) === row) notedSongs.delete(key);
  };

  return {
    async note(row) {
      notedSongs.delete(keyOf(row));
      notedSongs.set(keyOf(row), row);
      const [oldest] = notedSongs.keys();
      if (notedSongs.size > MOST_WAITING && oldest !== undefined) notedSongs.delete(oldest);
      await deferred.writeSoon("history", storeSongs);
    },
    forget(userId) {
      for (const [key, row] of notedSongs) if (row.userId === userId) notedSongs.delete(key);
    },
    async storeAll() {
      if (notedSongs.size > 0) await storeSongs();
    },
  };
}
