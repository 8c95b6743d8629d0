/** A picture that a source has named. */
export interface Artwork {
  /** Names the picture's content: the same key is the same picture. */
  readonly key: string;
  /** Its public URL; absent when only this server has it, such as a cover in an audio file. */
  readonly url?: string;
  /** Where it comes from, such as `mpd 3`. Unreadable covers are logged once for each origin. */
  readonly origin?: string;
  /** The encoded picture (PNG, JPEG, WebP, GIF or BMP); the caller releases it after drawing. */
  load(): Promise<Uint8Array>;
}

/** What a source observed at one moment. */
export interface Playback {
  /** The source's display name, such as `MPD`. */
  readonly source: string;
  readonly state: "playing" | "paused";
  readonly track: {
    readonly id: string;
    readonly title: string;
    /** Milliseconds, or `null` for a stream without an end. */
    readonly durationMs: number | null;
    readonly explicit: boolean;
  };
  /** In the upstream's order. */
  readonly artists: readonly string[];
  readonly album: {
    readonly name: string;
    /** Largest first; may be empty. */
    readonly artworks: readonly Artwork[];
  };
  readonly device: {
    readonly name: string;
    readonly type: string;
    /** 0 to 100, or `null` when the upstream does not report it. */
    readonly volumePercent: number | null;
  };
  /** Position in the track when it was observed, in milliseconds. */
  readonly positionMs: number;
  /** Set where the upstream tells no position: it is counted from the first sight. */
  readonly positionUnknown?: true;
  /** Monotonic time of the observation, in milliseconds. */
  readonly observedAtMs: number;
  /** Milliseconds of track per millisecond of time while playing; 1 is normal speed. */
  readonly rate: number;
}

/**
 * The position in the track at a monotonic time, in milliseconds: the observed position plus the
 * time passed since, limited to the track's length.
 */
export function positionAt(playback: Playback, nowMs: number): number {
  const elapsedMs = playback.state === "playing" ? Math.max(0, nowMs - playback.observedAtMs) : 0;
  const positionMs = playback.positionMs + elapsedMs * playback.rate;
  return Math.min(Math.max(0, positionMs), playback.track.durationMs ?? Number.MAX_SAFE_INTEGER);
}

/** The artists as one name, in the upstream's order. */
export const artistNames = (playback: Playback): string => playback.artists.join(", ");

/** A new position this close to the expected one is no seek, only an inexact measurement. */
const JITTER_MS = 500;

/**
 * The playback to keep when `next` is observed after `previous`. It is the new one, but with the
 * old position and time where both agree. So the position never jumps back within a track unless
 * the source reported that.
 */
export function reconcile(
  previous: Playback | null | undefined,
  next: Playback | null,
): Playback | null {
  if (!previous || !next) return next;
  const sameListening =
    previous.track.id === next.track.id &&
    previous.state === next.state &&
    previous.rate === next.rate;
  if (!sameListening) return next;
  const drift = next.positionMs - positionAt(previous, next.observedAtMs);
  if (Math.abs(drift) > JITTER_MS) return next;
  return { ...next, positionMs: previous.positionMs, observedAtMs: previous.observedAtMs };
}
