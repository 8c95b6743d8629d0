import { isRecord } from "../upstream/json.ts";
import { durationIn, parseFields, textIn, textsIn, timeIn } from "./fields.ts";
import { IGNORED, type Message, NOTHING, refused } from "./message.ts";

/**
 * What browser scripts and players post to Tuna, a plug-in of OBS:
 * https://github.com/univrsal/tuna. They repeat it about twice a second while something plays.
 */
export function readTuna(text: string): Message {
  const body = parseFields(text);
  const data = body?.["data"];
  if (!isRecord(data)) return refused("The body must be a JSON object with an object data.");
  const { status } = data;
  if (typeof status !== "string") return refused("data.status must be a text.");
  const title = textIn(data, "title");
  if (title === null) return NOTHING;
  // Most programs say `stopped` for a pause, and send an empty title when nothing plays.
  const state = status === "playing" ? "playing" : PAUSES.has(status) ? "paused" : undefined;
  if (state === undefined) return IGNORED;
  return {
    kind: "track",
    track: {
      state,
      title,
      artists: textsIn(data, "artists"),
      album: textIn(data, "album") ?? "",
      id: null,
      durationMs: durationIn(data, "duration", 1),
      positionMs: timeIn(data, "progress", 1),
      volumePercent: null,
      device: textIn(body ?? {}, "hostname"),
      // Older scripts call it `cover_url`.
      cover: textIn(data, "cover") ?? textIn(data, "cover_url"),
    },
  };
}

const PAUSES: ReadonlySet<string> = new Set(["paused", "stopped"]);
