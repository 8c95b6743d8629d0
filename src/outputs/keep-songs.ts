import type { History } from "../music/history.ts";
import type { ArtworkStore } from "../artwork/artwork-store.ts";
import type { Hub } from "../channels/hub.ts";
import { describeError, type Log } from "../log.ts";

export interface SetListDeps {
  readonly history: Pick<History, "of" | "note" | "onCleared">;
  readonly hub: Pick<Hub, "onCounted" | "beginAgain">;
  readonly artworks: Pick<ArtworkStore, "pathOf" | "pictureOf">;
  readonly log: Log;
}

/** Keeps the songs of users who have switched their history on. */
export function keepSongs({ history, hub, artworks, log }: SetListDeps): void {
  history.onCleared(hub.beginAgain);
  hub.onCounted((userId, { song, startedAt, playedMs, artwork }) => {
    if (history.of(userId).keeps === null) return;
    // A cover can be shown later only if it was drawn while its source still had it.
    if (artwork) void artworks.pictureOf(artwork, "256.webp", userId);
    const { source, artists, given, albumName } = song;
    const { id, title, durationMs, explicit } = song.track;
    const kept = {
      ...{ startedAt, source, artists, albumName },
      track: { id, title, durationMs, explicit },
      ...(given && { given }),
      playedMs: Math.round(playedMs),
      coverPath: artwork
        ? artworks.pathOf(artwork, "256.webp", userId).replace(/\/[^/]*$/, "")
        : null,
      coverUrl: artwork?.url ?? null,
    };
    history.note(userId, kept).catch((error: unknown) => {
      log.warn("a song could not be stored yet", { reason: describeError(error) });
    });
  });
}
