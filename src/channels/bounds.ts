import {
  holdsAddress,
  isAddressOrPath,
  nameOfAddress,
  withoutAddresses,
  withoutSecrets,
} from "../address-name.ts";
import { digestOf } from "../digest.ts";
import type { Artwork, Playback } from "../playback.ts";
import { mendText } from "../titles/mend-text.ts";
import { namesAnArtist } from "../titles/placeholders.ts";
import { canBeSeen } from "../visible-text.ts";

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
const bounded = new WeakMap<Playback, Playback | null>();

/**
 * Makes a source's playback safe for the rest of the server: privacy rules are compared with its texts,
 * and every answer and every message to an overlay repeats them. Its names are mended. Nothing in it is
 * endless, ill-formed or empty, no address in it carries a secret, and what stands for an artist whom
 * nobody knows is left out. `null` when it names nothing.
 */
export function boundPlayback(playback: Playback): Playback | null {
  const before = bounded.get(playback);
  if (before !== undefined) return before;
  const within = withinBounds(playback);
  bounded.set(playback, within);
  if (within) bounded.set(within, within);
  return within;
}

function withinBounds(playback: Playback): Playback | null {
  const { track, album, device, namesFrom } = playback;
  const title = titleOf(track);
  if (title === undefined) return null;
  const named = playback.artists.slice(0, MOST_ARTISTS).map(shownText).filter(isArtist);
  const artists = [...new Set(named)];
  return {
    ...playback,
    positionMs: timeOf(playback.positionMs) ?? 0,
    source: shownText(playback.source),
    track: {
      ...track,
      id: idOf(track.id, [title, ...artists]),
      title,
      // Many upstreams say 0 for a length that they do not know.
      durationMs: timeOf(track.durationMs) || null,
    },
    artists,
    ...(namesFrom?.origin === "upload" && {
      namesFrom: { origin: "upload", text: shownText(namesFrom.text) },
    }),
    album: {
      ...album,
      name: shownText(album.name),
      artworks: album.artworks.slice(0, MOST_ARTWORKS).map(boundArtwork),
    },
    device: { ...device, name: shownText(device.name), type: shownText(device.type) },
  };
}

/** The title; the file's name where nothing can be seen of it, or `undefined` without one. */
function titleOf({ id, title }: Playback["track"]): string | undefined {
  const shown = shownText(title);
  if (canBeSeen(shown)) return shown;
  const fileName = isAddressOrPath(id) ? shownText(nameOfAddress(id)) : "";
  return canBeSeen(fileName) ? fileName : undefined;
}

/**
 * The id as the upstream gives it. A digest, which changes with the song, stands for none and for one
 * that has an address in it: that of a stream is the same for every song, and may carry a secret.
 */
function idOf(given: string, names: readonly string[]): string {
  const id = given.toWellFormed();
  if (!canBeSeen(id)) return digestOf(names);
  return holdsAddress(id) ? digestOf([withoutSecrets(id), ...names]) : identityOf(id);
}

const isArtist = (name: string): boolean => canBeSeen(name) && namesAnArtist(name);

/** A text that everybody may see, in a mended encoding, whatever its user wants of titles. */
const shownText = (text: string): string =>
  cut(withoutAddresses(mendText(text.slice(0, LONGEST_GIVEN)).toWellFormed()));

/**
 * Whole milliseconds, as the API promises; `null` for what JSON cannot hold, such as a huge number of
 * seconds in milliseconds.
 */
function timeOf(ms: number | null): number | null {
  return ms !== null && ms >= 0 && ms <= Number.MAX_SAFE_INTEGER ? Math.round(ms) : null;
}

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

/** This server can still load and serve a picture whose address is left out. */
function boundArtwork(artwork: Artwork): Artwork {
  const { key, url } = artwork;
  // A cut URL does not work, and a parameter may be a secret.
  const isShown = url !== undefined && url.length <= LONGEST_URL && withoutSecrets(url) === url;
  if (key.length <= LONGEST_TEXT && (isShown || url === undefined)) return artwork;
  return {
    key: identityOf(key),
    ...(isShown && { url }),
    load: () => artwork.load(),
  };
}
