import type { Artwork, Playback } from "../playback.ts";
import { mendText } from "../titles/mend-text.ts";
import { namesAnArtist } from "../titles/placeholders.ts";

/** No real track comes near these limits: an upstream that exceeds them is broken or hostile. */
const MOST_ARTISTS = 50;
const LONGEST_TEXT = 1_000;
/** Before its encoding is mended, which makes it shorter. */
const LONGEST_GIVEN = 10 * LONGEST_TEXT;
const MOST_ARTWORKS = 10;
const LONGEST_URL = 2_048;

/**
 * What was made of each: several connections may report the same object, and it stays one. A text
 * is mended once, so what was made stays as it is when it comes here again.
 */
const bounded = new WeakMap<Playback, Playback>();

/**
 * Cuts a source's playback to a size that is safe for the rest of the server: privacy rules are
 * compared with its texts, and every answer and every message to an overlay repeats them. Its names
 * are mended, and what stands for an artist whom nobody knows is left out.
 */
export function boundPlayback(playback: Playback): Playback {
  const before = bounded.get(playback);
  if (before) return before;
  const within = withinBounds(playback);
  bounded.set(playback, within);
  bounded.set(within, within);
  return within;
}

function withinBounds(playback: Playback): Playback {
  const { track, artists, album, device, namesFrom } = playback;
  return {
    ...playback,
    positionMs: timeOf(playback.positionMs) ?? 0,
    source: cut(playback.source),
    track: {
      ...track,
      id: identityOf(track.id),
      title: nameOf(track.title),
      durationMs: timeOf(track.durationMs),
    },
    artists: artists.slice(0, MOST_ARTISTS).map(nameOf).filter(namesAnArtist),
    ...(namesFrom?.origin === "upload" && {
      namesFrom: { origin: "upload", text: nameOf(namesFrom.text) },
    }),
    album: {
      ...album,
      name: nameOf(album.name),
      artworks: album.artworks.slice(0, MOST_ARTWORKS).map(boundArtwork),
    },
    device: { ...device, name: nameOf(device.name), type: cut(device.type) },
  };
}

/**
 * Whole milliseconds, as the API promises; `null` for what JSON cannot hold, such as a huge number of
 * seconds in milliseconds.
 */
function timeOf(ms: number | null): number | null {
  return ms !== null && ms >= 0 && ms <= Number.MAX_SAFE_INTEGER ? Math.round(ms) : null;
}

/** A name in a mended encoding, whatever its user wants of titles. */
const nameOf = (text: string): string => cut(mendText(text.slice(0, LONGEST_GIVEN)));

/** Counts code points, so that no surrogate pair is cut in half. */
function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  // A code point is at most two UTF-16 units, so twice the length is enough.
  return Array.from(text.slice(0, 2 * LONGEST_TEXT))
    .slice(0, LONGEST_TEXT)
    .join("");
}

/** Cutting could make two different names equal, so a long name is replaced by its digest. */
function identityOf(name: string): string {
  if (name.length <= LONGEST_TEXT) return name;
  return new Bun.CryptoHasher("sha256").update(name).digest("base64url");
}

function boundArtwork(artwork: Artwork): Artwork {
  const { key, url } = artwork;
  const tooLong = url !== undefined && url.length > LONGEST_URL;
  if (key.length <= LONGEST_TEXT && !tooLong) return artwork;
  // A cut URL does not work, so it is left out. This server can still load and serve the picture.
  return {
    key: identityOf(key),
    ...(url !== undefined && !tooLong && { url }),
    load: () => artwork.load(),
  };
}
