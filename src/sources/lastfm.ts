import type { Artwork } from "../playback.ts";
import { readTexts } from "./entered-server.ts";
import { isRecord, numberOf, recordOf, recordsOf, textOf } from "./json.ts";
import {
  type Answer,
  definePolledSource,
  jsonIn,
  jsonOf,
  type PolledSourceDeps,
  type Track,
  unauthorized,
  unavailable,
} from "./polling/polled-source.ts";
import { createRequestBudget, type PauseMemory } from "./polling/request-budget.ts";
import { type Source, SourceFailure, SourceSettingsError } from "./source.ts";

/** Last.fm, and servers with its API: https://www.last.fm/api/show/user.getRecentTracks */

export interface LastfmDeps extends PolledSourceDeps {
  /** Without a slash at the end; the API is at `/2.0/` below it. */
  readonly apiUrl: string;
  /** The operator's API key; `null` when none was set. */
  readonly apiKey: string | null;
  readonly pauses: PauseMemory;
}

const NAME = "Last.fm";
/** Calls for all users in 30 seconds. Last.fm allows five a second. */
const BUDGET = 100;
const BUDGET_WINDOW_MS = 30_000;
const OPERATOR_PAUSE_MS = 300_000;
/** Part of the address of the star that Last.fm shows instead of a missing cover. */
const NO_COVER = "2a96cbd8b46e442fc41c2b86b821562f";

export function createLastfm({ apiUrl, apiKey, pauses, ...deps }: LastfmDeps): Source {
  const requestBudget = createRequestBudget({
    clock: deps.clock,
    upstream: NAME,
    budget: BUDGET,
    windowMs: BUDGET_WINDOW_MS,
    memory: pauses,
  });

  /** https://www.last.fm/api/errorcodes; they come with status 200 or another one. */
  const refuse = async ({ from, text }: Answer, user: string): Promise<void> => {
    const body = jsonIn(text);
    const code = isRecord(body) ? numberOf(body["error"]) : undefined;
    switch (code) {
      case undefined:
        return;
      case 6:
        throw unauthorized(`${from} knows no user ${JSON.stringify(user)}`);
      case 17:
        throw unauthorized(
          `${from} hides what ${user} hears: switch off "Hide recent listening information" there`,
        );
      case 10:
      case 26:
        throw keyFailure(
          "appRefused",
          `${from} refuses this server's API key: the operator has to set another one with --lastfm-api-key`,
        );
      case 29:
        throw await requestBudget.close(null, `${from} has asked for a pause`);
      default:
        throw unavailable(`${from} answered with its error ${code}`);
    }
  };

  return definePolledSource<{ user: string }>(
    {
      id: "lastfm",
      name: NAME,
      intervalMs: 10_000,
      requestBudget,
      options: [{ name: "user", placeholder: "name", help: "Your user name at Last.fm." }],
      parseSettings(input) {
        const user = readTexts(input, ["user"]).user.trim();
        if (user !== "") return { user };
        throw new SourceSettingsError("user: must be your user name at Last.fm.");
      },
      account: ({ user }) => ({ displayName: user, product: null }),
      urlOf: () => apiUrl,
      begin({ user }, { url, get, withoutPosition, artwork }) {
        return async () => {
          if (apiKey === null) {
            throw keyFailure(
              "appMissing",
              "Last.fm needs an API key of this server's operator: make one at https://www.last.fm/api/account/create and start the server with --lastfm-api-key, or with its file in MARQUEE_LASTFM_API_KEY_FILE",
            );
          }
          const query = new URLSearchParams({
            method: "user.getrecenttracks",
            user,
            api_key: apiKey,
            format: "json",
            limit: "1",
          });
          const answer = await get(`${url}/2.0/?${query}`);
          await refuse(answer, user);
          const track = readRecentTracks(jsonOf(answer), user, (address) => ({
            ...artwork(address, address),
            url: address,
          }));
          return track && withoutPosition(track);
        };
      },
    },
    deps,
  );
}

/** The track that plays now; `null` when the user hears nothing. */
function readRecentTracks(
  answer: unknown,
  user: string,
  artworkAt: (url: string) => Artwork,
): Track | null {
  const recent = recordOf(recordOf(answer, "the answer")["recenttracks"], "recenttracks");
  // Last.fm has answered with other users' tracks:
  // https://github.com/lastfm-docs/api-docs/blob/master/docs/bugs.md
  const owner = isRecord(recent["@attr"]) ? textOf(recent["@attr"]["user"]) : undefined;
  if (owner !== undefined && owner.toLowerCase() !== user.toLowerCase()) {
    throw unavailable("Last.fm answered with the tracks of another user");
  }
  const track = recordsOf(recent["track"]).find(
    ({ "@attr": attributes }) =>
      isRecord(attributes) && String(attributes["nowplaying"]) === "true",
  );
  const title = textOf(track?.["name"]);
  if (track === undefined || title === undefined) return null;
  const artist = nameOf(track["artist"]);
  const album = nameOf(track["album"]) ?? "";
  const cover = coverOf(track);
  return {
    source: NAME,
    track: {
      id: textOf(track["url"]) ?? `${artist} ${title}`,
      title,
      durationMs: null,
      explicit: false,
    },
    artists: artist === undefined ? [] : [artist],
    album: { name: album, artworks: cover === undefined ? [] : [artworkAt(cover)] },
    device: { name: NAME, type: "lastfm", volumePercent: null },
  };
}

const nameOf = (value: unknown): string | undefined =>
  isRecord(value) ? (textOf(value["#text"]) ?? textOf(value["name"])) : undefined;

/** The largest picture, which comes last. */
const coverOf = ({ image }: Record<string, unknown>): string | undefined =>
  recordsOf(image)
    .map((one) => textOf(one["#text"]))
    .findLast((url) => url?.startsWith("https://") && URL.canParse(url) && !url.includes(NO_COVER));

const keyFailure = (reason: "appMissing" | "appRefused", message: string): SourceFailure =>
  new SourceFailure({ kind: "retryLater", afterMs: OPERATOR_PAUSE_MS, reason }, message);
