import { nameOfAddress } from "../../../address-name.ts";
import type { Artwork, Playback } from "../../../playback.ts";
import { readOnAir } from "../../../titles/on-air.ts";
import { firstNamed } from "../../../titles/placeholders.ts";
import { originOfTitle } from "../../title-origin.ts";
import { lengthMs, percentOf, timeMs } from "../../amounts.ts";
import { fieldOf, fieldsOf, type MpdResponse } from "./protocol.ts";

export const NAME = "MPD";

/** Asks for what {@link readAnswer} and {@link readPlayback} read. */
export const ASK_ALL = "command_list_begin\nstatus\ncurrentsong\ncommand_list_end";

/** Whether something plays or is paused. */
export const isActive = (answer: MpdResponse): boolean =>
  fieldOf(answer, "file") !== undefined && fieldOf(answer, "state") !== "stop";

/** Converts an answer, without a cover; `null` when MPD is stopped or a station advertises. */
export const readAnswer = (answer: MpdResponse, observedAtMs: number): Playback | null =>
  isActive(answer) ? readPlayback(answer, null, observedAtMs) : null;

export function readPlayback(
  answer: MpdResponse,
  cover: Artwork | null,
  observedAtMs: number,
): Playback | null {
  const uri = fieldOf(answer, "file") ?? "";
  // Mopidy reports it as before MPD 0.20: "time: 12:180", in whole seconds.
  const durationMs =
    lengthMs(fieldOf(answer, "duration"), 1000) ??
    lengthMs(fieldOf(answer, "time")?.split(":")[1], 1000);
  const title = fieldOf(answer, "Title");
  const artists = firstNamed(...ARTIST_TAGS.map((tag) => fieldsOf(answer, tag)));
  // A radio station sends its own name as Name and the current track as Title.
  const station = fieldOf(answer, "Name");
  const isStream = station !== undefined || (uri.includes("://") && durationMs === null);
  const onAir = isStream
    ? readOnAir({ text: title, station, artist: artists[0], otherwise: nameOfAddress(uri) })
    : undefined;
  if (onAir === null) return null;
  return {
    source: NAME,
    state: fieldOf(answer, "state") === "play" ? "playing" : "paused",
    track: {
      id: uri,
      title: onAir?.title ?? title ?? nameOfAddress(uri),
      durationMs,
      explicit: false,
    },
    artists: onAir && artists.length < 2 ? onAir.artists : artists,
    namesFrom: onAir?.namesFrom ?? originOfTitle(title, nameOfAddress(uri)),
    album: {
      name: fieldOf(answer, "Album") ?? onAir?.station ?? "",
      artworks: cover ? [cover] : [],
    },
    // It is -1 or absent where the output has no mixer.
    device: { name: "MPD", type: "mpd", volumePercent: percentOf(fieldOf(answer, "volume"), 100) },
    positionMs: timeMs(fieldOf(answer, "elapsed"), 1000) ?? 0,
    observedAtMs,
    rate: 1,
  };
}

/** Who made a song, by the first tag that names somebody. */
const ARTIST_TAGS = ["Artist", "AlbumArtist", "Performer", "Composer"] as const;
