import { fieldsOf, flagOf, isRecord, recordOf, recordsOf, textOf } from "../../../upstream/json.ts";
import type { AskedServer } from "../../asked-server.ts";
import type { Track } from "../../track.ts";
import { unavailable } from "../../source.ts";

/** https://github.com/lastfm-docs/api-docs/blob/master/docs/user/getRecentTracks.md */

export const LASTFM = "Last.fm";

/** Part of the address of the star that Last.fm shows instead of a missing cover. */
const NO_COVER = "2a96cbd8b46e442fc41c2b86b821562f";

/**
 * The track that plays now; `null` when the user plays nothing.
 * @throws {SourceFailure} for the tracks of another user
 */
export function readRecentTracks(
  answer: unknown,
  user: string,
  coversAt: AskedServer["covers"],
): Track | null {
  const recent = recordOf(recordOf(answer, "the answer")["recenttracks"], "recenttracks");
  // Last.fm has answered with other users' tracks:
  // https://github.com/lastfm-docs/api-docs/blob/master/docs/bugs.md
  const owner = textOf(fieldsOf(recent["@attr"])["user"]);
  if (owner !== undefined && owner.toLowerCase() !== user.toLowerCase()) {
    throw unavailable("Last.fm answered with the tracks of another user");
  }
  const track = recordsOf(recent["track"]).find(
    ({ "@attr": attributes }) => flagOf(fieldsOf(attributes)["nowplaying"]) === true,
  );
  const title = textOf(track?.["name"]);
  if (track === undefined || title === undefined) return null;
  const artist = nameOf(track["artist"]);
  const album = nameOf(track["album"]) ?? "";
  return {
    source: LASTFM,
    track: {
      id: textOf(track["url"]) ?? [artist, title].join(" "),
      title,
      durationMs: null,
      explicit: false,
    },
    artists: artist === undefined ? [] : [artist],
    album: { name: album, artworks: coversAt(coverOf(track)) },
    device: { name: LASTFM, type: "lastfm", volumePercent: null },
  };
}

const nameOf = (value: unknown): string | undefined =>
  isRecord(value) ? (textOf(value["#text"]) ?? textOf(value["name"])) : textOf(value);

/** The largest picture, which comes last. */
const coverOf = ({ image }: Record<string, unknown>): string | undefined =>
  recordsOf(image)
    .map((one) => textOf(one["#text"]))
    .findLast((url) => url !== undefined && !url.includes(NO_COVER));
