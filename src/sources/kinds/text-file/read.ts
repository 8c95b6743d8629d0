import type { Stats } from "node:fs";
import type { Clock } from "../../../clock.ts";
import { decodeText } from "../../../decode-text.ts";
import type { Playback } from "../../../playback.ts";
import { readOnAir } from "../../../titles/on-air.ts";
import { lengthMs } from "../../amounts.ts";
import { playbackOf } from "../../local-source.ts";
import { firstSeen, onAirTrack } from "../../track.ts";

export const TEXT_FILE = { id: "file", name: "Text file" } as const;

const MOST_BYTES = 64 * 1024;
/** A text that has not changed for so long was left behind by a program that has ended. */
const LEFT_BEHIND_MS = 4 * 3_600_000;

/** The end of a file, without the part of a character that it may begin with. */
async function readEnd(path: string, size: number): Promise<Uint8Array> {
  const from = Math.max(0, size - MOST_BYTES);
  const bytes = await Bun.file(path)
    .slice(from, from + MOST_BYTES)
    .bytes();
  const begin = from === 0 ? 0 : bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return bytes.subarray(Math.max(0, begin));
}

/** Reads a file again when its time or its size has changed. */
export function createFileReader(
  { pattern, encoding }: { readonly pattern: string; readonly encoding: string },
  clock: Clock,
) {
  const charset = encoding === "" ? null : `text/plain; charset=${encoding}`;
  let last: { readonly version: string; readonly playback: Playback | null } | undefined;
  return async (
    path: string,
    { mtimeMs, size }: Pick<Stats, "mtimeMs" | "size">,
  ): Promise<Playback | null> => {
    const version = `${path} ${mtimeMs} ${size}`;
    if (last?.version !== version) {
      const text = decodeText(await readEnd(path, size), charset);
      const isList = /\.m3u$/i.test(path);
      const playback = isList ? lastListed(text, clock) : songIn(text, pattern, clock, mtimeMs);
      last = { version, playback };
    }
    return clock.wallMs() - mtimeMs < LEFT_BEHIND_MS ? last.playback : null;
  };
}

/** The song in a text of this pattern, else in its first line. It has been there since the text was written. */
function songIn(text: string, pattern: string, clock: Clock, writtenMs: number): Playback | null {
  const named = matched(text.trim(), pattern.replaceAll("\\n", "\n"));
  const [line = ""] = text.trim().split(/\r?\n/);
  const { title = line, artist = "", album = "" } = named ?? {};
  if (title.trim() === "") return null;
  const onAir = readOnAir({ text: title, artist, otherwise: "" });
  if (!onAir || onAir.title === "") return null;
  const ageMs = Math.max(0, clock.wallMs() - writtenMs);
  return firstSeen(onAirTrack(onAir, TEXT_FILE, { album }), clock.monotonicMs() - ageMs);
}

type Names = Partial<Record<"title" | "artist" | "album", string>>;

/** What stands in the places of a pattern, each on one line; `undefined` where the text does not follow it. */
export function matched(text: string, pattern: string): Names | undefined {
  const parts = pattern.trim().split(/\{(title|artist|album)\}/);
  const normal = text.replaceAll("\r\n", "\n");
  const names: Names = {};
  if (!normal.startsWith(parts[0] ?? "")) return undefined;
  let at = (parts[0] ?? "").length;
  for (let index = 1; index < parts.length; index += 2) {
    const name = parts[index] as keyof Names;
    const following = parts[index + 1] ?? "";
    const isLast = index + 2 >= parts.length;
    const end = isLast && following === "" ? endOfLine(normal, at) : normal.indexOf(following, at);
    if (end === -1) return undefined;
    names[name] = normal.slice(at, end).trim();
    if (names[name].includes("\n")) return undefined;
    at = end + following.length;
  }
  return names;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

/** The last song in a list of VirtualDJ, whose fields are written as in XML. */
function lastListed(text: string, clock: Clock): Playback | null {
  const line = text.split(/\r?\n/).findLast((one) => one.startsWith("#EXTVDJ:"));
  if (line === undefined) return null;
  const field = (name: string) =>
    (new RegExp(`<${name}>([^<]*)</${name}>`).exec(line)?.[1] ?? "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&")
      .trim();
  const title = [field("title"), field("remix") && `(${field("remix")})`].filter(Boolean).join(" ");
  if (title === "") return null;
  const startedAtMs = Number(field("lastplaytime")) * 1_000;
  const song = {
    id: `${startedAtMs}`,
    title,
    artist: field("artist"),
    album: "",
    fileName: "",
    startedAtMs: startedAtMs > 0 ? startedAtMs : clock.wallMs(),
    durationMs: lengthMs(field("songlength"), 1_000),
  };
  return playbackOf({ ...TEXT_FILE, name: "VirtualDJ" }, song, { clock });
}
