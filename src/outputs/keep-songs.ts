import type { History } from "../music/history.ts";
import { describeError } from "../log.ts";
import type { Parts } from "../http/parts.ts";

export interface SetListDeps extends Pick<Parts, "hub" | "artworks" | "log"> {
  readonly history: Pick<History, "of" | "note" | "onCleared">;
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
      startedAt,
      source,
      artists,
      albumName,
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
