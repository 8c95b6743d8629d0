/**
 * What Spotify's players report of advertisements, whoever passes it on: the Web API, D-Bus, the media
 * sessions of a system, Home Assistant, a browser.
 */

/** Such as `spotify:ad:0000…`, over D-Bus also `/com/spotify/ad/0000…`, or the page of one. */
const AD_ID = /^(?:spotify:|\/com\/spotify\/|https:\/\/open\.spotify\.com\/)ad[:/]/;

export const isSpotifyAdId = (id: string | undefined): boolean =>
  id !== undefined && AD_ID.test(id);

/** What the app shows in place of a title, in its language. */
const AD_TITLES: ReadonlySet<string> = new Set([
  "advertisement",
  "spotify",
  "werbung",
  "anzeige",
  "publicité",
  "annonce",
  "anuncio",
  "publicidad",
  "anúncio",
  "publicidade",
]);

export interface NamedByPlayer {
  /** The program or page that plays, as the system or the browser names it. */
  readonly player: string;
  readonly title: string;
  readonly artists: readonly string[];
}

/**
 * Whether names alone can only be those of an advertisement: in Spotify's player, and without an artist,
 * whom each of its tracks and episodes has. A song with such a title by somebody is none.
 */
export function hasSpotifyAdNames({ player, title, artists }: NamedByPlayer): boolean {
  const isByNobody = artists.every((artist) => artist === "" || isAdWord(artist));
  return /\bspotify/i.test(player) && isByNobody && isAdWord(title);
}

const isAdWord = (text: string): boolean => AD_TITLES.has(text.trim().toLowerCase());
