import type { WidgetState } from "../../widget/state.ts";
import type { Reading } from "../playback/channel.ts";
import { type Artwork, artistNames, positionAt } from "../playback/playback.ts";

/** A reading as the overlay shows it, with the position at a monotonic time in milliseconds. */
export function toWidgetState(
  reading: Reading,
  nowMs: number,
  artworkPath: (artwork: Artwork) => string,
): WidgetState {
  if (reading.kind === "unavailable") return { kind: "offline" };
  if (reading.kind !== "playback") return { kind: "idle" };
  const { playback } = reading;
  const [artwork] = playback.album.artworks;
  return {
    kind: playback.state,
    track: {
      id: playback.track.id,
      title: playback.track.title,
      artist: artistNames(playback),
      album: playback.album.name,
      art: artwork ? artworkPath(artwork) : null,
      durationMs: playback.track.durationMs,
      source: playback.source,
    },
    positionMs: Math.round(positionAt(playback, nowMs)),
  };
}
