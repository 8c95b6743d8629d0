import { and, between, desc, eq, lt, lte, max, not, or } from "drizzle-orm";
import type { AccountsContext } from "../accounts/context.ts";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import type { Queries } from "../db/store.ts";
import type { PrivacyRules } from "../accounts/privacy.ts";
import { histories, songs } from "../db/schema.ts";
import type { User } from "../accounts/users.ts";
import { nextTurn } from "../next-turn.ts";
import { createHiddenSongs } from "./hidden-songs.ts";
import { charactersOf, type KeptSong, toRow, toSong } from "./kept-song.ts";
import { deleteSongs } from "./song-sweep.ts";
import { createSongLimits, MOST_KEPT } from "./song-limits.ts";
import { createSongWrites } from "./song-writes.ts";
import { createStreams } from "./streams.ts";

/** How long songs can be kept, in milliseconds. */
export const PERIODS = {
  day: 86_400_000,
  month: 30 * 86_400_000,
  always: Infinity,
} as const;
export type Period = keyof typeof PERIODS;

/** An answer passes over at most so many hidden songs, and then has the fewer. */
const MOST_PASSED_OVER = 200;
/** How many songs are compared in one turn of the event loop: others are answered in between. */
const COMPARED_AT_ONCE = 50;

/** What a user has chosen. */
export interface HistoryChoice {
  /** `null` while nothing is kept. */
  readonly keeps: Period | null;
  /** Whether overlays may report when OBS streams. */
  readonly followsStreams: boolean;
}

/** Which songs, by the time at which they started (Unix milliseconds). */
export interface Range {
  readonly from?: number;
  /** Inclusive. */
  readonly until?: number;
  readonly most?: number;
}

/** The songs of users who keep them. Nothing is kept unless the user has switched it on. */
export type History = ReturnType<typeof createHistory>;

/** Is called with a user whose history was cleared. */
type OnCleared = (userId: number) => void;

const NOTHING_KEPT: HistoryChoice = { keeps: null, followsStreams: false };

export function createHistory(
  { store, wallMs }: AccountsContext,
  deferred: Pick<DeferredWrites, "writeSoon">,
  rulesOf: (userId: number) => PrivacyRules,
) {
  const { queries } = store;
  /** Only of users who have chosen something. */
  const choices = new Map<number, HistoryChoice>();
  const streams = createStreams(store, wallMs, deferred, (userId) => of(userId).followsStreams);
  const writes = createSongWrites(store, deferred);
  const limits = createSongLimits(store);
  const hidesSong = createHiddenSongs();
  /** When each history was last cleared. */
  const clearings = new Map<number, number>();
  /** The ids up to which the songs of users were cleared. */
  const clearedUpTo = new Map<number, number>();
  const clearListeners: OnCleared[] = [];

  const followClearing = (userId: number, clearedAt: number | null) => {
    if (clearedAt === null || clearings.get(userId) === clearedAt) return;
    clearings.set(userId, clearedAt);
    writes.forget(userId);
    for (const listener of clearListeners) listener(userId);
  };

  /** Reloads the choice of a user, or of all, after the database changed. */
  const reload = (userId: number | undefined) => {
    const rows = queries
      .select()
      .from(histories)
      .where(userId === undefined ? undefined : eq(histories.userId, userId))
      .all();
    if (userId === undefined) choices.clear();
    else choices.delete(userId);
    for (const { userId: id, keeps, followsStreams, clearedAt, ...row } of rows) {
      const { streamStartedAt, streamEndedAt } = row;
      choices.set(id, { keeps, followsStreams });
      clearedUpTo.set(id, row.clearedUpTo);
      followClearing(id, clearedAt);
      const stored = { startedAt: streamStartedAt ?? 0, endedAt: streamEndedAt };
      streams.load(id, streamStartedAt === null ? undefined : stored);
    }
  };
  reload(undefined);

  /** Synchronous, from memory. */
  const of = (userId: number): HistoryChoice => choices.get(userId) ?? NOTHING_KEPT;

  /** The oldest time that is kept. */
  const sinceOf = (keeps: Period): number => wallMs() - PERIODS[keeps];

  const isCleared = (userId: number) => lte(songs.id, clearedUpTo.get(userId) ?? 0);
  /** What a user's history has still to lose. */
  const isGone = (userId: number) => {
    const { keeps } = of(userId);
    if (keeps === null) return isCleared(userId);
    return or(isCleared(userId), lt(songs.startedAt, sinceOf(keeps)));
  };
  /** What cannot be deleted now is deleted by {@link History.forgetOld}. */
  const deleteSoon = (userId: number) =>
    void deleteSongs(store, userId, isGone(userId)).catch(() => {});

  const rowsOf = (
    { id: userId }: Pick<User, "id">,
    { from = -Infinity, until = Infinity, most }: Range = {},
  ) => {
    const { keeps } = of(userId);
    if (keeps === null) return [];
    try {
      writes.storeAll();
    } catch {
      // What cannot be stored now is tried again; what is stored can be read.
    }
    const wanted = and(
      eq(songs.userId, userId),
      not(isCleared(userId)),
      between(songs.startedAt, Math.max(from, sinceOf(keeps)), until),
    );
    return queries
      .select()
      .from(songs)
      .where(wanted)
      .orderBy(desc(songs.startedAt))
      .limit(most ?? MOST_KEPT)
      .all();
  };
  const newestSong = (tx: Queries): number =>
    tx
      .select({ id: max(songs.id) })
      .from(songs)
      .get()?.id ?? 0;

  const markCleared = async ({ id: userId }: Pick<User, "id">) => {
    if (!choices.has(userId)) return;
    writes.forget(userId);
    await store.write({ userId, what: "history" }, (tx) => {
      const set = { clearedAt: wallMs(), clearedUpTo: newestSong(tx) };
      tx.update(histories).set(set).where(eq(histories.userId, userId)).run();
    });
  };

  return {
    of,
    /** Keeping for a shorter time deletes what is older; keeping nothing deletes all. */
    async change({ id: userId }: Pick<User, "id">, { keeps, followsStreams }: HistoryChoice) {
      if (keeps === null) writes.forget(userId);
      // What is known of streams goes with the permission.
      if (!followsStreams) streams.forget(userId);
      const stream = followsStreams ? {} : { streamStartedAt: null, streamEndedAt: null };
      await store.write({ userId, what: "history" }, (tx) => {
        const isHis = eq(histories.userId, userId);
        const before = tx.select().from(histories).where(isHis).get();
        // What was played before keeping began, or ended, does not count.
        const isCleared = keeps === null || (before?.keeps ?? null) === null;
        const clearedAt = isCleared ? wallMs() : (before?.clearedAt ?? null);
        const clearedUpTo = keeps === null ? newestSong(tx) : before?.clearedUpTo;
        const set = { keeps, followsStreams, clearedAt, clearedUpTo, ...stream };
        tx.insert(histories)
          .values({ userId, ...set })
          .onConflictDoUpdate({ target: histories.userId, set })
          .run();
      });
      deleteSoon(userId);
    },
    /**
     * Keeps a song, or how it goes on. Does nothing for users who keep none. Rejects if it cannot be
     * stored now; it is tried again.
     */
    async note(userId: number, song: KeptSong) {
      if (of(userId).keeps === null) return;
      const row = toRow(userId, song);
      limits.count(userId, charactersOf(row));
      await writes.note(row);
    },
    /**
     * For others: songs that the user does not hide, the newest first. At most 200 hidden ones are
     * passed over.
     * @param letOthersIn awaited between parts of the work
     */
    async shownOf(
      user: Pick<User, "id">,
      { from = -Infinity, until = Infinity, most = MOST_KEPT }: Range = {},
      letOthersIn: () => Promise<void> = nextTurn,
    ) {
      const rules = rulesOf(user.id);
      const shown: KeptSong[] = [];
      let left = most + MOST_PASSED_OVER;
      let next = { from, until };
      for (;;) {
        const asked = Math.min(left, COMPARED_AT_ONCE);
        const rows = rowsOf(user, { ...next, most: asked });
        const songs = rows.map((row) => ({ id: row.id, song: toSong(row) }));
        for (const { id, song } of songs) if (!hidesSong(rules, id, song)) shown.push(song);
        left -= rows.length;
        const last = rows.at(-1);
        if (!last || rows.length < asked || left === 0 || shown.length >= most) break;
        next = { from, until: last.startedAt - 1 };
        await letOthersIn();
      }
      return shown.slice(0, most);
    },
    /** For the user alone: hidden songs too, the newest first. */
    songsOf: (user: Pick<User, "id">, range?: Range): KeptSong[] => rowsOf(user, range).map(toSong),
    /** Nothing that was played before is shown from now on. It is deleted in parts, soon after. */
    async clear(user: Pick<User, "id">) {
      await markCleared(user);
      deleteSoon(user.id);
    },
    /** The same, and resolves once all of it is deleted. */
    async empty(user: Pick<User, "id">) {
      await markCleared(user);
      await deleteSongs(store, user.id, isGone(user.id));
    },
    /**
     * Calls back with a user whose history was cleared, or switched off or on: what was played before that
     * does not count.
     */
    onCleared: (listener: OnCleared) => void clearListeners.push(listener),
    /** Deletes what was kept for long enough, of all users. */
    async forgetOld() {
      for (const userId of [...choices.keys()]) {
        const isTooMuch = lte(songs.startedAt, limits.tooMuchUntil(userId));
        await deleteSongs(store, userId, or(isGone(userId), isTooMuch));
        await nextTurn();
      }
    },
    streamOf: streams.of,
    streamStarted: streams.started,
    streamStopped: streams.stopped,
    reload,
  };
}
