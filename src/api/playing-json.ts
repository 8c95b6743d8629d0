import { type Artwork, artistNames, type Playback, positionAt } from "../playback.ts";
import type * as schema from "./schema.ts";

/** The text of a playback, without what changes while it plays. */
interface PlaybackText {
  readonly userName: string;
  /** What comes before the position, and what comes between it and the time. */
  readonly start: string;
  readonly end: string;
  /** When the pictures were last named; monotonic milliseconds. */
  namedAtMs: number;
}

/** A picture that only this server has stays available if it is named again after this time. */
const NAME_AGAIN_MS = 1_000;

/**
 * Writes the answer of now-playing while something plays: `{"success":true,"data":…,"meta":…}`. The
 * text of a playback is made once; an answer fills in the position and the time.
 * @param artworkUrl the absolute URL of a picture. To ask for it also keeps a picture available.
 */
export function createPlayingJson(artworkUrl: (artwork: Artwork) => string) {
  const texts = new WeakMap<Playback, PlaybackText>();

  const write = (playback: Playback, userName: string, nowMs: number): PlaybackText => {
    const { is_playing, track, artist_name, album, device } = toData(playback, 0, artworkUrl);
    const rest = JSON.stringify({ track, artist_name, album, device }).slice(1);
    const text: PlaybackText = {
      userName,
      start: `{"success":true,"data":{"is_playing":${is_playing},"progress_ms":`,
      end: `,${rest},"meta":{"user":${JSON.stringify(userName)},"timestamp":`,
      namedAtMs: nowMs,
    };
    texts.set(playback, text);
    return text;
  };

  return (playback: Playback, userName: string, nowMs: number, unixSeconds: number): string => {
    let text = texts.get(playback);
    if (text?.userName !== userName) text = write(playback, userName, nowMs);
    if (nowMs - text.namedAtMs > NAME_AGAIN_MS) {
      for (const artwork of playback.album.artworks) artworkUrl(artwork);
      text.namedAtMs = nowMs;
    }
    const { progress_ms, progress_percent, time_remaining_ms } = progressOf(playback, nowMs);
    return `${text.start}${progress_ms},"progress_percent":${progress_percent},"time_remaining_ms":${time_remaining_ms}${text.end}${unixSeconds}}}`;
  };
}

/** A playback as API data, at a monotonic time in milliseconds. */
export function toData(
  playback: Playback,
  nowMs: number,
  artworkUrl: (artwork: Artwork) => string,
): schema.Playback {
  const { track, album, device } = playback;
  return {
    is_playing: playback.state === "playing",
    ...progressOf(playback, nowMs),
    track: {
      id: track.id,
      name: track.title,
      duration_ms: track.durationMs ?? 0,
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

type Progress = Pick<schema.Playback, "progress_ms" | "progress_percent" | "time_remaining_ms">;

function progressOf(playback: Playback, nowMs: number): Progress {
  const durationMs = playback.track.durationMs ?? 0;
  const progressMs = Math.min(Math.floor(positionAt(playback, nowMs)), durationMs);
  return {
    progress_ms: progressMs,
    progress_percent: durationMs === 0 ? 0 : Math.round((progressMs / durationMs) * 10_000) / 100,
    time_remaining_ms: durationMs - progressMs,
  };
}
