import type { Clock } from "../clock.ts";
import type { Hub } from "../channels/hub.ts";
import { type Artwork, artistNames, type Playback, positionAt } from "../playback.ts";
import type { Config } from "../config.ts";
import { failure, success } from "./envelope.ts";
import type { Answer } from "./guard.ts";
import { secondsOf } from "./rate-limit.ts";
import type * as schema from "./schema.ts";

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
  return async ({ user }, headers) => {
    const reading = hub.peek(user.id) ?? (await hub.read(user.id, FIRST_WORD_MS));
    switch (reading.kind) {
      case "nothing":
      case "unlinked":
        return success(null, undefined, headers);
      case "unavailable": {
        // The rate limit would refuse an earlier call.
        const waitSeconds = Math.max(config.rateLimitSeconds, secondsOf(reading.retryAfterMs));
        return failure(503, "Playback is temporarily unavailable", {
          "Retry-After": String(waitSeconds),
        });
      }
      case "playback": {
        const data = toData(reading.playback, clock.monotonicMs(), artworkUrl);
        const meta: schema.Meta = { user: user.name, timestamp: Math.floor(clock.wallMs() / 1000) };
        return success(data, meta, headers);
      }
    }
  };
}

/** A playback as API data, at a monotonic time in milliseconds. */
export function toData(
  playback: Playback,
  nowMs: number,
  artworkUrl: (artwork: Artwork) => string,
): schema.Playback {
  const { track, album, device } = playback;
  const durationMs = track.durationMs ?? 0;
  const progressMs = Math.min(Math.floor(positionAt(playback, nowMs)), durationMs);
  return {
    is_playing: playback.state === "playing",
    progress_ms: progressMs,
    progress_percent: durationMs === 0 ? 0 : Math.round((progressMs / durationMs) * 10_000) / 100,
    time_remaining_ms: durationMs - progressMs,
    track: {
      id: track.id,
      name: track.title,
      duration_ms: durationMs,
      explicit: track.explicit,
    },
    artist_name: artistNames(playback),
    album: {
      name: album.name,
      images: album.artworks.map((artwork) => ({ url: artworkUrl(artwork) })),
    },
    device: { name: device.name, type: device.type, volume: device.volumePercent },
  };
}
