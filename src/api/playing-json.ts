import { type Artwork, artistNames, type Motion, type Playback, positionIn } from "../playback.ts";
import type { User } from "../accounts/users.ts";
import type * as schema from "./schema.ts";

/**
 * What an answer takes from a playback, side by side: with thousands of users, each object that is
 * read may have to be fetched from slow memory.
 */
interface Template extends Motion {
  readonly durationMs: number | null;
  /** What comes before the position, and what comes between it and the user's name. */
  readonly start: string;
  readonly end: string;
  /** When the pictures were last named; monotonic milliseconds. */
  namedAtMs: number;
}

/** Whose music an answer is about. */
export type PlayingUser = Pick<User, "id" | "name">;

/**
 * The absolute URL of a picture of a user's music. To ask for it also keeps a picture available.
 */
export type ArtworkUrl = (artwork: Artwork, userId: number) => string;

/** A picture that only this server has stays available if it is named again after this time. */
const NAME_AGAIN_MS = 1_000;

const startOf = (isPlaying: boolean) =>
  `{"success":true,"data":{"is_playing":${isPlaying},"progress_ms":`;
const STARTS = { playing: startOf(true), paused: startOf(false) };

/**
 * Writes the answer of now-playing while something plays: `{"success":true,"data":…,"meta":…}`.
 * The text of a playback is made once, whoever plays it; an answer fills in the position, the user's
 * name and the time.
 */
export function createPlayingJson(artworkUrl: ArtworkUrl) {
  const templates = new WeakMap<Playback, Template>();

  const prepare = (playback: Playback, user: PlayingUser, nowMs: number): Template => {
    const { state, positionMs, observedAtMs, rate } = playback;
    const data = toData(playback, 0, (artwork) => artworkUrl(artwork, user.id));
    const { is_playing: _, progress_ms, progress_percent, time_remaining_ms, ...unchanging } = data;
    const rest = JSON.stringify(unchanging).slice(1);
    const template: Template = {
      state,
      positionMs,
      observedAtMs,
      rate,
      durationMs: playback.track.durationMs,
      start: STARTS[state],
      end: `,${rest},"meta":{"user":`,
      namedAtMs: nowMs,
    };
    templates.set(playback, template);
    return template;
  };

  return (playback: Playback, user: PlayingUser, nowMs: number, unixSeconds: number) => {
    const template = templates.get(playback) ?? prepare(playback, user, nowMs);
    if (nowMs - template.namedAtMs > NAME_AGAIN_MS) {
      for (const artwork of playback.album.artworks) artworkUrl(artwork, user.id);
      template.namedAtMs = nowMs;
    }
    const { start, end, durationMs } = template;
    const { progress_ms, progress_percent, time_remaining_ms } = progressIn(
      template,
      durationMs,
      nowMs,
    );
    const numbers = `${progress_ms},"progress_percent":${progress_percent},"time_remaining_ms":${time_remaining_ms}`;
    return `${start}${numbers}${end}${JSON.stringify(user.name)},"timestamp":${unixSeconds}}}`;
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
