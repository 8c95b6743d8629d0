import { nameOfAddress } from "../../../address-name.ts";
import type { Artwork, Playback } from "../../../playback.ts";
import { jsonIn } from "../../../decode-text.ts";
import {
  fieldsOf,
  identifierOf,
  isRecord,
  namesOf,
  numberOf,
  recordOf,
  recordsOf,
  textOf,
  textsOf,
} from "../../../upstream/json.ts";
import { type Answer, jsonOf } from "../../asked-server.ts";
import { firstSeen, type Track } from "../../track.ts";
import { unauthorized, unavailable } from "../../source.ts";
import { firstNamed } from "../../../titles/placeholders.ts";
import { originOfTitle } from "../../title-origin.ts";
import { lengthMs, positionMs, rateOf } from "../../amounts.ts";

/** https://opensubsonic.netlify.app/docs/responses/nowplayingentry/ */

export const SUBSONIC = "Subsonic";

/** Error codes: https://opensubsonic.netlify.app/docs/responses/error/ */
export const PARAMETER_MISSING = 10;
const WRONG_CREDENTIALS = 40;
export const NO_TOKENS = 41;
const NOT_ALLOWED = 50;
/** A track whose length is unknown is believed to play this long. */
const USUAL_LENGTH_S = 600;

type CoverOf = (id: string) => Artwork;

/** Errors come with status 200 or another one, depending on the server. */
export function errorCodeIn({ text }: Answer): number | undefined {
  const body = jsonIn(text);
  const response = isRecord(body) ? body["subsonic-response"] : undefined;
  if (!isRecord(response) || response["status"] !== "failed") return undefined;
  return numberOf(fieldsOf(response["error"])["code"]) ?? 0;
}

/**
 * What the user plays, from the answer of `getNowPlaying`; `null` when it is nothing.
 * @param code the error in it
 * @throws {SourceFailure}
 */
export function readNowPlaying(
  answer: Answer,
  code: number | undefined,
  user: string,
  coverOf: CoverOf,
): Playback | null {
  const { from } = answer;
  if (code !== undefined) {
    const refused = [WRONG_CREDENTIALS, NO_TOKENS, PARAMETER_MISSING, NOT_ALLOWED].includes(code);
    throw refused
      ? unauthorized(`${from} refuses the user name or the password (error ${code})`)
      : unavailable(`${from} does not say what is playing (error ${code})`);
  }
  const body = recordOf(jsonOf(answer), "the answer");
  const response = recordOf(body["subsonic-response"], "subsonic-response");
  const { nowPlaying } = response;
  const entries = recordsOf(fieldsOf(nowPlaying)["entry"]).filter(
    (entry) =>
      textOf(entry["username"])?.toLowerCase() === user.toLowerCase() && isStillPlaying(entry),
  );
  // A user may have several players: a playing one counts, then the one that was played last.
  const [entry] = entries.toSorted(
    (a, b) => Number(isPaused(a)) - Number(isPaused(b)) || minutesAgo(a) - minutesAgo(b),
  );
  return entry === undefined ? null : readEntry(entry, answer.observedAtMs, coverOf);
}

function readEntry(
  entry: Record<string, unknown>,
  observedAtMs: number,
  coverOf: CoverOf,
): Playback {
  const durationMs = lengthMs(entry["duration"], 1000);
  const artists = firstNamed(
    namesOf(entry["artists"]),
    ...ARTIST_FIELDS.map((field) => textsOf(entry[field])),
  );
  const cover = textOf(entry["coverArt"]);
  const title = textOf(entry["title"]);
  const path = textOf(entry["path"]);
  const track: Track = {
    source: SUBSONIC,
    track: {
      id: identifierOf(entry["id"]),
      title: title ?? nameOfAddress(path ?? ""),
      durationMs,
      explicit: entry["explicitStatus"] === "explicit",
    },
    artists,
    ...(path !== undefined && { namesFrom: originOfTitle(title, nameOfAddress(path)) }),
    album: {
      name: textOf(entry["album"]) ?? "",
      artworks: cover === undefined ? [] : [coverOf(cover)],
    },
    device: {
      name: textOf(entry["playerName"]) ?? SUBSONIC,
      type: "subsonic",
      volumePercent: null,
    },
  };
  // Only servers with the extension `playbackReport` report the position.
  const reportsPosition =
    numberOf(entry["positionMs"]) !== undefined && textOf(entry["state"]) !== undefined;
  if (!reportsPosition) return firstSeen(track, observedAtMs);
  return {
    ...track,
    state: isPaused(entry) ? "paused" : "playing",
    positionMs: positionMs(entry["positionMs"], 1, durationMs),
    observedAtMs,
    rate: rateOf(entry["playbackRate"]),
  };
}

/** Who made a song, by the first field that names somebody. */
const ARTIST_FIELDS = ["displayArtist", "artist", "displayAlbumArtist", "displayComposer"] as const;

const isPaused = (entry: Record<string, unknown>): boolean => entry["state"] === "paused";

const minutesAgo = (entry: Record<string, unknown>): number => numberOf(entry["minutesAgo"]) ?? 0;

/** Servers without `playbackReport` list a track for minutes after its end. */
function isStillPlaying(entry: Record<string, unknown>): boolean {
  const { duration } = entry;
  const state = textOf(entry["state"]);
  if (state !== undefined) return state !== "stopped";
  const lengthS = numberOf(duration) || USUAL_LENGTH_S;
  return minutesAgo(entry) * 60 <= lengthS * 1.05 + 60;
}
