import type { FoundCover, FoundCovers } from "../accounts/found-covers.ts";
import { createBoundedMap } from "../bounded-map.ts";
import { oncePerObject } from "../once.ts";
import { describeError } from "../log.ts";
import type { Artwork, Playback } from "../playback.ts";
import { cleaned } from "../titles/shown-names.ts";
import { fittingOf, isDistinct, type WantedSong } from "./match.ts";
import type { CoverService } from "./services.ts";
import { createSearchTurns } from "./turns.ts";
import type { Parts } from "../http/parts.ts";

export interface CoverSearchDeps extends Pick<Parts, "clock" | "log"> {
  /** In the order in which they are asked; empty where the owner allows none. */
  readonly services: readonly CoverService[];
  readonly known: FoundCovers;
  /** What a user plays, if others are shown it and the user wants a cover for it. */
  coverlessOf(userId: number): Playback | undefined;
}

/** A player may send its cover late. */
const WAIT_MS = 5_000;
/** Songs in memory. */
const MOST_KNOWN = 2_000;
/** Searches that wait, of all users. */
const MOST_PENDING = 50;
/** After a failure a song is looked for again then. */
const RETRY_MS = 300_000;
/** Players differ a little in the length of a song. */
const SAME_SONG_MS = 10_000;
/** Albums that are tried for a cover: the best ones. */
const MOST_TRIED = 3;

/** A song as it is looked for. */
interface Song extends WantedSong {
  /** Names it in the table without revealing it. */
  readonly key: string;
}

/** What is known of a song's cover, until a time of the wall clock. */
interface Known {
  readonly artwork: Artwork | undefined;
  readonly until: number;
}

interface Pending {
  readonly song: Song;
  readonly cancel: () => void;
}

/** Covers of songs that come without one. */
export function createCoverSearch(deps: CoverSearchDeps) {
  const { clock, services, coverlessOf } = deps;
  const songs = createBoundedMap<string, Known>(MOST_KNOWN);
  const listeners: ((userId: number) => void)[] = [];
  /** Each user has one song that is looked for; the count is that of all that still wait. */
  const pendingOf = new Map<number, Pending>();
  let pending = 0;
  const songOf = createSongOf(services);
  const lookUp = createLookUp(deps);

  const knownOf = ({ key }: Song): Known | undefined => {
    const found = songs.get(key);
    return found && clock.wallMs() < found.until ? found : undefined;
  };

  const remember = ({ key }: Song, { service, cover, until }: FoundCover) => {
    const from = services.find(({ name }) => name === service);
    const artwork = from && cover !== null ? artworkAt(from, cover) : undefined;
    songs.set(key, { artwork, until });
  };

  const look = async (userId: number, song: Song): Promise<void> => {
    const isWanted = () => {
      const now = coverlessOf(userId);
      return now !== undefined && songOf(now).key === song.key;
    };
    if (!isWanted()) return;
    if (!knownOf(song)) {
      const found = await lookUp(song, isWanted);
      if (found === undefined) return;
      remember(song, found);
    }
    if (knownOf(song)?.artwork) for (const notify of listeners) notify(userId);
  };

  const lookLater = (userId: number, song: Song) => {
    const end = () => {
      pending -= 1;
      if (pendingOf.get(userId) === mine) pendingOf.delete(userId);
    };
    const stopWaiting = clock.after(WAIT_MS, () => {
      isWaiting = false;
      void look(userId, song)
        .catch((error: unknown) => {
          deps.log.debug("a cover could not be looked for", { reason: describeError(error) });
        })
        .finally(end);
    });
    let isWaiting = true;
    const mine: Pending = {
      song,
      cancel() {
        if (!isWaiting) return;
        stopWaiting();
        end();
      },
    };
    pending += 1;
    pendingOf.set(userId, mine);
  };

  return {
    /**
     * The cover of a song that a user is playing, if it has been found by now. If nobody has looked for
     * it yet, it is looked for in a while.
     */
    coverOf(userId: number, playback: Playback) {
      if (services.length === 0) return undefined;
      const song = songOf(playback);
      const found = knownOf(song);
      if (found) return found.artwork;
      const before = pendingOf.get(userId);
      if (before?.song.key === song.key) return undefined;
      before?.cancel();
      if (playback.state === "playing" && isDistinct(song) && pending < MOST_PENDING) {
        lookLater(userId, song);
      }
      return undefined;
    },
    /** Calls back with a user whose song's cover has been found. */
    onFound: (listener: (userId: number) => void) => void listeners.push(listener),
  };
}

const artworkAt = (service: CoverService, cover: string): Artwork => ({
  key: `found:${cover}`,
  origin: `covers of ${service.name}`,
  load: () => service.load(cover),
});

/**
 * Looks a song up in the table, then at the services.
 * @returns `undefined` when nobody wants to know it any more
 */
function createLookUp({ clock, log, services, known }: CoverSearchDeps) {
  const asked = services.map((service) => ({
    service,
    inTurn: createSearchTurns(clock, service.name),
  }));

  const search = async (service: CoverService, song: Song): Promise<string | null> => {
    const fitting = fittingOf(song, await service.search(song));
    const covers = new Set(fitting.map(({ cover }) => cover));
    for (const cover of [...covers].slice(0, MOST_TRIED)) {
      if (await service.has(cover)) return cover;
    }
    return null;
  };

  return async (song: Song, isWanted: () => boolean): Promise<FoundCover | undefined> => {
    const before = known.find(song.key);
    if (before) return before;
    let hasFailed = false;
    for (const { service, inTurn } of asked) {
      try {
        const found = await inTurn(async () => {
          // Much may have changed until its turn came.
          if (!isWanted()) return undefined;
          const meanwhile = known.find(song.key);
          if (meanwhile) return meanwhile;
          const cover = await search(service, song);
          return cover === null ? null : known.note(song.key, { service: service.name, cover });
        });
        if (found !== null) return found;
      } catch (error) {
        hasFailed = true;
        log.debug("a service could not be asked for a cover", {
          service: service.name,
          reason: describeError(error),
        });
      }
    }
    if (!hasFailed) return known.note(song.key, { service: "", cover: null });
    return { service: "", cover: null, until: clock.wallMs() + RETRY_MS };
  };
}

/** What a playback is looked for as: worked out once for each. */
function createSongOf(services: readonly CoverService[]) {
  // Where others are asked, the answers are others.
  const asked = services.map(({ name }) => name);
  return oncePerObject((playback: Playback): Song => {
    const { track, artists, album, namesFrom, given } = playback;
    const shown = { title: track.title, artists };
    const names = given ? shown : cleaned(shown, namesFrom, []);
    const durationMs = track.durationMs || null;
    const text = JSON.stringify([
      names.title,
      names.artists,
      album.name,
      durationMs && Math.round(durationMs / SAME_SONG_MS),
      asked,
    ]);
    const key = new Bun.CryptoHasher("sha256").update(text).digest("base64url");
    return { key, ...names, album: album.name, durationMs };
  });
}
