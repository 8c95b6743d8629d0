/** A picture that a source has named. */
export interface Artwork {
  /** Names the picture's content: the same key is the same picture. */
  readonly key: string;
  /** Where everybody can load it; absent when only we hold it, such as a cover in an audio file. */
  readonly url?: string;
  /** What it came through, such as `mpd 3`: covers that cannot be read are logged once for it. */
  readonly origin?: string;
  /** The encoded picture (PNG, JPEG, WebP, GIF or BMP), to be let go once it is drawn. */
  load(): Promise<Uint8Array>;
}

/** What a source heard at one moment. */
export interface Playback {
  /** Where it was heard, as people know it, such as `MPD`. */
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
    /** 0 to 100, or `null` when the upstream does not tell. */
    readonly volumePercent: number | null;
  };
  /** Where in the track it was when observed, in milliseconds. */
  readonly positionMs: number;
  /** Monotonic time of the observation, in milliseconds. */
  readonly observedAtMs: number;
  /** Milliseconds of track per millisecond of time while playing; 1 is normal speed. */
  readonly rate: number;
}

/**
 * Where in the track playback is at a monotonic time, in milliseconds: what was observed plus what
 * has passed since, within the track.
 */
export function positionAt(playback: Playback, nowMs: number): number {
  const elapsedMs = playback.state === "playing" ? Math.max(0, nowMs - playback.observedAtMs) : 0;
  const positionMs = playback.positionMs + elapsedMs * playback.rate;
  return Math.min(Math.max(0, positionMs), playback.track.durationMs ?? Number.MAX_SAFE_INTEGER);
}

/** The artists as one name, in the upstream's order. */
export const artistNames = (playback: Playback): string => playback.artists.join(", ");

/** A new observation this close to what was expected is the same listening, measured less exactly. */
const JITTER_MS = 500;

/**
 * The playback to keep when `next` is observed after `previous`: the new one, but with the old
 * anchor where both tell the same story, so that time never runs backwards within a track unless
 * the source said so.
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
