import { and, desc, eq, gt, gte, inArray, isNotNull, lt, lte, sql } from "drizzle-orm";
import { beginningOf } from "../beginning.ts";
import { type BoundedMap, createBoundedMap } from "../bounded-map.ts";
import { isOrphan } from "../db/errors.ts";
import type { Schema } from "../db/schema.ts";
import { step } from "../db/store.ts";
import type { AccountsContext } from "../accounts/context.ts";
import type { DeferredWrites } from "../accounts/deferred-writes.ts";
import type { User } from "../accounts/users.ts";

/** How long songs can be kept, in milliseconds. */
export const PERIODS = {
  day: 86_400_000,
  month: 30 * 86_400_000,
  always: Infinity,
} as const;
export type Period = keyof typeof PERIODS;

/** What a user has chosen. */
export interface HistoryChoice {
  /** `null` while nothing is kept. */
  readonly keeps: Period | null;
  /** Whether overlays may tell when OBS streams. */
  readonly followsStreams: boolean;
}

/** A stream, as an overlay has told of it; Unix milliseconds. */
export interface Stream {
  readonly startedAt: number;
  /** `null` while it runs. */
  readonly endedAt: number | null;
}

/** A song that was heard. */
export interface KeptSong {
  /** Unix milliseconds. A user's songs differ in it. */
  readonly startedAt: number;
  /** Milliseconds, without pauses. */
  readonly playedMs: number;
  readonly source: string;
  readonly track: {
    readonly id: string;
    readonly title: string;
    readonly durationMs: number | null;
    readonly explicit: boolean;
  };
  readonly artists: readonly string[];
  readonly albumName: string;
  /** Path of the cover on this server, without the name of a rendition. */
  readonly coverPath: string | null;
  /** The cover's public URL, where it has one. */
  readonly coverUrl: string | null;
}

/** Which songs, by the time at which they started (Unix milliseconds). */
export interface Range {
  readonly from?: number;
  /** Inclusive. */
  readonly until?: number;
  readonly most?: number;
  readonly skip?: number;
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
  /** The newest first. */
  songsOf(user: Pick<User, "id">, range?: Range): Promise<KeptSong[]>;
  countOf(user: Pick<User, "id">): Promise<number>;
  clear(user: Pick<User, "id">): Promise<void>;
  /**
   * Calls back with a user whose history was cleared, or switched off or on, on whichever node:
   * what was heard before that does not count.
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
  reload(userId: number | undefined): Promise<void>;
}

const NOTHING_KEPT: HistoryChoice = { keeps: null, followsStreams: false };
/** While the database takes no writes, so many songs of all users wait. */
const MOST_WAITING = 1_000;
/** A user's newest songs; whoever keeps them for good has room for years. */
const MOST_KEPT = 100_000;
/**
 * So much is stored of a song's names, in UTF-16 units, and of all of its artists together: sources
 * may send fifty names of a thousand characters, once every thirty seconds.
 */
const LONGEST_NAME = 300;
const LONGEST_ARTISTS = 1_000;
/** Longer addresses are not stored: a part of one leads nowhere. */
const LONGEST_URL = 1_000;
/** All songs of a user, in characters: so many as no usual ones have. */
const MOST_CHARACTERS = 64_000_000;
/** After so many characters of new songs it is seen to that a user has no more than that. */
const CHARACTERS_BETWEEN_LOOKS = 1_000_000;
/** Twitch ends a stream after two days. One that runs for longer has lost its end. */
const LONGEST_STREAM_MS = 48 * 3_600_000;
/** OBS may lose its connection, or start again after a crash. */
const SAME_STREAM_MS = 5 * 60_000;

/** Songs of all users that this node has stored lately. */
const MOST_STARTS = 10_000;
/** Nodes begin to follow a song at different times, and their clocks differ. */
const SAME_SONG_WITHIN_MS = 2 * 3_600_000;

type Row = Schema["songs"]["$inferInsert"];

const keyOf = ({ userId, startedAt }: Pick<Row, "userId" | "startedAt">): string =>
  `${userId} ${startedAt}`;

/** Whether a user's newest song, which another node has stored, is the one that plays here. */
const isSameSong = (newest: Schema["songs"]["$inferSelect"], row: Row): boolean =>
  newest.trackId === row.trackId &&
  newest.title === row.title &&
  row.startedAt - (newest.startedAt + newest.playedMs) < SAME_SONG_WITHIN_MS;

export async function createHistory(
  { store, wallMs }: AccountsContext,
  deferred: Pick<DeferredWrites, "writeSoon">,
): Promise<History> {
  const { queries } = store;
  const { songs, histories } = store.tables;
  /** Only of users who have chosen something. */
  const choices = new Map<number, HistoryChoice>();
  const streams = new Map<number, Stream>();
  const notedSongs = new Map<string, Row>();
  const notedStreams = new Map<number, Stream>();
  /** With which start the songs of this node are stored, by their key here. */
  const storedStarts = createBoundedMap<string, number>(MOST_STARTS);
  /** The keys under which this node has stored songs. */
  const ownSongs = createBoundedMap<string, true>(MOST_STARTS);
  /** When each history was last cleared. */
  const clearings = new Map<number, number>();
  /** Of songs that were noted since the user's total was last looked at. */
  const charactersNoted = new Map<number, number>();
  const clearListeners: Parameters<History["onCleared"]>[0][] = [];

  const forgetNoted = (userId: number) => {
    for (const [key, row] of notedSongs) if (row.userId === userId) notedSongs.delete(key);
  };

  const followClearing = (userId: number, clearedAt: number | null) => {
    if (clearedAt === null || clearings.get(userId) === clearedAt) return;
    clearings.set(userId, clearedAt);
    forgetNoted(userId);
    for (const tell of clearListeners) tell(userId, clearedAt);
  };

  const reload: History["reload"] = async (userId) => {
    const rows = await queries
      .select()
      .from(histories)
      .where(userId === undefined ? undefined : eq(histories.userId, userId));
    for (const known of [choices, streams]) {
      if (userId === undefined) known.clear();
      else known.delete(userId);
    }
    for (const { userId: id, keeps, followsStreams, clearedAt, ...row } of rows) {
      const { streamStartedAt, streamEndedAt } = row;
      choices.set(id, { keeps, followsStreams });
      followClearing(id, clearedAt);
      const stored = { startedAt: streamStartedAt ?? 0, endedAt: streamEndedAt };
      const stream = notedStreams.get(id) ?? (streamStartedAt === null ? undefined : stored);
      if (stream) streams.set(id, stream);
    }
  };
  await reload(undefined);

  const of: History["of"] = (userId) => choices.get(userId) ?? NOTHING_KEPT;

  /** The oldest time that is kept. */
  const sinceOf = (keeps: Period): number => wallMs() - PERIODS[keeps];

  /**
   * When songs started, by key, for all nodes that have got them: each node measures it with its own
   * clock, from when it began to follow. The first one that stores a song decides.
   */
  const sharedStarts = async (rows: readonly Row[]): Promise<BoundedMap<string, number>> => {
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

  /** Up to when a user's songs are too many characters; `undefined` when they are not. */
  const tooMuchUntil = async (userId: number): Promise<number | undefined> => {
    if ((charactersNoted.get(userId) ?? 0) < CHARACTERS_BETWEEN_LOOKS) return undefined;
    charactersNoted.delete(userId);
    const { startedAt, title, artists, albumName, source, trackId, coverUrl } = songs;
    const texts = [title, artists, albumName, source, trackId, coverUrl];
    const size = sql.join(
      texts.map((text) => sql`coalesce(length(${text}), 0)`),
      sql` + `,
    );
    const newerToo = sql<number>`sum(${size}) OVER (ORDER BY ${startedAt} DESC)`.as("newer_too");
    const sums = queries
      .select({ startedAt, newerToo })
      .from(songs)
      .where(eq(songs.userId, userId))
      .as("sums");
    const [first] = await queries
      .select({ startedAt: sums.startedAt })
      .from(sums)
      .where(gt(sums.newerToo, MOST_CHARACTERS))
      .orderBy(desc(sums.startedAt))
      .limit(1);
    return first?.startedAt;
  };

  /** When the first song started of as many as a user may have; `undefined` when there are fewer. */
  const oldestOf = async (userId: number): Promise<number | undefined> => {
    const [first] = await queries
      .select({ startedAt: songs.startedAt })
      .from(songs)
      .where(eq(songs.userId, userId))
      .orderBy(desc(songs.startedAt))
      .limit(1)
      .offset(MOST_KEPT - 1);
    return first?.startedAt;
  };

  const storeStreams = async () => {
    const storing = [...notedStreams];
    await store.inBackground((writer) =>
      storing.map(([userId, { startedAt, endedAt }]) =>
        writer
          .update(histories)
          .set({ streamStartedAt: startedAt, streamEndedAt: endedAt })
          .where(eq(histories.userId, userId)),
      ),
    );
    for (const [id, stream] of storing) {
      if (notedStreams.get(id) === stream) notedStreams.delete(id);
    }
  };

  const noteStream = async (userId: number, stream: Stream) => {
    streams.set(userId, stream);
    notedStreams.set(userId, stream);
    await deferred.writeSoon("streams", storeStreams);
  };

  const streamOf: History["streamOf"] = (userId) => {
    const stream = of(userId).followsStreams ? streams.get(userId) : undefined;
    if (stream?.endedAt !== null) return stream;
    const latestEnd = stream.startedAt + LONGEST_STREAM_MS;
    return wallMs() < latestEnd ? stream : { ...stream, endedAt: latestEnd };
  };

  return {
    of,
    async change({ id: userId }, { keeps, followsStreams }) {
      if (keeps === null) forgetNoted(userId);
      const isOld = keeps === null ? undefined : lt(songs.startedAt, sinceOf(keeps));
      const isTooOld = and(eq(songs.userId, userId), isOld);
      const deletes = keeps !== "always";
      // What is known of streams goes with the permission.
      if (!followsStreams) notedStreams.delete(userId);
      const set = {
        keeps,
        followsStreams,
        ...(!followsStreams && { streamStartedAt: null, streamEndedAt: null }),
      };
      const clearedAt = wallMs();
      const wasOff = sql`${histories.keeps} IS NULL`;
      await store.atomically((writer) => [
        writer
          .insert(histories)
          .values({ userId, ...set, clearedAt })
          .onConflictDoUpdate({
            target: histories.userId,
            set: {
              ...set,
              clearedAt:
                keeps === null
                  ? clearedAt
                  : sql`CASE WHEN ${wasOff} THEN ${clearedAt} ELSE ${histories.clearedAt} END`,
            },
          }),
        ...(deletes ? [writer.delete(songs).where(isTooOld)] : []),
      ]);
      await reload(userId);
    },
    async note(userId, song) {
      if (of(userId).keeps === null) return;
      const row = toRow(userId, song);
      notedSongs.delete(keyOf(row));
      notedSongs.set(keyOf(row), row);
      charactersNoted.set(userId, (charactersNoted.get(userId) ?? 0) + charactersOf(row));
      const [oldest] = notedSongs.keys();
      if (notedSongs.size > MOST_WAITING && oldest !== undefined) notedSongs.delete(oldest);
      await deferred.writeSoon("history", storeSongs);
    },
    async songsOf({ id: userId }, { from = -Infinity, until = Infinity, most, skip = 0 } = {}) {
      const { keeps } = of(userId);
      if (keeps === null) return [];
      // What cannot be stored now is tried again; what is stored can be read.
      if (notedSongs.size > 0) await storeSongs().catch(() => {});
      const since = Math.max(from, sinceOf(keeps));
      const wanted = and(
        eq(songs.userId, userId),
        since === -Infinity ? undefined : gte(songs.startedAt, since),
        until === Infinity ? undefined : lte(songs.startedAt, until),
      );
      const found = queries
        .select()
        .from(songs)
        .where(wanted)
        .orderBy(desc(songs.startedAt))
        .limit(most ?? MOST_KEPT)
        .offset(skip);
      return (await found).map(toSong);
    },
    async countOf({ id: userId }) {
      const { keeps } = of(userId);
      if (keeps === null) return 0;
      const isHis = eq(songs.userId, userId);
      const isKept = keeps === "always" ? isHis : and(isHis, gte(songs.startedAt, sinceOf(keeps)));
      return queries.$count(songs, isKept);
    },
    async clear({ id: userId }) {
      forgetNoted(userId);
      await store.atomically((writer) => [
        writer.delete(songs).where(eq(songs.userId, userId)),
        writer.update(histories).set({ clearedAt: wallMs() }).where(eq(histories.userId, userId)),
      ]);
    },
    onCleared: (listener) => void clearListeners.push(listener),
    async forgetOld() {
      const old: { userId: number; before: number }[] = [];
      for (const [userId, { keeps }] of choices) {
        if (keeps === null) continue;
        const before = keeps === "always" ? await oldestOf(userId) : sinceOf(keeps);
        if (before !== undefined) old.push({ userId, before });
        const until = await tooMuchUntil(userId);
        if (until !== undefined) old.push({ userId, before: until + 1 });
      }
      if (old.length === 0) return;
      await store.inBackground((writer) =>
        old.map(({ userId, before }) =>
          writer.delete(songs).where(and(eq(songs.userId, userId), lt(songs.startedAt, before))),
        ),
      );
    },
    streamOf,
    async streamStarted(userId) {
      if (!of(userId).followsStreams) return;
      const last = streamOf(userId);
      if (last?.endedAt === null) return;
      const goesOn =
        last !== undefined &&
        wallMs() - last.endedAt <= SAME_STREAM_MS &&
        wallMs() - last.startedAt < LONGEST_STREAM_MS;
      const startedAt = goesOn ? last.startedAt : wallMs();
      await noteStream(userId, { startedAt, endedAt: null });
    },
    async streamStopped(userId, endedAt) {
      const last = streamOf(userId);
      if (last?.endedAt !== null) return;
      await noteStream(userId, { ...last, endedAt });
    },
    reload,
  };
}

const toRow = (userId: number, { track, artists, ...song }: KeptSong): Row => ({
  userId,
  ...song,
  source: nameToStore(song.source),
  trackId: idToStore(track.id),
  title: nameToStore(track.title),
  durationMs: track.durationMs,
  explicit: track.explicit,
  artists: JSON.stringify(artistsToStore(artists)),
  albumName: nameToStore(song.albumName),
  coverUrl: song.coverUrl !== null && song.coverUrl.length <= LONGEST_URL ? song.coverUrl : null,
});

const nameToStore = (name: string): string => beginningOf(name, LONGEST_NAME);

/** Cutting could make two different ids equal, so a long one is replaced by its digest. */
const idToStore = (id: string): string =>
  id.length <= LONGEST_NAME ? id : new Bun.CryptoHasher("sha256").update(id).digest("base64url");

/** The first artists, as many as there is room for. */
function artistsToStore(artists: readonly string[]): string[] {
  let room = LONGEST_ARTISTS;
  return artists.map(nameToStore).filter((name) => {
    room -= name.length;
    return room >= 0;
  });
}

const charactersOf = ({ title, artists, albumName, source, trackId, coverUrl }: Row): number =>
  [title, artists, albumName, source, trackId, coverUrl ?? ""].join("").length;

function toSong(row: Schema["songs"]["$inferSelect"]): KeptSong {
  const { startedAt, playedMs, source, albumName, coverPath, coverUrl } = row;
  const artists: unknown = JSON.parse(row.artists);
  return {
    ...{ startedAt, playedMs, source, albumName, coverPath, coverUrl },
    track: {
      id: row.trackId,
      title: row.title,
      durationMs: row.durationMs,
      explicit: row.explicit,
    },
    artists: Array.isArray(artists) ? artists.filter((name) => typeof name === "string") : [],
  };
}
