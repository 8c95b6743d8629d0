import type { Playback } from "../playback.ts";
import type { Reading } from "./merge.ts";

/** What is remembered of a song: no covers, as a picture can be large. */
export interface Song extends Pick<Playback, "source" | "track" | "artists"> {
  readonly albumName: string;
}

/** A song that was heard, and for how long. */
export interface HeardSong {
  readonly song: Song;
  /** When it was first heard, in Unix milliseconds. */
  readonly startedAt: number;
  /** Milliseconds of playing, without pauses. */
  readonly heardMs: number;
}

/** One moment on both clocks, in milliseconds. */
export interface Moment {
  readonly monotonicMs: number;
  /** Unix time. */
  readonly wallMs: number;
}

/** The last songs of one channel. It knows only what played while the channel ran. */
export interface LastSongs {
  /** Takes in what plays from now on; `undefined` when the channel stops or knows too little. */
  note(reading: Reading | undefined, now: Moment): void;
  /** The songs before the current one, the newest first. */
  finished(): readonly HeardSong[];
}

export const MOST_SONGS = 20;
/** A song that was heard for less time was skipped, and does not count. */
const LEAST_HEARD_MS = 10_000;

interface CurrentSong {
  readonly song: Song;
  readonly startedAt: number;
  heardMs: number;
  /** What runs; `undefined` while that is not known. */
  playback: Playback | undefined;
  /** Monotonic time until which `heardMs` is counted. */
  countedUntilMs: number;
}

export function createLastSongs(): LastSongs {
  const finished: HeardSong[] = [];
  let current: CurrentSong | undefined;

  const finish = () => {
    if (!current) return;
    const { song, startedAt, heardMs } = current;
    current = undefined;
    if (heardMs < LEAST_HEARD_MS) return;
    finished.unshift({ song, startedAt, heardMs });
    finished.length = Math.min(finished.length, MOST_SONGS);
  };

  const begin = (playback: Playback, now: Moment): CurrentSong => {
    // A song that goes on after a gap is still the same one.
    const [last] = finished;
    const goesOn = last !== undefined && isSame(last.song, playback);
    if (goesOn) finished.shift();
    return {
      song: goesOn ? last.song : songOf(playback),
      startedAt: goesOn ? last.startedAt : now.wallMs,
      heardMs: goesOn ? last.heardMs : 0,
      playback,
      countedUntilMs: now.monotonicMs,
    };
  };

  return {
    note(reading, now) {
      if (current) {
        current.heardMs += playedMs(current, now.monotonicMs);
        current.countedUntilMs = now.monotonicMs;
        current.playback = undefined;
      }
      // The song may go on while its source cannot be asked.
      if (!reading || reading.kind === "unavailable") return;
      const playback = reading.kind === "playback" ? reading.playback : undefined;
      if (current && playback && isSame(current.song, playback)) current.playback = playback;
      else {
        finish();
        if (playback) current = begin(playback, now);
      }
    },
    finished: () => finished,
  };
}

/** How long a song has played since it was last counted. It does not play past its end. */
function playedMs({ playback, countedUntilMs }: CurrentSong, nowMs: number): number {
  if (playback?.state !== "playing") return 0;
  const { positionMs, observedAtMs, rate, track } = playback;
  const endsAtMs =
    track.durationMs === null || rate <= 0
      ? Infinity
      : observedAtMs + (track.durationMs - positionMs) / rate;
  return Math.max(0, Math.min(nowMs, endsAtMs) - countedUntilMs);
}

const isSame = (song: Song, { track }: Playback): boolean =>
  song.track.id === track.id && song.track.title === track.title;

const songOf = ({ source, track, artists, album }: Playback): Song => ({
  source,
  track,
  artists,
  albumName: album.name,
});
