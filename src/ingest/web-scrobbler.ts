import { isRecord } from "../upstream/json.ts";
import { durationIn, type Fields, fieldsIn, parseFields, textIn, timeIn } from "./fields.ts";
import { IGNORED, type Message, refused } from "./message.ts";

/**
 * The webhook of Web Scrobbler: https://github.com/web-scrobbler/web-scrobbler. Events that say
 * nothing about what plays now, such as `scrobble`, and those that are not known are ignored.
 */
export function readWebhook(text: string): Message {
  const body = parseFields(text);
  if (!body) return refused("The body must be a JSON object.");
  const { eventName } = body;
  if (typeof eventName !== "string") return refused("eventName must be a text.");
  if (!EVENTS.has(eventName)) return IGNORED;
  const { song } = fieldsIn(body, "data");
  if (!isRecord(song)) return refused("data.song must be an object.");
  return readSong(song, eventName === "paused" ? "paused" : "playing");
}

const EVENTS: ReadonlySet<string> = new Set(["nowplaying", "paused", "resumedplaying"]);

function readSong(song: Fields, state: "playing" | "paused"): Message {
  const parsed = fieldsIn(song, "parsed");
  // What the user has corrected.
  const processed = fieldsIn(song, "processed");
  const either = (name: string) => textIn(processed, name) ?? textIn(parsed, name);
  const title = either("track");
  if (title === null) return refused("data.song.parsed.track must be a text that is not empty.");
  const artist = either("artist");
  return {
    kind: "track",
    track: {
      state,
      title,
      artists: artist === null ? [] : [artist],
      album: either("album") ?? "",
      id: textIn(parsed, "uniqueID"),
      durationMs: durationIn(parsed, "duration", 1_000) ?? durationIn(processed, "duration", 1_000),
      positionMs: timeIn(parsed, "currentTime", 1_000),
      volumePercent: null,
      device: textIn(fieldsIn(song, "connector"), "label"),
      cover: textIn(parsed, "trackArt") ?? textIn(fieldsIn(song, "metadata"), "trackArtUrl"),
    },
  };
}
