import { lengthMs, percentOf, timeMs } from "../../amounts.ts";
import type { Artwork, IdentifiedSong, Playback } from "../../../playback.ts";
import { isSpotifyAdId } from "../../advertisements.ts";
import {
  fieldsOf,
  flagOf,
  identifierOf,
  isRecord,
  namesOf,
  recordOf,
  recordsOf,
  textOf,
} from "../../../upstream/json.ts";

/**
 * Converts the answer of `GET /v1/me/player` to a playback.
 * https://developer.spotify.com/documentation/web-api/reference/get-information-about-the-users-current-playback
 */

export interface ReadingContext {
  /** Monotonic time at which the position was true, in milliseconds. */
  readonly observedAtMs: number;
  /** The artwork for a URL from Spotify's answer. */
  artworkAt(url: string): Artwork | undefined;
  /** The expected position in a song (ms), for answers without a position. */
  expectedPositionMs(song: IdentifiedSong): number;
}

/**
 * The playback in a parsed answer. `null` when nothing may be shown: nothing is playing, an
 * advertisement is playing, or the user has turned on a private session.
 * @throws {UnreadableAnswer}
 */
export function readPlayer(answer: unknown, context: ReadingContext): Playback | null {
  const player = recordOf(answer, "the answer");
  const device = fieldsOf(player["device"]);
  if (flagOf(device["is_private_session"]) === true) return null;
  // The item is null in advertisements, between two tracks, and for what Spotify does not know.
  if (player["currently_playing_type"] === "ad" || !isRecord(player["item"])) return null;
  const item = player["item"];
  if (item["type"] === "ad" || isSpotifyAdId(textOf(item["uri"]))) return null;
  // A file on the user's own disk has a URI but no id.
  const id = textOf(item["id"]) ?? textOf(item["uri"]);
  const title = textOf(item["name"]) ?? fileNameIn(id ?? "");
  // It is 0 for some files on the user's own disk.
  const durationMs = lengthMs(item["duration_ms"], 1);
  const track: Playback["track"] = {
    id: id ?? "",
    title,
    durationMs,
    explicit: flagOf(item["explicit"]) === true,
    ...pageOf(item),
  };
  const credits = readCredits(item, context);
  const positionMs =
    timeMs(player["progress_ms"], 1) ?? context.expectedPositionMs({ track, ...credits });
  return {
    source: "Spotify",
    state: flagOf(player["is_playing"]) === true ? "playing" : "paused",
    track,
    ...credits,
    device: {
      name: textOf(device["name"]) ?? "Spotify",
      type: textOf(device["type"]) ?? "unknown",
      volumePercent: percentOf(device["volume_percent"], 100),
    },
    // The position may run past the end while the next track is not known yet.
    positionMs: durationMs === null ? positionMs : Math.min(positionMs, durationMs),
    observedAtMs: context.observedAtMs,
    rate: 1,
  };
}

/** The name in `spotify:local:artist:album:title:seconds`; empty for what is no file. */
function fileNameIn(uri: string): string {
  const [, name = ""] = /^spotify:local:[^:]*:[^:]*:([^:]*):/.exec(uri) ?? [];
  return new URLSearchParams(`name=${name}`).get("name") ?? name;
}

/** The page of a track or an episode; files on the user's own disk have none. */
function pageOf({ id: given, type }: Record<string, unknown>): { readonly url?: string } {
  const isKnown = type === "track" || type === "episode";
  const id = identifierOf(given);
  if (!isKnown || !/^[A-Za-z0-9]{22}$/.test(id)) return {};
  return { url: `https://open.spotify.com/${type}/${id}` };
}

type Credits = Pick<Playback, "artists" | "album">;

function readCredits(item: Record<string, unknown>, { artworkAt }: ReadingContext): Credits {
  if (item["type"] === "episode" || isRecord(item["show"])) {
    const show = fieldsOf(item["show"]);
    const name = textOf(show["name"]) ?? "";
    const own = imageUrls(item["images"]);
    const urls = own.length > 0 ? own : imageUrls(show["images"]);
    return {
      artists: name === "" ? [] : [name],
      album: { name, artworks: urls.flatMap((url) => artworkAt(url) ?? []) },
    };
  }
  const album = fieldsOf(item["album"]);
  return {
    artists: namesOf(item["artists"]),
    album: {
      name: textOf(album["name"]) ?? "",
      artworks: imageUrls(album["images"]).flatMap((url) => artworkAt(url) ?? []),
    },
  };
}

/** In Spotify's order, the largest first. */
function imageUrls(images: unknown): string[] {
  return recordsOf(images).flatMap(({ url }) => textOf(url) ?? []);
}
