import { type Artwork, artistNames, type Motion, type Playback, positionIn } from "../playback.ts";
import type { User } from "../accounts/users.ts";
import type * as schema from "./schema.ts";

/** Whose music an answer is about. */
export type PlayingUser = Pick<User, "id" | "name">;

/**
 * The absolute URL of a picture of a user's music. To ask for it also keeps a picture available.
 */
export type ArtworkUrl = (artwork: Artwork, userId: number) => string;

/** A picture that only this server has stays available if it is named again after this time. */
const NAME_AGAIN_MS = 1_000;

/** What comes before the position. */
const STARTS = {
  playing: '{"success":true,"data":{"is_playing":true,"progress_ms":',
  paused: '{"success":true,"data":{"is_playing":false,"progress_ms":',
};

/**
 * The answer of now-playing while a playback lasts: `{"success":true,"data":…,"meta":…}`, of which
 * only the position and the time move. What they need stands side by side: with thousands of users,
 * each object that is read may have to be fetched from slow memory.
 */
export class PlayingJson implements Motion {
  readonly state: Motion["state"];
  readonly positionMs: number;
  readonly observedAtMs: number;
  readonly rate: number;
  private readonly durationMs: number | null;
  /** What comes between the position and the time. */
  private readonly end: string;
  private readonly namePictures: () => void;
  /** When the pictures were last named; monotonic milliseconds. */
  private namedAtMs: number;

  /** @param nowMs monotonic time */
  constructor(playback: Playback, user: PlayingUser, artworkUrl: ArtworkUrl, nowMs: number) {
    const { track, album } = playback;
    const data = toData(playback, 0, (artwork) => artworkUrl(artwork, user.id));
    const { is_playing: _, progress_ms, progress_percent, time_remaining_ms, ...unchanging } = data;
    const rest = JSON.stringify(unchanging).slice(1);
    this.state = playback.state;
    this.positionMs = playback.positionMs;
    this.observedAtMs = playback.observedAtMs;
    this.rate = playback.rate;
    this.durationMs = track.durationMs;
    // Joined: the parts of an added or filled-in text would be put together with each answer.
    this.end = [",", rest, ',"meta":{"user":', JSON.stringify(user.name), ',"timestamp":'].join("");
    this.namePictures = () => album.artworks.forEach((artwork) => artworkUrl(artwork, user.id));
    this.namedAtMs = nowMs;
  }

  /** @param nowMs monotonic time */
  at(nowMs: number, unixSeconds: number): string {
    if (nowMs - this.namedAtMs > NAME_AGAIN_MS) {
      this.namePictures();
      this.namedAtMs = nowMs;
    }
    const { progress_ms, progress_percent, time_remaining_ms } = progressIn(
      this,
      this.durationMs,
      nowMs,
    );
    return `${STARTS[this.state]}${progress_ms},"progress_percent":${progress_percent},"time_remaining_ms":${time_remaining_ms}${this.end}${unixSeconds}}}`;
  }
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
    ...progressIn(playback, track.durationMs, nowMs),
    ...songData(playback),
    album: {
      name: album.name,
      images: album.artworks.map((artwork) => ({ url: artworkUrl(artwork) })),
    },
    device: { name: device.name, type: device.type, volume: device.volumePercent },
  };
}

/** The part that says which song it is, and what was given where other names are shown. */
export function songData(
  song: Pick<Playback, "track" | "artists" | "given">,
): Pick<schema.Playback, "track" | "artist_name" | "original_artist_name"> {
  const { track, given } = song;
  const artist = artistNames(song);
  const givenArtist = given && artistNames(given);
  return {
    track: {
      id: track.id,
      name: track.title,
      duration_ms: track.durationMs ?? 0,
      explicit: track.explicit,
      ...(given && given.title !== track.title && { original_name: given.title }),
    },
    artist_name: artist,
    ...(givenArtist !== undefined &&
      givenArtist !== artist && { original_artist_name: givenArtist }),
  };
}

type Progress = Pick<schema.Playback, "progress_ms" | "progress_percent" | "time_remaining_ms">;

/** The position counts where the length is unknown, and nothing is said of the rest. */
function progressIn(motion: Motion, durationMs: number | null, nowMs: number): Progress {
  const progressMs = Math.floor(positionIn(motion, durationMs, nowMs));
  return {
    progress_ms: progressMs,
    progress_percent: durationMs ? Math.round((progressMs / durationMs) * 10_000) / 100 : 0,
    time_remaining_ms: durationMs ? durationMs - progressMs : 0,
  };
}
