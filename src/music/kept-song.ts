import { beginningOf } from "../beginning.ts";
import type { songs } from "../db/schema.ts";
import { jsonIn } from "../decode-text.ts";
import type { Names, Playback } from "../playback.ts";

/** A song that has been played. */
export interface KeptSong {
  /** Unix milliseconds. A user's songs differ in it. */
  readonly startedAt: number;
  /** Milliseconds, without pauses. */
  readonly playedMs: number;
  readonly source: string;
  readonly track: Omit<Playback["track"], "url">;
  readonly artists: readonly string[];
  /** What the source gave, where other names were shown. */
  readonly given?: Names;
  readonly albumName: string;
  /** Path of the cover on this server, without the name of a rendition. */
  readonly coverPath: string | null;
  /** The cover's public URL, where it has one. */
  readonly coverUrl: string | null;
}

/** A song as it is stored. */
export type SongRow = typeof songs.$inferInsert;

/**
 * The longest name that is stored, in UTF-16 units, and the longest list of artists. Sources may send
 * fifty names of a thousand characters every thirty seconds.
 */
const LONGEST_NAME = 300;
const LONGEST_ARTISTS = 1_000;
/** Longer addresses are not stored: a part of one leads nowhere. */
const LONGEST_URL = 1_000;

/** A song with names that are short enough to be stored. */
export const toRow = (userId: number, { track, artists, given, ...song }: KeptSong): SongRow => ({
  userId,
  ...song,
  source: nameToStore(song.source),
  trackId: idToStore(track.id),
  title: nameToStore(track.title),
  durationMs: track.durationMs,
  explicit: track.explicit,
  artists: JSON.stringify(artistsToStore(artists)),
  givenTitle: given ? nameToStore(given.title) : null,
  givenArtists: given ? JSON.stringify(artistsToStore(given.artists)) : null,
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

/** The columns whose characters count towards a user's limit. */
export const LIMITED = [
  "title",
  "artists",
  "albumName",
  "source",
  "trackId",
  "coverUrl",
  "givenTitle",
  "givenArtists",
] as const satisfies readonly (keyof SongRow)[];

export const charactersOf = (row: SongRow): number =>
  LIMITED.map((name) => row[name]).join("").length;

export function toSong(row: typeof songs.$inferSelect): KeptSong {
  const { startedAt, playedMs, source, albumName, coverPath, coverUrl } = row;
  const { givenTitle: title, givenArtists } = row;
  return {
    startedAt,
    playedMs,
    source,
    albumName,
    coverPath,
    coverUrl,
    track: {
      id: row.trackId,
      title: row.title,
      durationMs: row.durationMs,
      explicit: row.explicit,
    },
    artists: namesIn(row.artists),
    ...(title !== null && { given: { title, artists: namesIn(givenArtists ?? "[]") } }),
  };
}

function namesIn(json: string): string[] {
  const names = jsonIn(json);
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}
