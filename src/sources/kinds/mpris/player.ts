import { lengthMs, percentOf, rateOf } from "../../amounts.ts";
import { nameOfAddress, withoutSecrets } from "../../../address-name.ts";
import { type Artwork, type Playback, expectedPosition } from "../../../playback.ts";
import { fieldsOf, numberOf, textOf, textsOf } from "../../../upstream/json.ts";
import { digestOf } from "../../../digest.ts";
import { hasSpotifyAdNames, isSpotifyAdId } from "../../advertisements.ts";
import { readOnAir } from "../../../titles/on-air.ts";
import { firstNamed } from "../../../titles/placeholders.ts";
import { isVideoPage, originOfTitle } from "../../title-origin.ts";
import type { PlayerState } from "./known-players.ts";
import { MICROSECONDS_IN_MS } from "./seek.ts";

/**
 * Converts what a player says; `null` when it is stopped, says no title or plays an advertisement.
 * https://specifications.freedesktop.org/mpris-spec/latest/Player_Interface.html
 * @param before the last playback of the same player
 */
export function readPlayer(
  { name, identity, properties, observedAtMs }: PlayerState,
  before: Playback | null,
  cover: Artwork | null,
): Playback | null {
  const metadata = fieldsOf(properties["Metadata"]);
  const status = textOf(properties["PlaybackStatus"]);
  const url = textOf(metadata["xesam:url"]);
  const fileName = url && nameOfAddress(url);
  const given = textOf(metadata["xesam:title"]) ?? fileName;
  if ((status !== "Playing" && status !== "Paused") || !given) return null;
  const named = firstNamed(...ARTIST_FIELDS.map((field) => textsOf(metadata[field])));
  // A live stream is said to be endless, or to last for centuries.
  const durationMs = lengthMs(metadata["mpris:length"], 1 / MICROSECONDS_IN_MS);
  const text = streamTextIn(metadata, given === fileName ? undefined : given, named);
  // mpv gives streams a length, too. What names no artist is one text.
  const isOneText = durationMs === null || (named.length === 0 && text.text !== undefined);
  const isStream = text.isCertain || (isOneText && isStreamAddress(url));
  const onAir =
    isStream && named.length < 2 ? readOnAir({ ...text, otherwise: fileName ?? "" }) : undefined;
  if (onAir === null) return null;
  const title = onAir?.title ?? given;
  const artists = onAir?.artists ?? named;
  const trackId = textOf(metadata["mpris:trackid"]);
  const names = { player: identity ?? name, title, artists };
  if (isSpotifyAdId(trackId) || isSpotifyAdId(url) || hasSpotifyAdNames(names)) return null;
  // Many players give every track the same id, and a file's address names folders of its owner.
  const id = digestOf([trackId, url && withoutSecrets(url), title, ...artists]);
  const positionMs = positionIn(properties);
  const playback: Playback = {
    source: "MPRIS",
    state: status === "Playing" ? "playing" : "paused",
    track: {
      id,
      title,
      durationMs,
      explicit: false,
    },
    artists,
    ...(onAir ? { namesFrom: onAir.namesFrom } : namesFromOf(url, given)),
    album: {
      name: textOf(metadata["xesam:album"]) ?? onAir?.station ?? "",
      artworks: cover ? [cover] : [],
    },
    device: {
      name: identity ?? name,
      type: "mpris",
      volumePercent: percentOf(properties["Volume"], 1),
    },
    positionMs: positionMs ?? 0,
    observedAtMs,
    rate: rateOf(properties["Rate"]),
  };
  if (positionMs !== undefined) return playback;
  // Some players refuse to report the position at some moments.
  return { ...playback, positionMs: Math.round(expectedPosition(before, playback, observedAtMs)) };
}

/** Who made a song, by the first field that names somebody. */
const ARTIST_FIELDS = ["xesam:artist", "xesam:albumArtist", "xesam:composer"] as const;

/** What stands for no position, in microseconds, milliseconds and seconds. */
const NO_POSITIONS: readonly number[] = [-1, -1_000, -1_000_000];

/** In milliseconds; `undefined` where none is reported. It is negative where mpv has not begun to play yet. */
function positionIn({ Position: position }: PlayerState["properties"]): number | undefined {
  const given = numberOf(position);
  if (given === undefined || NO_POSITIONS.includes(given)) return undefined;
  return Math.max(0, Math.round(given / MICROSECONDS_IN_MS));
}

/** A stream's text with its station, for which some players have fields of their own. */
function streamTextIn(
  metadata: Record<string, unknown>,
  title: string | undefined,
  [artist]: readonly string[],
): {
  text: string | undefined;
  station: string | undefined;
  artist?: string | undefined;
  isCertain: boolean;
} {
  const onAir = textOf(metadata["vlc:nowplaying"]);
  if (onAir !== undefined) return { text: onAir, station: title, artist, isCertain: true };
  const station = textOf(metadata["rhythmbox:streamTitle"]);
  if (station !== undefined) return { text: title, station, artist, isCertain: true };
  // Others put it where the artist would be.
  return { text: title, station: artist, isCertain: false };
}

const isStreamAddress = (url: string | undefined): boolean =>
  url !== undefined && /^https?:/i.test(url) && !isOfVideos(url);

function namesFromOf(url: string | undefined, title: string): Pick<Playback, "namesFrom"> {
  if (url === undefined) return {};
  if (isOfVideos(url)) return { namesFrom: { origin: "page" } };
  return url.startsWith("file:") ? { namesFrom: originOfTitle(title, nameOfAddress(url)) } : {};
}

/** The address of a player's cover; empty when it has none. */
export function artUrlOf({ properties: { Metadata: metadata } }: PlayerState): string {
  return textOf(fieldsOf(metadata)["mpris:artUrl"]) ?? "";
}

const isOfVideos = (url: string): boolean => isVideoPage(URL.parse(url)?.hostname);
