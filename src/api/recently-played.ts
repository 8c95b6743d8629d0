import { isSharingPaused } from "../accounts/privacy.ts";
import type { KeptSong } from "../music/kept-song.ts";
import { success } from "./envelope.ts";
import type { Call } from "./guard.ts";
import { songData } from "./playing-json.ts";
import type { PlayedSong } from "./schema.ts";
import { utcDateTime } from "./utc-date-time.ts";
import type { Parts } from "../http/parts.ts";

const MOST_SONGS = 50;

/** `GET /api/v1/recently-played`: the songs that the key's user keeps, in the envelope. */
export function createRecentlyPlayed({ accounts, hub, clock, budget, baseUrl }: Parts) {
  return async ({ holder: { user }, headers }: Call): Promise<Response> => {
    if (isSharingPaused(accounts.privacy.of(user.id), clock.wallMs())) return success([], headers);
    hub.countSongs(user.id);
    const songs = await accounts.history.shownOf(user, { most: MOST_SONGS }, () =>
      budget.letOthersIn(user.id),
    );
    return success(
      songs.map((song) => toData(song, baseUrl)),
      headers,
    );
  };
}

function toData(song: KeptSong, baseUrl: string): PlayedSong {
  const { albumName, coverUrl, coverPath, startedAt, playedMs } = song;
  const url = coverUrl ?? (coverPath === null ? null : `${baseUrl}${coverPath}/640.jpg`);
  return {
    ...songData(song),
    album: { name: albumName, images: url === null ? [] : [{ url }] },
    started_at: utcDateTime(startedAt),
    played_ms: playedMs,
  };
}
