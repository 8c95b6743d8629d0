import type { Clock } from "../clock.ts";
import type { Hub } from "../channels/hub.ts";
import type { Reading } from "../channels/reading.ts";
import type { Artwork } from "../playback.ts";
import type { Config } from "../config.ts";
import { document, failure, success } from "./envelope.ts";
import type { Answer } from "./guard.ts";
import { createPlayingJson } from "./playing-json.ts";
import { secondsOf } from "./rate-limit.ts";

export interface NowPlayingDeps {
  readonly hub: Pick<Hub, "peek" | "read">;
  readonly clock: Clock;
  /** The absolute URL of a picture. */
  artworkUrl(artwork: Artwork): string;
  readonly config: Pick<Config, "rateLimitSeconds">;
}

/** Longest wait for the first reading of a source that was not watched before. */
const FIRST_WORD_MS = 4_000;

/** `GET /api/v1/now-playing`: the playback of the key's user, in the envelope. */
export function createNowPlaying({ hub, clock, artworkUrl, config }: NowPlayingDeps): Answer {
  const playingJson = createPlayingJson(artworkUrl);

  const answer = (reading: Reading, userName: string, headers: Headers | undefined): Response => {
    switch (reading.kind) {
      case "nothing":
      case "unlinked":
        return success(null, headers);
      case "unavailable": {
        // The rate limit would refuse an earlier call.
        const waitSeconds = Math.max(config.rateLimitSeconds, secondsOf(reading.retryAfterMs));
        return failure(503, "Playback is temporarily unavailable", {
          "Retry-After": String(waitSeconds),
        });
      }
      case "playback": {
        const unixSeconds = Math.floor(clock.wallMs() / 1000);
        const nowMs = clock.monotonicMs();
        return document(playingJson(reading.playback, userName, nowMs, unixSeconds), headers);
      }
    }
  };

  return ({ user }, headers) => {
    const known = hub.peek(user.id);
    if (known) return answer(known, user.name, headers);
    return hub.read(user.id, FIRST_WORD_MS).then((reading) => answer(reading, user.name, headers));
  };
}
