import { requiredText } from "../../entered-server.ts";
import { jsonIn } from "../../../decode-text.ts";
import { fieldsOf, numberOf } from "../../../upstream/json.ts";
import { LASTFM, readRecentTracks } from "./recent-tracks.ts";
import { type Answer, jsonOf } from "../../asked-server.ts";
import { definePolledSource, type PolledSourceDeps } from "../../polling/polled-source.ts";
import { createRequestBudget, type PauseMemory } from "../../polling/request-budget.ts";
import { retryLater, type Source, unauthorized, unavailable } from "../../source.ts";
import { firstSeen } from "../../track.ts";

/** Last.fm, and servers with its API: https://www.last.fm/api/show/user.getRecentTracks */

export interface LastfmDeps extends PolledSourceDeps {
  /** Without a slash at the end; the API is at `/2.0/` below it. */
  readonly apiUrl: string;
  /** The operator's API key; `null` when none was set. */
  readonly apiKey: string | null;
  readonly pauses: PauseMemory;
}

/** Calls for all users in 30 seconds. Last.fm allows five a second. */
const BUDGET = 140;
const BUDGET_WINDOW_MS = 30_000;
const OPERATOR_PAUSE_MS = 300_000;

export function createLastfm({ apiUrl, apiKey, pauses, ...deps }: LastfmDeps): Source {
  const requestBudget = createRequestBudget({
    clock: deps.clock,
    upstream: LASTFM,
    budget: BUDGET,
    windowMs: BUDGET_WINDOW_MS,
    memory: pauses,
  });

  /** https://www.last.fm/api/errorcodes; they come with status 200 or another one. */
  const refuse = async ({ from, text }: Answer, user: string): Promise<void> => {
    const code = numberOf(fieldsOf(jsonIn(text))["error"]);
    switch (code) {
      case undefined:
        return;
      case 6:
        throw unauthorized(`${from} knows no user ${JSON.stringify(user)}`);
      case 17:
        throw unauthorized(
          `${from} hides what ${user} plays: switch off "Hide recent listening information" there`,
        );
      case 10:
      case 26:
        throw retryLater(
          OPERATOR_PAUSE_MS,
          "keyRefused",
          `${from} refuses this server's API key: the operator has to set another one with --lastfm-api-key`,
        );
      case 29:
        throw await requestBudget.close(null, `${from} has asked for a pause`);
      default:
        throw unavailable(`${from} answered with its error ${code}`);
    }
  };

  return definePolledSource({
    deps,
    id: "lastfm",
    name: LASTFM,
    keySetting: "lastfmApiKey",
    facts: {
      runs: "service",
      viewersKnow: LASTFM,
      reports: ["cover"],
      delayMs: 10_000,
      calls: [{ service: apiUrl }, "covers"],
    },
    intervalMs: 10_000,
    requestBudget,
    options: {
      user: requiredText("name", "Your user name at Last.fm.", "your user name at Last.fm"),
    },
    account: ({ user }) => ({ displayName: user }),
    urlOf: () => apiUrl,
    begin({ user }, { get, covers }) {
      return async () => {
        if (apiKey === null) {
          throw retryLater(
            OPERATOR_PAUSE_MS,
            "keyMissing",
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
        const answer = await get(`/2.0/?${query}`);
        await refuse(answer, user);
        const track = readRecentTracks(jsonOf(answer), user, covers);
        return track && firstSeen(track, answer.observedAtMs);
      };
    },
  });
}
