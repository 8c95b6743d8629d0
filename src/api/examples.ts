import type { Meta, PlayedSong, Playback, User } from "./schema.ts";

/** Answers for the description of the API, as the demo gives them. */

export function playingExample(baseUrl: string): { success: true; data: Playback; meta: Meta } {
  return {
    success: true,
    data: {
      is_playing: true,
      progress_ms: 61_250,
      progress_percent: 32.58,
      time_remaining_ms: 126_750,
      track: { id: "demo:lanterns", name: "Paper Lanterns", duration_ms: 188_000, explicit: false },
      artist_name: "Juniper Vale",
      album: {
        name: "Slow Weather",
        images: [{ url: `${baseUrl}/art/q0jT3yUuJ9m1cWm8k2v0nA/640.jpg` }],
      },
      device: { name: "Demo player", type: "demo", volume: 65 },
    },
    meta: { user: "ada", timestamp: 1_795_219_200 },
  };
}

export function playedExample(baseUrl: string): { success: true; data: PlayedSong[] } {
  const { track, artist_name, album } = playingExample(baseUrl).data;
  const times = { started_at: "2026-11-21 04:47:58", played_ms: 186_400 };
  return { success: true, data: [{ track, artist_name, album, ...times }] };
}

export const userExample: User = {
  username: "ada",
  music_connected: true,
  music_display_name: "Marquee Demo",
  music_product: null,
  created_at: "2026-11-21 00:00:00",
};
