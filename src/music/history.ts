import { and, desc, eq, gte, lt, lte, max, not, or, sql } from "drizzle-orm";
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
import { createStreams, type Stream } from "./streams.ts";

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
export interface History {
  /** Synchronous, from memory. */
  of(userId: number): HistoryChoice;
  /** Keeping for a shorter time deletes what is older; keeping nothing deletes all. */
  change(user: Pick<User, "id">, choice: HistoryChoice): Promise<void>;
  /**
   * Keeps a song, or how it goes on. Does nothing for users who keep none. Rejects if it cannot be
   * stored now; it is tried again.
   */
  note(userId: number, song: KeptSong): Promise<void>;
  /**
   * For others: songs that the user does not hide, the newest first. At most 200 hidden ones are
   * passed over.
   * @param letOthersIn awaited between parts of the work
   */
  shownOf(
    user: Pick<User, "id">,
    range?: Range,
    letOthersIn?: () => Promise<void>,
  ): Promise<KeptSong[]>;
  /** For the user alone: hidden songs too, the newest first. */
  songsOf(user: Pick<User, "id">, range?: Range): KeptSong[];
  /** Nothing that was played before is shown from now on. It is deleted in parts, soon after. */
  clear(user: Pick<User, "id">): Promise<void>;
  /** The same, and resolves once all of it is deleted. */
  empty(user: Pick<User, "id">): Promise<void>;
  /**
   * Calls back with a user whose history was cleared, or switched off or on: what was played before that does not count.
   * @param listener gets the Unix time in milliseconds
   */
  onCleared(listener: (userId: number, clearedAt: number) => void): void;
  /** Deletes what was kept for long enough, of all users. */
  forgetOld(): Promise<void>;
  /**
   * The running stream, or the last one; `undefined` unless the user has allowed it. One that does
   * not end is over after two days.
   */
  streamOf(userId: number): Stream | undefined;
  /** Stores that a stream has started. Soon after an end, the last one goes on. */
  streamStarted(userId: number): Promise<void>;
  /** @param endedAt Unix milliseconds */
  streamStopped(userId: number, endedAt: number): Promise<void>;
  /** Reloads the choice of a user, or of all, after the database changed. */
  reload(userId: number | undefined): void;
}

const NOTHING_KEPT: HistoryChoice = { keeps: null, followsStreams: false };
export function createHistory(
  { store, wallMs }: AccountsContext,
  deferred: Pick<DeferredWrites, "writeSoon">,
  rulesOf: (userId: number) => PrivacyRules,
): History {
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
  const clearListeners: Parameters<History["onCleared"]>[0][] = [];

  const followClearing = (userId: number, clearedAt: number | null) => {
    if (clearedAt === null || clearings.get(userId) === clearedAt) return;
    clearings.set(userId, clearedAt);
    writes.forget(userId);
    for (const listener of clearListeners) listener(userId, clearedAt);
  };

  const reload: History["reload"] = (userId) => {
    const rows = queries
      .select()
      .from(histories)
      .where(userId === undefined ? undefined : eq(histories.userId, userId))
      .all();
    if (userId === undefined) choices.clear();
    else choices.delete(userId);
    streams.drop(userId);
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

  const of: History["of"] = (userId) => choices.get(userId) ?? NOTHING_KEPT;

  /** The oldest time that is kept. */
  const sinceOf = (keeps: Period): number => wallMs() - PERIODS[keeps];

  const isCleared = (userId: number) => lte(songs.id, clearedUpTo.get(userId) ?? 0);
  const isTooOld = (keeps: Period) =>
    keeps === "always" ? sql`false` : lt(songs.startedAt, sinceOf(keeps));
  /** What a user's history has still to lose. */
  const isGone = (userId: number) => {
    const { keeps } = of(userId);
    return keeps === null ? isCleared(userId) : or(isCleared(userId), isTooOld(keeps));
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
    const since = Math.max(from, sinceOf(keeps));
    const wanted = and(
      eq(songs.userId, userId),
      not(isCleared(userId)),
      since === -Infinity ? undefined : gte(songs.startedAt, since),
      until === Infinity ? undefined : lte(songs.startedAt, until),
    );
    return queries
      .select()
      .from(songs)
      .where(wanted)
      .orderBy(desc(songs.startedAt))
      .limit(most ?? MOST_KEPT)
      .all();
  };
  const songsOf: History["songsOf"] = (user, range) => rowsOf(user, range).map(toSong);

  const newestSong = (tx: Queries): number =>
    tx
      .select({ id: max(songs.id) })
      .from(songs)
      .get()?.id ?? 0;

  const markCleared = async ({ id: userId }: Pick<User, "id">): Promise<void> => {
    if (!choices.has(userId)) return;
    writes.forget(userId);
    await store.write({ userId, what: "history" }, (tx) => {
      const set = { clearedAt: wallMs(), clearedUpTo: newestSong(tx) };
      tx.update(histories).set(set).where(eq(histories.userId, userId)).run();
    });
  };

  return {
    of,
    async change({ id: userId }, { keeps, followsStreams }) {
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
    async note(userId, song) {
      if (of(userId).keeps === null) return;
      const row = toRow(userId, song);
      limits.count(userId, charactersOf(row));
      await writes.note(row);
    },
    async shownOf(
      user,
      { from = -Infinity, until = Infinity, most = MOST_KEPT } = {},
      letOthersIn = nextTurn,
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
    songsOf,
    async clear(user) {
      await markCleared(user);
      deleteSoon(user.id);
    },
    async empty(user) {
      await markCleared(user);
      await deleteSongs(store, user.id, isGone(user.id));
    },
    onCleared: (listener) => void clearListeners.push(listener),
    async forgetOld() {
      for (const [userId, { keeps }] of [...choices]) {
        const limit = keeps === "always" ? limits.oldestOf(userId) : undefined;
        const tooMuchUntil = limits.tooMuchUntil(userId);
        const isBeyondLimits = or(
          limit === undefined ? undefined : lt(songs.startedAt, limit),
          tooMuchUntil === undefined ? undefined : lte(songs.startedAt, tooMuchUntil),
        );
        await deleteSongs(store, userId, or(isGone(userId), isBeyondLimits));
        await nextTurn();
      }
    },
    streamOf: streams.of,
    streamStarted: streams.started,
    streamStopped: streams.stopped,
    reload,
  };
}
