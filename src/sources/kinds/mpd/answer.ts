import { nameOfAddress } from "../../../address-name.ts";
import type { Artwork, Playback } from "../../../playback.ts";
import { numberOf } from "../../../upstream/json.ts";
import { lengthMs, timeMs } from "../../times.ts";
import { fieldOf, fieldsOf, type MpdResponse } from "./protocol.ts";

export const NAME = "MPD";

/** Whether something plays or is paused. */
export const isActive = (answer: MpdResponse): boolean =>
  fieldOf(answer, "file") !== undefined && fieldOf(answer, "state") !== "stop";

/** Converts the answer to `status` and `currentsong`; `null` when MPD is stopped. */
export const readAnswer = (
  answer: MpdResponse,
  cover: Artwork | null,
  observedAtMs: number,
): Playback | null => (isActive(answer) ? readPlayback(answer, cover, observedAtMs) : null);

export function readPlayback(
  answer: MpdResponse,
  cover: Artwork | null,
  observedAtMs: number,
): Playback {
  const uri = fieldOf(answer, "file") ?? "";
  // A radio station sends its own name as Name and the current track as Title.
  const station = fieldOf(answer, "Name");
  const artists = fieldsOf(answer, "Artist");
  const albumArtists = fieldsOf(answer, "AlbumArtist");
  return {
    source: NAME,
    state: fieldOf(answer, "state") === "play" ? "playing" : "paused",
    track: {
      id: uri,
      title: fieldOf(answer, "Title") ?? station ?? nameOfAddress(uri),
      // Mopidy reports it as before MPD 0.20: "time: 12:180", in whole seconds.
      durationMs:
        lengthMs(fieldOf(answer, "duration"), 1000) ??
        lengthMs(fieldOf(answer, "time")?.split(":")[1], 1000),
      explicit: false,
    },
    artists:
      [artists, albumArtists, station ? [station] : []].find((names) => names.length > 0) ?? [],
    album: {
      name: fieldOf(answer, "Album") ?? station ?? "",
      artworks: cover ? [cover] : [],
    },
    device: { name: "MPD", type: "mpd", volumePercent: volume(fieldOf(answer, "volume")) },
    positionMs: timeMs(fieldOf(answer, "elapsed"), 1000) ?? 0,
    observedAtMs,
    rate: 1,
  };
}

/** `null` when the output has no mixer: MPD then sends -1 or nothing. */
function volume(text: string | undefined): number | null {
  const value = numberOf(text) ?? -1;
  return Number.isInteger(value) && value >= 0 && value <= 100 ? value : null;
}
