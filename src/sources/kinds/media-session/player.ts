import { type Artwork, countOn, FIRST_SIGHT, type Playback } from "../../../playback.ts";
import { digestOf } from "../../../digest.ts";
import { hasSpotifyAdNames } from "../../advertisements.ts";
import { firstNamed } from "../../../titles/placeholders.ts";
import { positionSince, rateOf } from "../../amounts.ts";
import type { MediaSession } from "./reader-lines.ts";

/** What a session is read with. */
export interface SessionContext {
  /** The source's display name, and its id. */
  readonly source: { readonly id: string; readonly name: string };
  /** Monotonic time at which the session was reported, in milliseconds. */
  readonly observedAtMs: number;
  /** The last playback of the same program. */
  readonly before: Playback | null;
  readonly cover: Artwork | null;
}

/**
 * Converts a session; `null` when it plays nothing, an advertisement, or what has no title.
 * @param session the position is a stamp: it was right `ageMs` before the report
 */
export function readSession(session: MediaSession, context: SessionContext): Playback | null {
  const { app, state, title, artist, albumArtist, album, durationMs } = session;
  const { source, observedAtMs, before, cover } = context;
  if (state === "other" || title === "") return null;
  const artists = firstNamed([artist], [albumArtist]);
  if (hasSpotifyAdNames({ player: nameOf(session), title, artists })) return null;
  const id = digestOf([app, title, artist, album, String(session.trackNumber)]);
  // A pause does not move on, however old its stamp is.
  const ageMs = state === "playing" ? session.ageMs : 0;
  const length = durationMs || null;
  const isKnown =
    session.positionMs !== null && positionSince(session.positionMs, ageMs, length) !== null;
  const playback: Playback = {
    source: source.name,
    state,
    track: { id, title, durationMs: length, explicit: false },
    artists,
    album: { name: album, artworks: cover ? [cover] : [] },
    device: { name: nameOf(session), type: source.id, volumePercent: null },
    ...(isKnown
      ? { positionMs: Math.round(session.positionMs), observedAtMs: observedAtMs - ageMs }
      : { ...FIRST_SIGHT, observedAtMs }),
    rate: rateOf(session.rate),
  };
  return isKnown ? playback : countOn(before, playback);
}

/** Programs whose system's name says nothing to people, by a part of it. */
const KNOWN_NAMES: readonly (readonly [part: string, name: string])[] = [
  ["spotify", "Spotify"],
  ["applemusic", "Apple Music"],
  ["com.apple.music", "Music"],
  ["zunemusic", "Media Player"],
  ["308046b0af4a39cb", "Firefox"],
  ["msedgewebview2", "An app (WebView2)"],
  ["msedge", "Microsoft Edge"],
  ["chromium", "Chromium"],
  ["chrome", "Google Chrome"],
  ["firefox", "Firefox"],
  ["brave", "Brave"],
  ["vivaldi", "Vivaldi"],
  ["opera", "Opera"],
  ["safari", "Safari"],
  ["tidal", "TIDAL"],
  ["deezer", "Deezer"],
];

/** A program's name for people, such as `Spotify` for `SpotifyAB.SpotifyMusic_zpdnekdrzrea0!Spotify`. */
export function nameOf({ app, name }: Pick<MediaSession, "app" | "name">): string {
  if (name !== "") return name;
  const lower = app.toLowerCase();
  const known = KNOWN_NAMES.find(([part]) => lower.includes(part));
  if (known) return known[1];
  return (app.split("!").at(-1) ?? app).replace(/\.exe$/i, "") || app;
}

const BROWSERS = [
  "msedge",
  "chrome",
  "chromium",
  "firefox",
  "308046b0af4a39cb",
  "brave",
  "vivaldi",
  "opera",
  "com.apple.safari",
  "org.mozilla",
  "company.thebrowser",
] as const;
/** Not browsers, although their names begin like one: an app installed from a page, an app's window. */
const NO_BROWSERS = ["_crx_", "webview2"] as const;

/** Whether a session may be any page that somebody visits. */
export function isBrowser({ app }: Pick<MediaSession, "app">): boolean {
  const lower = app.toLowerCase();
  return (
    BROWSERS.some((part) => lower.includes(part)) &&
    !NO_BROWSERS.some((part) => lower.includes(part))
  );
}

/** Whether a session belongs to the player with this name, or a part of it; empty for none in particular. */
function isNamed(session: Pick<MediaSession, "app" | "name">, player: string): boolean {
  const wanted = player.toLowerCase();
  return [session.app, nameOf(session)].some((name) => name.toLowerCase().includes(wanted));
}

/**
 * Whether a connection follows a session. Without a player's name it follows music, but no browser,
 * which plays whatever somebody watches.
 */
export function isFollowed(session: MediaSession, player: string): boolean {
  if (player !== "") return isNamed(session, player);
  return !isBrowser(session) && session.media !== "video" && session.media !== "image";
}
