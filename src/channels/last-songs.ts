import type { Clock } from "../clock.ts";
import { type Artwork, endOf, isSamePlay, type Playback } from "../playback.ts";
import type { Reading } from "./merge.ts";

/** What is remembered of a song: no covers, as a picture can be large. */
export interface Song extends Pick<
  Playback,
  "source" | "track" | "artists" | "namesFrom" | "given" | "repeats"
> {
  readonly albumName: string;
}

/** A song that was played, and for how long. */
export interface PlayedSong {
  readonly song: Song;
  /** When it was first reported, in Unix milliseconds. */
  readonly startedAt: number;
  /** Milliseconds of playing, without pauses. */
  readonly playedMs: number;
}

/** A song that counts for the history. It may still go on: then it is reported again. */
export interface CountedSong extends PlayedSong {
  readonly artwork: Artwork | undefined;
}

type SongClock = Pick<Clock, "monotonicMs" | "wallMs">;

export const MOST_SONGS = 20;
/** A song that was played for less time was skipped, and does not count. */
const LEAST_PLAYED_MS = 10_000;
/** The history is stricter. */
const LEAST_COUNTED_MS = 30_000;
/** A song that goes on is reported again after so much more of it. */
const REPORT_EVERY_MS = 60_000;

interface CurrentSong {
  readonly song: Song;
  startedAt: number;
  playedMs: number;
  artwork: Artwork | undefined;
  /** How much of it had been played when it was last reported. */
  reportedMs: number;
  /** What runs; `undefined` while that is not known. */
  playback: Playback | undefined;
  /** Monotonic time until which `playedMs` is counted. */
  countedUntilMs: number;
}

/**
 * The last songs of one channel. It knows only what played while the channel ran. A class, because
 * each user's channel has one.
 */
export class LastSongs {
  /** The songs before the current one, the newest first. */
  readonly finished: PlayedSong[] = [];
  /** Whether the last finished song was played before a new beginning, so that it does not go on. */
  private isEnded = false;
  private current: CurrentSong | undefined;
  private readonly clock: SongClock;
  private readonly onCounted: (song: CountedSong) => void;

  /** @param onCounted gets songs that count for the history, and again as they go on */
  constructor(clock: SongClock, onCounted: (song: CountedSong) => void) {
    this.clock = clock;
    this.onCounted = onCounted;
  }

  /** Takes in what plays from now on; `undefined` when the channel stops or knows too little. */
  note(reading: Reading | undefined): void {
    const { current } = this;
    if (current) {
      const nowMs = this.clock.monotonicMs();
      current.playedMs += playedMs(current, nowMs);
      current.countedUntilMs = nowMs;
      current.playback = undefined;
    }
    // The song may go on while its source cannot be asked.
    if (!reading || reading.kind === "unavailable") return this.report(1);
    const playback = reading.kind === "playback" ? reading.playback : undefined;
    if (current && playback && isSamePlay(current.song, playback)) {
      current.playback = playback;
      current.artwork = playback.album.artworks[0] ?? current.artwork;
      this.report(playback.state === "playing" ? REPORT_EVERY_MS : 1);
    } else {
      this.finish();
      if (playback) this.current = this.begin(playback);
    }
  }

  /** From now on only what is played from now on counts of the current song, and of those before. */
  beginAgain(): void {
    this.isEnded = true;
    const { current } = this;
    if (!current) return;
    current.startedAt = this.clock.wallMs();
    current.playedMs = 0;
    current.reportedMs = -Infinity;
    current.countedUntilMs = this.clock.monotonicMs();
  }

  /** @param everyMs how much more must have been played since it was last reported */
  private report(everyMs: number): void {
    const { current } = this;
    if (!current || current.playedMs < LEAST_COUNTED_MS) return;
    const { song, startedAt, playedMs, artwork, reportedMs } = current;
    if (playedMs - reportedMs < everyMs) return;
    current.reportedMs = playedMs;
    this.onCounted({ song, startedAt, playedMs, artwork });
  }

  private finish(): void {
    if (!this.current) return;
    this.report(1);
    const { song, startedAt, playedMs } = this.current;
    this.current = undefined;
    if (playedMs < LEAST_PLAYED_MS) return;
    const { finished } = this;
    finished.unshift({ song, startedAt, playedMs });
    this.isEnded = false;
    finished.length = Math.min(finished.length, MOST_SONGS);
  }

  private begin(playback: Playback): CurrentSong {
    // A song that goes on after a gap is still the same one.
    const [last] = this.finished;
    const isLast = last !== undefined && isSamePlay(last.song, playback);
    if (isLast) this.finished.shift();
    const goesOn = isLast && !this.isEnded;
    return {
      song: goesOn ? last.song : songOf(playback),
      startedAt: goesOn ? last.startedAt : this.clock.wallMs(),
      playedMs: goesOn ? last.playedMs : 0,
      artwork: playback.album.artworks[0],
      reportedMs: goesOn ? last.playedMs : -Infinity,
      playback,
      countedUntilMs: this.clock.monotonicMs(),
    };
  }
}

/** How long a song has played since it was last counted. It does not play past its end. */
function playedMs({ playback, countedUntilMs }: CurrentSong, nowMs: number): number {
  if (playback?.state !== "playing") return 0;
  return Math.max(0, Math.min(nowMs, endOf(playback)) - countedUntilMs);
}

const songOf = ({ source, track, artists, namesFrom, given, repeats, album }: Playback): Song => ({
  source,
  track,
  artists,
  ...(namesFrom && { namesFrom }),
  ...(given && { given }),
  ...(repeats && { repeats }),
  albumName: album.name,
});
