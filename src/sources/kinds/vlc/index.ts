import { nameOfAddress } from "../../../address-name.ts";
import type { Artwork, Playback } from "../../../playback.ts";
import { addressOf, basicAuthorization, passwordOption, urlOption } from "../../entered-server.ts";
import {
  fieldsOf,
  numberOf,
  recordOf,
  textOf,
  textsOf,
  UnreadableAnswer,
} from "../../../upstream/json.ts";
import { definePolledSource, type PolledSourceDeps } from "../../polling/polled-source.ts";
import { lengthMs, percentOf, positionWithinSecond, rateOf } from "../../amounts.ts";
import { originOfTitle } from "../../title-origin.ts";
import type { Source } from "../../source.ts";
import { readOnAir } from "../../../titles/on-air.ts";
import { firstNamed } from "../../../titles/placeholders.ts";

/** VLC, through its web interface: https://wiki.videolan.org/VLC_HTTP_requests/ */

const NAME = "VLC";
const DEFAULT_URL = "http://127.0.0.1:8080";
/** What VLC calls 100 %; it goes up to twice as much. */
const FULL_VOLUME = 256;

export const createVlc = (deps: PolledSourceDeps): Source =>
  definePolledSource({
    deps,
    id: "vlc",
    name: NAME,
    facts: {
      runs: "computer",
      reports: ["position", "pause", "cover", "volume"],
      delayMs: 1_000,
      calls: ["entered"],
    },
    intervalMs: 1_000,
    options: {
      url: urlOption("Where VLC's web interface is.", DEFAULT_URL),
      password: passwordOption("The password of VLC's web interface."),
    },
    account: () => ({ displayName: NAME }),
    addressOf,
    findHere: async (search) =>
      (await import("./find.ts")).find(search.machine.at(DEFAULT_URL), search),
    urlOf: ({ url }) => url,
    // The user name is empty.
    requestWith: ({ password }) => ({
      headers: { Authorization: basicAuthorization("", password) },
    }),
    begin(_, { getJson, artwork }) {
      return async () => {
        const { body, observedAtMs } = await getJson("/requests/status.json");
        return readStatus(body, observedAtMs, (item, name) => artwork(name, `/art?item=${item}`));
      };
    },
  });

/** Converts `/requests/status.json`; `null` when VLC is stopped or a station advertises. */
function readStatus(
  answer: unknown,
  observedAtMs: number,
  coverOf: (item: number, name: string) => Artwork,
): Playback | null {
  const status = recordOf(answer, "the answer");
  const { state, currentplid } = status;
  if (state === undefined) throw new UnreadableAnswer("the answer is not VLC's");
  if (state !== "playing" && state !== "paused") return null;
  const meta = metaOf(status);
  const [givenName, stream, title] = ["filename", "now_playing", "title"].map((name) =>
    textOf(meta[name]),
  );
  const durationMs = lengthMs(status["length"], 1000);
  // The name of a stream is the end of its address. Its query may be a secret without a name.
  const fileName = durationMs === null ? givenName?.split("?")[0] : givenName;
  const artists = firstNamed(...ARTIST_FIELDS.map((name) => textsOf(meta[name])));
  // On a radio stream, `title` is the station's name and `now_playing` the current track.
  const nameOfFile = fileName === undefined ? "" : nameOfAddress(fileName);
  const onAir =
    stream === undefined
      ? undefined
      : readOnAir({ text: stream, station: title, artist: artists[0], otherwise: nameOfFile });
  if (onAir === null) return null;
  const item = numberOf(currentplid) ?? 0;
  // VLC cuts time and length to whole seconds; the share that is played is finer.
  const playedMs = (numberOf(status["position"]) ?? 0) * (durationMs ?? 0);
  const cover = textOf(meta["artwork_url"]);
  return {
    source: NAME,
    state,
    track: {
      id: [item, fileName ?? "", onAir?.song ?? ""].join(" ").trim(),
      title: onAir?.title ?? title ?? nameOfFile,
      durationMs,
      explicit: false,
    },
    namesFrom: onAir?.namesFrom ?? originOfTitle(title, nameOfFile),
    artists: onAir?.artists ?? artists,
    album: {
      name: textOf(meta["album"]) ?? onAir?.station ?? "",
      artworks: cover === undefined ? [] : [coverOf(item, cover)],
    },
    // It is negative while no audio is open.
    device: { name: NAME, type: "vlc", volumePercent: percentOf(status["volume"], FULL_VOLUME) },
    positionMs: positionWithinSecond(status["time"], playedMs, durationMs),
    observedAtMs,
    rate: rateOf(status["rate"]),
  };
}

/** Who made a song, by the first field that names somebody. Tags that VLC does not know are as in the file. */
const ARTIST_FIELDS = ["artist", "ALBUMARTIST", "PERFORMER", "COMPOSER", "Writer"] as const;

const metaOf = ({ information }: Record<string, unknown>): Record<string, unknown> =>
  fieldsOf(fieldsOf(fieldsOf(information)["category"])["meta"]);
