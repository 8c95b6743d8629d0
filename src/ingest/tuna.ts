import { lengthMs, timeMs } from "../sources/amounts.ts";
import { parseFields, recordsOf, textOf, textsOf } from "../upstream/json.ts";
import { IGNORED, type Message, NOTHING, refused } from "./message.ts";

/**
 * What browser scripts and players post to Tuna, a plug-in of OBS:
 * https://github.com/univrsal/tuna. They repeat it about twice a second while something plays.
 */
export function readTuna(text: string): Message {
  const body = parseFields(text);
  const [data] = recordsOf(body?.["data"]);
  if (!data) return refused("The body must be a JSON object with an object data.");
  const status = textOf(data["status"]);
  if (status === undefined) return refused("data.status must be a text.");
  const title = textOf(data["title"]);
  // Each tab with the script speaks for itself.
  const player = textOf(body?.["hostname"]);
  if (title === undefined) return { ...NOTHING, player };
  // Most programs say `stopped` for a pause, and send an empty title when nothing plays.
  const state = status === "playing" ? "playing" : PAUSES.has(status) ? "paused" : undefined;
  if (state === undefined) return IGNORED;
  const artists = textsOf(data["artists"]);
  return {
    kind: "track",
    player,
    track: {
      state,
      title,
      artists: artists.length > 0 ? artists : textsOf(data["artist"]),
      album: textOf(data["album"]),
      durationMs: lengthMs(data["duration"], 1),
      positionMs: timeMs(data["progress"], 1),
      device: player,
      // Older scripts call it `cover_url`.
      cover: textOf(data["cover"]) ?? textOf(data["cover_url"]),
    },
  };
}

const PAUSES: ReadonlySet<string> = new Set(["paused", "stopped"]);
