import type { WidgetState } from "../../widget/state.ts";
import type { Reading } from "../channels/reading.ts";
import { artistNames, digestOfPlay, positionAt } from "../playback.ts";
import type { Sources } from "../sources/index.ts";
import type { Covers } from "./covers.ts";

/** What a state is made with. */
export interface StateParts {
  readonly covers: Pick<Covers, "pathOf" | "accentOf">;
  readonly sources: Pick<Sources, "knownNameOf">;
  /** The path of what a user's overlays show where a track has no cover; `null` where there is none. */
  standInOf(userId: number): string | null;
}

/** Whose overlay gets a state, and whose channel it follows: the user's, or one of the demo. */
export interface StateFor {
  readonly userId: number;
  readonly listenerId: number;
}

/**
 * A user's reading as the overlay shows it, with the position at a monotonic time in milliseconds.
 * @param isWithdrawn whether pages may show what the user hides now
 */
export function toWidgetState(
  reading: Reading,
  { userId, listenerId }: StateFor,
  nowMs: number,
  { covers, sources, standInOf }: StateParts,
  isWithdrawn = false,
): WidgetState {
  if (reading.kind === "unavailable") return { kind: "offline" };
  if (reading.kind !== "playback") return { kind: "idle", ...(isWithdrawn && { isWithdrawn }) };
  const { playback } = reading;
  const [artwork] = playback.album.artworks;
  return {
    kind: playback.state,
    track: {
      id: digestOfPlay(playback),
      title: playback.track.title,
      artist: artistNames(playback),
      album: playback.album.name,
      art: artwork ? covers.pathOf(artwork, listenerId) : standInOf(userId),
      accent: artwork ? covers.accentOf(artwork) : null,
      durationMs: playback.track.durationMs,
      source: sources.knownNameOf(playback),
    },
    positionMs: playback.positionUnknown ? null : Math.round(positionAt(playback, nowMs)),
    ...(playback.rate !== 1 && { rate: playback.rate }),
  };
}
