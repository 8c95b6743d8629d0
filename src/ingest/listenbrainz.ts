import { isRecord } from "../upstream/json.ts";
import { type Fields, fieldsIn, parseFields, textIn, textsIn, toTimeMs } from "./fields.ts";
import { IGNORED, type Message, refused } from "./message.ts";

/**
 * Submissions to ListenBrainz: https://listenbrainz.readthedocs.io/en/latest/users/api/core.html.
 * It knows neither positions nor pauses.
 */
export function readSubmission(text: string): Message {
  const body = parseFields(text);
  if (!body) return refused("The body must be a JSON object.");
  const { listen_type: type, payload } = body;
  if (!Array.isArray(payload)) return refused("payload must be a list.");
  if (type === "single" || type === "import") return IGNORED;
  if (type !== "playing_now") return refused("listen_type must be playing_now, single or import.");
  const listen: unknown = payload[0];
  if (payload.length !== 1 || !isRecord(listen)) {
    return refused("payload must have exactly one listen for playing_now.");
  }
  return readListen(fieldsIn(listen, "track_metadata"));
}

function readListen(metadata: Fields): Message {
  const title = textIn(metadata, "track_name");
  const artist = textIn(metadata, "artist_name");
  if (title === null) return refused("track_metadata.track_name must be a text that is not empty.");
  if (artist === null) {
    return refused("track_metadata.artist_name must be a text that is not empty.");
  }
  const info = fieldsIn(metadata, "additional_info");
  const durationMs = durationOf(info, "duration_ms", 1) ?? durationOf(info, "duration", 1_000);
  if (durationMs === "wrong") {
    return refused("additional_info must give a duration in seconds, or duration_ms, above 0.");
  }
  const names = textsIn(info, "artist_names");
  return {
    kind: "track",
    track: {
      state: "playing",
      title,
      artists: names.length > 0 ? names : [artist],
      album: textIn(metadata, "release_name") ?? "",
      id: null,
      durationMs,
      positionMs: null,
      volumePercent: null,
      device: textIn(info, "media_player") ?? textIn(info, "submission_client"),
      cover: null,
    },
  };
}

/** Numbers may be sent as texts. Some programs send 0 or nothing for an unknown duration. */
function durationOf(info: Fields, name: string, unitMs: number): number | null | "wrong" {
  const value = info[name] ?? "";
  if (value === "") return null;
  if (typeof value !== "number" && typeof value !== "string") return "wrong";
  const ms = toTimeMs(Number(value) * unitMs);
  return ms === null ? "wrong" : ms || null;
}
