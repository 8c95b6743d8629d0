import { requiredText } from "../entered-server.ts";
import { jsonIn } from "../../decode-text.ts";
import { fieldsOf, isRecord, recordOf, recordsOf, textOf, textsOf } from "../../upstream/json.ts";
import { jsonOf } from "../asked-server.ts";
import { definePolledSource, type PolledSourceDeps } from "../polling/polled-source.ts";
import { firstSeen, type Track } from "../track.ts";
import { createRequestBudget, type PauseMemory } from "../polling/request-budget.ts";
import { lengthMs } from "../amounts.ts";
import { type Source, unauthorized } from "../source.ts";

/** ListenBrainz, and servers with its API: https://listenbrainz.readthedocs.io/en/latest/users/api/core.html */

export interface ListenBrainzReaderDeps extends PolledSourceDeps {
  /** Without a slash at the end; the API is at `/1/` below it. */
  readonly apiUrl: string;
  readonly pauses: PauseMemory;
}

const NAME = "ListenBrainz";
/** Another source has ListenBrainz's own name: the one that players send to. */
const SOURCE_NAME = "ListenBrainz (reader)";
/** Calls for all users in 30 seconds. ListenBrainz allows 30 in ten seconds. */
const BUDGET = 75;
const BUDGET_WINDOW_MS = 30_000;

export function createListenBrainzReader({
  apiUrl,
  pauses,
  ...deps
}: ListenBrainzReaderDeps): Source {
  const requestBudget = createRequestBudget({
    clock: deps.clock,
    upstream: NAME,
    budget: BUDGET,
    windowMs: BUDGET_WINDOW_MS,
    memory: pauses,
  });
  return definePolledSource({
    deps,
    id: "listenbrainz-reader",
    name: SOURCE_NAME,
    facts: {
      runs: "service",
      delayMs: 5_000,
      calls: [{ service: apiUrl }],
    },
    intervalMs: 5_000,
    requestBudget,
    options: {
      user: requiredText(
        "name",
        "Your user name at ListenBrainz.",
        "your user name at ListenBrainz",
      ),
    },
    account: ({ user }) => ({ displayName: user }),
    urlOf: () => apiUrl,
    begin({ user }, { get }) {
      return async () => {
        const answer = await get(`/1/user/${encodeURIComponent(user)}/playing-now`);
        // A page that is not there is a proxy's or an outage's word.
        if (answer.status === 404 && isRecord(jsonIn(answer.text))) {
          throw unauthorized(`${answer.from} knows no user ${JSON.stringify(user)}`);
        }
        const track = readPlayingNow(jsonOf(answer));
        return track && firstSeen(track, answer.observedAtMs);
      };
    },
  });
}

/** The track that plays now; `null` when the user plays nothing. */
function readPlayingNow(answer: unknown): Track | null {
  const payload = recordOf(recordOf(answer, "the answer")["payload"], "payload");
  const [listen] = recordsOf(payload["listens"]);
  const metadata = fieldsOf(listen?.["track_metadata"]);
  const title = textOf(metadata["track_name"]);
  if (title === undefined) return null;
  const info = fieldsOf(metadata["additional_info"]);
  const artists = textsOf(metadata["artist_name"]);
  const album = textOf(metadata["release_name"]) ?? "";
  const names = textsOf(info["artist_names"]);
  const player = textOf(info["media_player"]) ?? textOf(info["music_service_name"]);
  return {
    source: NAME,
    track: {
      id: JSON.stringify([artists[0], title, album]),
      title,
      // Players send `duration_ms` or `duration` in seconds.
      durationMs: lengthMs(info["duration_ms"], 1) ?? lengthMs(info["duration"], 1000),
      explicit: false,
    },
    artists: names.length > 0 ? names : artists,
    // There is no cover: its address takes two more calls, and it redirects to other hosts.
    album: { name: album, artworks: [] },
    device: { name: player ?? NAME, type: "listenbrainz", volumePercent: null },
  };
}
