import type { Artwork, Playback } from "../../../playback.ts";
import { readOnAir } from "../../../titles/on-air.ts";
import { lengthMs, percentOf, positionMs } from "../../amounts.ts";
import { fieldsOf, flagOf, isRecord, numberOf, recordOf, textOf } from "../../../upstream/json.ts";

export const NAME = "Beefweb";
const COLUMNS = ["%title%", "%artist%", "%album%"];

/** Where the player reports what it plays. */
export const PLAYER_PATH = `/api/player?columns=${COLUMNS.map(encodeURIComponent).join(",")}`;

/** Converts `/api/player`; `null` when the player is stopped or a station advertises. Without `coverAt` there is no cover. */
export function readPlayer(
  answer: unknown,
  observedAtMs: number,
  coverAt?: (path: string, name: string) => Artwork,
): Playback | null {
  const player = recordOf(recordOf(answer, "the answer")["player"], "player");
  const { playbackState: state, activeItem: item } = player;
  if ((state !== "playing" && state !== "paused") || !isRecord(item)) return null;
  const columns: unknown = item["columns"];
  const [title = "", artist, album] = (Array.isArray(columns) ? columns : [columns]).map(columnOf);
  const playlist = textOf(item["playlistId"]);
  const index = numberOf(item["index"]) ?? -1;
  const isInPlaylist = playlist !== undefined && index >= 0;
  const place = isInPlaylist
    ? `${encodeURIComponent(playlist.toWellFormed())}/${index}`
    : "current";
  const durationMs = lengthMs(item["duration"], 1000);
  // Only streams have no length; the artist of one is often its station.
  const onAir =
    durationMs === null ? readOnAir({ text: title, station: artist, otherwise: "" }) : undefined;
  if (onAir === null) return null;
  // An index alone would name another track once the playlist is sorted.
  const id = JSON.stringify([place, onAir?.song ?? title, artist, album]);
  return {
    source: NAME,
    state,
    track: { id, title: onAir?.title ?? title, durationMs, explicit: false },
    artists: onAir?.artists ?? (artist === undefined ? [] : [artist]),
    ...(onAir && { namesFrom: onAir.namesFrom }),
    album: { name: album ?? onAir?.station ?? "", artworks: coverAt ? [coverAt(place, id)] : [] },
    device: {
      name: textOf(fieldsOf(player["info"])["title"]) ?? NAME,
      type: "beefweb",
      volumePercent: volumeOf(player["volume"]),
    },
    positionMs: positionMs(item["position"], 1000, durationMs),
    observedAtMs,
    rate: 1,
  };
}

/** foobar2000 writes a question mark for a tag that is missing. */
const columnOf = (value: unknown): string | undefined =>
  textOf(value) === "?" ? undefined : textOf(value);

function volumeOf(volume: unknown): number | null {
  if (!isRecord(volume)) return null;
  const [value, min, max] = [volume["value"], volume["min"], volume["max"]].map(numberOf);
  if (value === undefined || min === undefined || max === undefined || max <= min) return null;
  if (flagOf(volume["isMuted"]) === true || value <= min) return 0;
  const share = volume["type"] === "db" ? 10 ** ((value - max) / 20) : (value - min) / (max - min);
  return percentOf(share, 1);
}
