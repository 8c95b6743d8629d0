import { jsonIn } from "../../../decode-text.ts";
import { flagOf, isRecord, numberOf, textOf } from "../../../upstream/json.ts";
import { lengthMs, timeMs } from "../../amounts.ts";

/**
 * What the program that reads the system's media sessions writes on its standard output: one line of
 * JSON for each of these. The server believes nothing of it before it is checked here.
 */
export type ReaderLine =
  | { readonly kind: "sessions"; readonly sessions: readonly MediaSession[] }
  | { readonly kind: "cover"; readonly cover: SessionCover }
  /** Nothing has changed. */
  | { readonly kind: "alive" }
  /** The sessions cannot be read now. */
  | { readonly kind: "failed"; readonly reason: string };

/** One player, as the system reports it. */
export interface MediaSession {
  /** The system's name of the program, such as `Spotify.exe` or `com.apple.Music`. */
  readonly app: string;
  /** The program's name for people; empty where the system has none. */
  readonly name: string;
  readonly state: "playing" | "paused" | "other";
  readonly media: "music" | "video" | "image" | "unknown";
  readonly title: string;
  readonly artist: string;
  readonly albumArtist: string;
  readonly album: string;
  /** 0 where the player reports none. */
  readonly trackNumber: number;
  /** Milliseconds; `null` where the player has never reported it. */
  readonly positionMs: number | null;
  /** How old the position is, in milliseconds. */
  readonly ageMs: number;
  /** Milliseconds; `null` for a stream, or where the player does not report it. */
  readonly durationMs: number | null;
  readonly rate: number;
  /** The digest of its cover; `null` without one. The cover has come before. */
  readonly cover: string | null;
  /** What could not be read, and the system's answer; `null` where all could. */
  readonly problem: string | null;
  /** How long reading it took, in milliseconds. */
  readonly readMs: number;
}

/** The picture of one program's session. */
export interface SessionCover {
  readonly app: string;
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** A line is a cover of 8 MiB in base64 at most. */
export const LONGEST_LINE_BYTES = 12 * 1024 * 1024;
const MOST_SESSIONS = 32;

const STATES = ["playing", "paused", "other"] as const;
const MEDIA = ["music", "video", "image", "unknown"] as const;

/** Reads a line; `undefined` for one that the reader never writes. */
export function readLine(text: string): ReaderLine | undefined {
  const line = jsonIn(text);
  if (!isRecord(line)) return undefined;
  if (flagOf(line["alive"]) === true) return { kind: "alive" };
  const reason = textOf(line["failed"]);
  if (reason !== undefined) return { kind: "failed", reason };
  if (isRecord(line["cover"])) return coverIn(line["cover"]);
  const listed = line["sessions"];
  if (!Array.isArray(listed) || listed.length > MOST_SESSIONS) return undefined;
  const sessions = listed.map(sessionIn);
  return sessions.every((one) => one !== undefined) ? { kind: "sessions", sessions } : undefined;
}

function coverIn(cover: Record<string, unknown>): ReaderLine | undefined {
  const [app, digest, base64] = [cover["app"], cover["digest"], cover["base64"]].map(textOf);
  if (app === undefined || digest === undefined || base64 === undefined) return undefined;
  return { kind: "cover", cover: { app, digest, bytes: Buffer.from(base64, "base64") } };
}

function sessionIn(value: unknown): MediaSession | undefined {
  if (!isRecord(value)) return undefined;
  const text = (name: string) => textOf(value[name]) ?? "";
  const app = text("app");
  const state = STATES.find((one) => one === value["state"]);
  const media = MEDIA.find((one) => one === value["media"]);
  const [ageMs, rate] = [value["ageMs"], value["rate"]].map(numberOf);
  if (!app || !state || !media || ageMs === undefined || rate === undefined) return undefined;
  return {
    app,
    name: text("name"),
    state,
    media,
    title: text("title"),
    artist: text("artist"),
    albumArtist: text("albumArtist"),
    album: text("album"),
    trackNumber: numberOf(value["trackNumber"]) ?? 0,
    positionMs: timeMs(value["positionMs"], 1),
    ageMs,
    durationMs: lengthMs(value["durationMs"], 1),
    rate,
    cover: textOf(value["cover"]) ?? null,
    problem: textOf(value["problem"]) ?? null,
    readMs: numberOf(value["readMs"]) ?? 0,
  };
}
