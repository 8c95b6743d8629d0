import { lengthMs } from "../sources/amounts.ts";
import { textOf } from "../upstream/json.ts";
import { type Message, refused } from "./message.ts";

/**
 * Audioscrobbler 1.2.1: https://www.last.fm/api/submissions (archived). It knows neither positions
 * nor pauses.
 */

/** Reads the form that a program posts when a track begins. */
export function readNowPlaying(form: URLSearchParams): Message {
  const title = textOf(form.get("t"));
  const artist = textOf(form.get("a"));
  if (!title) return refused("t, the title, must not be empty.");
  if (!artist) return refused("a, the artist, must not be empty.");
  return {
    kind: "track",
    track: {
      state: "playing",
      title,
      artists: [artist],
      album: textOf(form.get("b")),
      durationMs: lengthMs(form.get("l"), 1_000),
    },
  };
}

/** A program's request for a session. */
export interface Handshake {
  readonly userName: string;
  readonly timestamp: string;
  /** MD5 of the secret's MD5 and the timestamp. */
  readonly digest: string;
}

/** Reads the query of a handshake, or says what is wrong with it. */
export function readHandshake(query: URLSearchParams): Handshake | { readonly mistake: string } {
  if (query.get("hs") !== "true") return { mistake: "this is not a handshake: hs=true is missing" };
  // Some programs send `1.2`, although they speak 1.2.1.
  if (!/^1\.2(\.1)?$/.test(query.get("p") ?? "")) {
    return { mistake: "only version 1.2.1 of the protocol is spoken here" };
  }
  const [userName, timestamp, digest] = ["u", "t", "a"].map((name) => query.get(name) ?? "");
  if (!userName || !timestamp || !digest) return { mistake: "u, t and a must not be empty" };
  return { userName: userName.toLowerCase(), timestamp, digest: digest.toLowerCase() };
}

/** How far a program's clock may be off. */
const MOST_OFF_MS = 5 * 60_000;

/** Whether a handshake was made about now, in Unix milliseconds. */
export const isTimely = ({ timestamp }: Handshake, nowMs: number): boolean =>
  /^\d+$/.test(timestamp) && Math.abs(Number(timestamp) * 1_000 - nowMs) <= MOST_OFF_MS;

/** Whether the digest was made with this secret. */
export const isMadeWith = (secret: string, { timestamp, digest }: Handshake): boolean =>
  md5(md5(secret) + timestamp) === digest;

const md5 = (text: string): string => new Bun.CryptoHasher("md5").update(text).digest("hex");
