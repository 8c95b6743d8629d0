import type { Artwork, Playback } from "../playback.ts";

/** No real track comes near these: past them an upstream is broken, or means harm. */
const MOST_ARTISTS = 50;
const LONGEST_TEXT = 1_000;
const MOST_ARTWORKS = 10;
const LONGEST_URL = 2_048;

/**
 * A playback as it came from a source, cut to a size that everything behind can work with: rules are
 * compared with its texts, and every answer and every overlay's message repeats them.
 */
export function boundPlayback(playback: Playback): Playback {
  const { track, artists, album, device } = playback;
  return {
    ...playback,
    source: cut(playback.source),
    track: { ...track, id: identityOf(track.id), title: cut(track.title) },
    artists: artists.slice(0, MOST_ARTISTS).map(cut),
    album: {
      ...album,
      name: cut(album.name),
      artworks: album.artworks.slice(0, MOST_ARTWORKS).map(boundArtwork),
    },
    device: { ...device, name: cut(device.name), type: cut(device.type) },
  };
}

/** Counted in code points, so that no character outside the basic plane is cut in half. */
function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  // A code point is two units at most, so what is needed lies within twice the length.
  return Array.from(text.slice(0, 2 * LONGEST_TEXT))
    .slice(0, LONGEST_TEXT)
    .join("");
}

/** Cutting could make two names one, so a longer one is replaced by its digest. */
function identityOf(name: string): string {
  if (name.length <= LONGEST_TEXT) return name;
  return new Bun.CryptoHasher("sha256").update(name).digest("base64url");
}

function boundArtwork(artwork: Artwork): Artwork {
  const { key, url } = artwork;
  const tooLong = url !== undefined && url.length > LONGEST_URL;
  if (key.length <= LONGEST_TEXT && !tooLong) return artwork;
  // Part of an address leads nowhere; the picture itself can still be loaded and served by us.
  return {
    key: identityOf(key),
    ...(url !== undefined && !tooLong && { url }),
    load: () => artwork.load(),
  };
}
