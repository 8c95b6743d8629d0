import type { PlayingBody } from "../api/now-playing.ts";
import type { PlayingUser } from "../api/playing-json.ts";
import type { Reading } from "../channels/reading.ts";
import { type Artwork, artistNames, type Playback } from "../playback.ts";

/** What a user's files say at one moment. */
export interface FileSet {
  readonly texts: Readonly<Record<TextFile, string>>;
  /** Whose music it is. */
  readonly userId: number;
  /** The picture of `cover.png`; without one it is transparent. */
  readonly cover: Artwork | undefined;
}

export type TextFile =
  "now-playing.txt" | "title.txt" | "artist.txt" | "album.txt" | "now-playing.json";

/**
 * The file is never empty: the text source of OBS keeps what it showed before, and its scrolling
 * stops, when a file has nothing in it.
 */
const IDLE = " ";

/** @param playingBody writes `now-playing.json` */
export function fileSetOf(reading: Reading, user: PlayingUser, playingBody: PlayingBody): FileSet {
  const playback = reading.kind === "playback" ? reading.playback : undefined;
  return {
    texts: {
      "now-playing.txt": playback ? songLine(playback) : IDLE,
      "title.txt": fileText(playback?.track.title ?? ""),
      "artist.txt": fileText(playback ? artistNames(playback) : ""),
      "album.txt": fileText(playback?.album.name ?? ""),
      "now-playing.json": playingBody(reading, user)(),
    },
    userId: user.id,
    cover: playback?.album.artworks[0],
  };
}

function songLine(playback: Playback): string {
  const names = [artistNames(playback), playback.track.title].map((name) => fileText(name).trim());
  return `♪ ${names.filter((name) => name !== "").join(" – ")}`;
}

/** Without line breaks and other control characters, and never empty. */
const fileText = (text: string): string => {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  return line === "" ? IDLE : line;
};
