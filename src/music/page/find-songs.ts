import type { User } from "../../accounts/users.ts";
import type { Parts } from "../../http/parts.ts";
import { givenNames } from "../../playback.ts";
import { toComparable } from "../../titles/comparable.ts";
import type { KeptSong } from "../kept-song.ts";

/** How many songs the page shows at once. */
const SONGS_A_PAGE = 20;
/** A search looks at so many songs, some weeks of them; the page offers to go on with older ones. */
export const MOST_COMPARED = 5_000;
/** How many songs are compared in one turn of the event loop: others are answered in between. */
const COMPARED_AT_ONCE = 50;
/** In UTF-16 units. */
export const LONGEST_SEARCH = 100;

export interface FoundSongs {
  /** The newest first. */
  readonly songs: readonly KeptSong[];
  /** When the newest song started that was not looked at (Unix ms, or later); `undefined` after the last one. */
  readonly olderUntil: number | undefined;
}

/**
 * Finds a user's songs in whose names all words of a text stand; without words, all songs. A user has
 * one search at a time: one that begins ends the one before, which gives what it has found.
 * @param until songs that started later are left out (Unix ms)
 */
type FindSongs = (user: User, text: string, until: number) => Promise<FoundSongs>;

export function createFindSongs({
  accounts: { history },
  budget,
}: Pick<Parts, "accounts" | "budget">): FindSongs {
  /** The search that began last, of each user who has one. */
  const newest = new Map<number, symbol>();

  const find = async (
    user: User,
    words: readonly string[],
    until: number,
    isNewest: () => boolean,
  ): Promise<FoundSongs> => {
    const found: KeptSong[] = [];
    let next = until;
    for (let compared = 0; compared < MOST_COMPARED; compared += COMPARED_AT_ONCE) {
      const songs = history.songsOf(user, { until: next, most: COMPARED_AT_ONCE });
      for (const song of songs.filter((song) => namesHave(song, words))) {
        if (found.length === SONGS_A_PAGE) return { songs: found, olderUntil: song.startedAt };
        found.push(song);
      }
      const last = songs.at(-1);
      if (!last || songs.length < COMPARED_AT_ONCE) return { songs: found, olderUntil: undefined };
      next = last.startedAt - 1;
      await budget.letOthersIn(user.id);
      if (!isNewest()) break;
    }
    return { songs: found, olderUntil: next };
  };

  return async (user, text, until) => {
    const words = toComparable(text.slice(0, LONGEST_SEARCH)).match(/\S+/gu) ?? [];
    const search = Symbol();
    // A page of all songs is read at once, and ends no search.
    if (words.length === 0) return find(user, words, until, () => true);
    newest.set(user.id, search);
    const isNewest = () => newest.get(user.id) === search;
    try {
      return await find(user, words, until, isNewest);
    } finally {
      if (isNewest()) newest.delete(user.id);
    }
  };
}

/** Case and accents are ignored. */
function namesHave(song: KeptSong, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const given = givenNames(song);
  const names = [song.track.title, ...song.artists, song.albumName, given.title, ...given.artists];
  const comparable = toComparable(names.join("\n"));
  return words.every((word) => comparable.includes(word));
}
