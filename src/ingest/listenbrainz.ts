import { lengthMs } from "../sources/amounts.ts";
import {
  type Fields,
  fieldsOf,
  isRecord,
  parseFields,
  recordsOf,
  textOf,
  textsOf,
} from "../upstream/json.ts";
import { IGNORED, type Message, refused } from "./message.ts";

/**
 * Submissions to ListenBrainz: https://listenbrainz.readthedocs.io/en/latest/users/api/core.html.
 * It knows neither positions nor pauses.
 */
export function readSubmission(text: string): Message {
  const body = parseFields(text);
  if (!body) return refused("The body must be a JSON object.");
  const { payload } = body;
  const type = textOf(body["listen_type"]);
  if (!Array.isArray(payload) && !isRecord(payload)) return refused("payload must be a list.");
  if (type === "single" || type === "import") return IGNORED;
  if (type !== "playing_now") return refused("listen_type must be playing_now, single or import.");
  const [listen, ...others] = recordsOf(payload);
  if (!listen || others.length > 0) {
    return refused("payload must have exactly one listen for playing_now.");
  }
  return readListen(fieldsOf(listen["track_metadata"]));
}

function readListen(metadata: Fields): Message {
  const info = fieldsOf(metadata["additional_info"]);
  const title = textOf(metadata["track_name"]);
  const names = textsOf(info["artist_names"]);
  const artists = names.length > 0 ? names : textsOf(metadata["artist_name"]);
  if (title === undefined) {
    return refused("track_metadata.track_name must be a text that is not empty.");
  }
  if (artists.length === 0) {
    return refused("track_metadata.artist_name must be a text that is not empty.");
  }
  return {
    kind: "track",
    track: {
      state: "playing",
      title,
      artists,
      album: textOf(metadata["release_name"]),
      durationMs: lengthMs(info["duration_ms"], 1) ?? lengthMs(info["duration"], 1_000),
      device: textOf(info["media_player"]) ?? textOf(info["submission_client"]),
    },
  };
}
