import { FIRST_SIGHT, type Playback } from "../playback.ts";
import type { OnAir } from "../titles/on-air.ts";

/** What a playback says apart from its position. */
export type Track = Pick<
  Playback,
  "source" | "track" | "artists" | "namesFrom" | "album" | "device"
>;

/** A playing track whose position is not reported: it counts from when it was first seen. */
export const firstSeen = (track: Track, seenAtMs: number): Playback => ({
  ...track,
  state: "playing",
  ...FIRST_SIGHT,
  observedAtMs: seenAtMs,
  rate: 1,
});

/** What a stream has on the air, which has no length. */
export const onAirTrack = (
  onAir: OnAir,
  source: { readonly id: string; readonly name: string },
  { id = onAir.song, album = "" }: { readonly id?: string; readonly album?: string | undefined },
): Track => ({
  source: source.name,
  track: { id, title: onAir.title, durationMs: null, explicit: false },
  artists: onAir.artists,
  namesFrom: onAir.namesFrom,
  album: { name: album || onAir.station, artworks: [] },
  device: { name: onAir.station || source.name, type: source.id, volumePercent: null },
});
