import { matching } from "../../field.ts";
import type { Playback } from "../../playback.ts";
import { addressOf, urlOption } from "../entered-server.ts";
import {
  fieldsOf,
  flagOf,
  isRecord,
  numberOf,
  recordOf,
  textOf,
  textsOf,
  UnreadableAnswer,
} from "../../upstream/json.ts";
import { type AskedServer, jsonOf } from "../asked-server.ts";
import { definePolledSource, type PolledSourceDeps } from "../polling/polled-source.ts";
import { lengthMs, positionMs, WHOLE_SECONDS_LAG_MS } from "../amounts.ts";
import { type Source, unexpected } from "../source.ts";
import { readOnAir } from "../../titles/on-air.ts";

/** A station of AzuraCast: https://www.azuracast.com/docs/developers/now-playing-data/ */

const NAME = "AzuraCast";

export const createAzuraCast = (deps: PolledSourceDeps): Source =>
  definePolledSource({
    deps,
    id: "azuracast",
    name: NAME,
    facts: {
      runs: "server",
      reports: ["position", "cover"],
      delayMs: 5_000,
      calls: ["entered", "covers"],
    },
    intervalMs: 5_000,
    options: {
      url: urlOption("Where AzuraCast is."),
      station: {
        placeholder: "my_station",
        help: "The station's short name, as in the address of its public page.",
        ...matching(
          /^[\w.-]{1,100}$/,
          "the station's short name, as in the address of its public page",
        ),
      },
    },
    account: ({ station }) => ({ displayName: station }),
    addressOf,
    urlOf: ({ url }) => url,
    begin({ station }, { get, covers }) {
      return async () => {
        const answer = await get(`/api/nowplaying/${station}`);
        if (answer.status === 404) {
          throw unexpected(`${answer.from} has no station ${JSON.stringify(station)}`);
        }
        return readNowPlaying(jsonOf(answer), {
          observedAtMs: answer.observedAtMs,
          covers,
        });
      };
    },
  });

interface ReadingContext extends Pick<AskedServer, "covers"> {
  readonly observedAtMs: number;
}

/** Converts a station's answer; `null` when it is off the air or advertises. */
function readNowPlaying(answer: unknown, context: ReadingContext): Playback | null {
  const station = recordOf(answer, "the answer");
  const current = station["now_playing"];
  if (current === undefined && station["station"] === undefined) {
    throw new UnreadableAnswer("the answer is no station's");
  }
  const song = isRecord(current) ? current["song"] : undefined;
  if (flagOf(station["is_online"]) === false || !isRecord(current) || !isRecord(song)) return null;
  const given = textOf(song["title"]) ?? textOf(song["text"]);
  if (given === undefined) return null;
  // The same song may be played twice: only its start tells one time from the other.
  const id = [textOf(song["id"]) ?? given, numberOf(current["played_at"])].join(" ");
  // It is 0 for what a person broadcasts live.
  const durationMs = lengthMs(current["duration"], 1000);
  const stationName = textOf(fieldsOf(station["station"])["name"]);
  const named = textsOf(song["artist"]);
  // What a person broadcasts live has one text; a song of the station's library has tags.
  const onAir =
    durationMs === null && named.length < 2
      ? readOnAir({ text: given, station: stationName, artist: named[0], otherwise: "" })
      : undefined;
  if (onAir === null) return null;
  return {
    source: NAME,
    state: "playing",
    track: { id, title: onAir?.title ?? given, durationMs, explicit: false },
    // What a person broadcasts live is not by the station.
    artists: onAir ? onAir.artists.filter((name) => name !== onAir.station) : named,
    namesFrom: onAir?.namesFrom ?? { origin: "tag" },
    album: {
      name: textOf(song["album"]) ?? "",
      artworks: context.covers(textOf(song["art"])),
    },
    device: { name: stationName ?? NAME, type: "azuracast", volumePercent: null },
    positionMs: positionMs(current["elapsed"], 1000, durationMs),
    positionLagMs: WHOLE_SECONDS_LAG_MS,
    observedAtMs: context.observedAtMs,
    rate: 1,
  };
}
