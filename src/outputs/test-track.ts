import type { Words } from "../i18n/index.ts";
import type { Playback } from "../playback.ts";

/** An invented track, in the user's language. */
export function testTrack({ dashboard }: Words, observedAtMs: number): Playback {
  const { title, artist, album } = dashboard.widget.testTrack;
  return {
    source: "Marquee",
    state: "playing",
    track: { id: `test:${observedAtMs}`, title, durationMs: 154_000, explicit: false },
    artists: [artist],
    album: { name: album, artworks: [] },
    device: { name: "Marquee", type: "test", volumePercent: null },
    positionMs: 42_000,
    observedAtMs,
    rate: 1,
  };
}
