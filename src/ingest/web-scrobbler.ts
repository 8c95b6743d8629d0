import { lengthMs, timeMs } from "../sources/amounts.ts";
import {
  type Fields,
  fieldsOf,
  flagOf,
  parseFields,
  recordsOf,
  textOf,
  textsOf,
} from "../upstream/json.ts";
import { IGNORED, type Message, NOTHING, refused } from "./message.ts";

/**
 * The webhook of Web Scrobbler: https://github.com/web-scrobbler/web-scrobbler. Events that say
 * nothing about what plays now, such as `scrobble`, and those that are not known are ignored.
 */
export function readWebhook(text: string): Message {
  const body = parseFields(text);
  if (!body) return refused("The body must be a JSON object.");
  const eventName = textOf(body["eventName"]);
  if (eventName === undefined) return refused("eventName must be a text.");
  if (!EVENTS.has(eventName)) return IGNORED;
  const [song] = recordsOf(fieldsOf(body["data"])["song"]);
  if (!song) return refused("data.song must be an object.");
  return readSong(song, eventName === "paused" ? "paused" : "playing");
}

const EVENTS: ReadonlySet<string> = new Set(["nowplaying", "paused", "resumedplaying"]);

function readSong(song: Fields, state: "playing" | "paused"): Message {
  const parsed = fieldsOf(song["parsed"]);
  const player = textOf(song["controllerTabId"]);
  if (textOf(parsed["scrobblingDisallowedReason"]) === "IsAd") return { ...NOTHING, player };
  // What the user has corrected.
  const processed = fieldsOf(song["processed"]);
  const either = (name: string) => textOf(processed[name]) ?? textOf(parsed[name]);
  const title = either("track");
  if (title === undefined) {
    return refused("data.song.parsed.track must be a text that is not empty.");
  }
  const corrected = textsOf(processed["artist"]);
  const artists = corrected.length > 0 ? corrected : textsOf(parsed["artist"]);
  return {
    kind: "track",
    player,
    track: {
      state,
      title,
      artists,
      // The artist of an episode is its show.
      album: either("album") ?? (flagOf(parsed["isPodcast"]) === true ? artists[0] : undefined),
      id: textOf(parsed["uniqueID"]),
      durationMs: lengthMs(parsed["duration"], 1_000) ?? lengthMs(processed["duration"], 1_000),
      positionMs: timeMs(parsed["currentTime"], 1_000),
      device: textOf(fieldsOf(song["connector"])["label"]),
      cover: textOf(parsed["trackArt"]) ?? textOf(fieldsOf(song["metadata"])["trackArtUrl"]),
    },
  };
}
