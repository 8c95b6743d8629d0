import type { KeyHolder } from "../accounts/key-holders.ts";
import { PROGRAM_WAITS_MS } from "../channels/first-answer.ts";
import type { Clock } from "../clock.ts";
import { CurrentReading } from "../channels/current-reading.ts";
import type { Reading } from "../channels/reading.ts";
import { document, failure, failureBody } from "./envelope.ts";
import type { Call } from "./guard.ts";
import { type ArtworkUrl, createPlayingJson, type PlayingUser } from "./playing-json.ts";
import { secondsOf } from "../http/rate-limit.ts";
import type { Parts } from "../http/parts.ts";

/** Writes the body of the answer to a reading. */
export type PlayingBody = (reading: Reading, user: PlayingUser) => string;

const NOTHING = JSON.stringify({ success: true, data: null });
const UNAVAILABLE = "Playback is temporarily unavailable";
const UNAVAILABLE_BODY = failureBody(UNAVAILABLE);

export function createPlayingBody(clock: Clock, artworkUrl: ArtworkUrl): PlayingBody {
  const playingJson = createPlayingJson(artworkUrl);
  return (reading, user) => {
    switch (reading.kind) {
      case "nothing":
      case "unlinked":
        return NOTHING;
      case "unavailable":
        return UNAVAILABLE_BODY;
      case "playback": {
        const unixSeconds = Math.floor(clock.wallMs() / 1000);
        return playingJson(reading.playback, user, clock.monotonicMs(), unixSeconds);
      }
    }
  };
}

export interface NowPlayingDeps extends Pick<Parts, "hub" | "clock" | "config"> {
  readonly playingBody: PlayingBody;
}

/** `GET /api/v1/now-playing`: the playback of the key's user, in the envelope. */
export function createNowPlaying({ hub, clock, playingBody, config }: NowPlayingDeps) {
  const answer = (reading: Reading, user: PlayingUser, headers: Headers | undefined): Response => {
    if (reading.kind !== "unavailable") return document(playingBody(reading, user), headers);
    // The rate limit would refuse an earlier call.
    const waitSeconds = Math.max(config.rateLimitSeconds, secondsOf(reading.retryAfterMs));
    return failure(503, UNAVAILABLE, { "Retry-After": String(waitSeconds) });
  };

  /** Found once for each key: most requests need nothing else of a user. */
  const currentOf = (holder: KeyHolder): CurrentReading => {
    if (holder.kept instanceof CurrentReading) return holder.kept;
    const current = hub.currentOf(holder.user.id);
    holder.kept = current;
    return current;
  };

  return ({ holder, headers }: Call): Response | Promise<Response> => {
    const { user } = holder;
    const known = currentOf(holder).at(clock.monotonicMs()) ?? hub.peek(user.id);
    if (known) return answer(known, user, headers);
    return hub.read(user.id, PROGRAM_WAITS_MS).then((reading) => answer(reading, user, headers));
  };
}
