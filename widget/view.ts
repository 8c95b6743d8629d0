import type { WidgetOptions } from "./options.ts";
import type { WidgetState, WidgetTrack } from "./state.ts";
import { modeOf } from "./styles.ts";
import type { WidgetWords } from "./words.ts";

/** The state's track, if it has one. */
export function trackOf(state: WidgetState | undefined): WidgetTrack | undefined {
  return state && "track" in state ? state.track : undefined;
}

/**
 * The card's texts in a state, and the announcement for a screen reader; a pure function, so that server
 * and browser draw the same.
 */
export function cardTexts(state: WidgetState, options: WidgetOptions, words: WidgetWords) {
  const track = trackOf(state);
  if (!track) {
    const title = options.idleText || words.nothingPlaying;
    return { label: "", title, artist: "", album: "", announcement: words.nothingPlaying };
  }
  const { artist, source } = track;
  const status = state.kind === "paused" ? words.paused : words.nowPlaying;
  const label = [options.label && status, options.source && source].filter(Boolean).join(" · ");
  const album = options.album ? track.album : "";
  const credit = artist === "" ? track.title : `${track.title} ${words.by} ${artist}`;
  const announcement = `${status}: ${credit}`;
  if (options.theme !== "compact")
    return { label, title: track.title, artist, album, announcement };
  const line = [artist, track.title].filter(Boolean).join(" – ");
  return { label, title: line, artist: "", album, announcement };
}

/** Whether what was shown before may not be seen any more. */
export const isWithdrawn = (state: WidgetState): boolean =>
  state.kind === "idle" && state.isWithdrawn === true;

/** Whether the options hide the card in this state. */
export function hidesCard(state: WidgetState, options: WidgetOptions): boolean {
  return (
    (state.kind === "idle" && options.idle === "hide") ||
    (state.kind === "paused" && options.paused === "hide")
  );
}

/** Whether a page begins with a hidden card. */
export const isHiddenAtFirst = (state: WidgetState, options: WidgetOptions): boolean =>
  hidesCard(state, options) || options.shown === "asked";

/** Themes with a large cover, which get the larger picture. */
const LARGE_COVERS: readonly WidgetOptions["theme"][] = ["art", "vinyl"];

/** With `shown=changes` a change is shown for so many seconds, unless `show` says another time. */
const CHANGES_SHOW_S = 15;

/**
 * For how long the card is shown in a state, from its beginning, in milliseconds, if nobody asks for
 * it on demand.
 */
export function shownForMs(state: WidgetState, options: WidgetOptions): number {
  if (hidesCard(state, options)) return isWithdrawn(state) ? 0 : options.hideDelay;
  if (options.shown === "asked") return 0;
  const seconds = options.show || (options.shown === "changes" ? CHANGES_SHOW_S : 0);
  return seconds > 0 && trackOf(state) ? seconds * 1000 : Infinity;
}

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT =
  /[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Adlam}]/u;

/** A text has the direction of its first letter. A whole card of an overlay has that of its title. */
export function directionOf(text: string): "ltr" | "rtl" {
  const [letter = ""] = /\p{L}/u.exec(text) ?? [];
  return RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr";
}

/**
 * What the card lacks although the options want it, as flags of the page. Its place stays, so that the
 * card keeps its size.
 */
export function cardFlags(state: WidgetState | undefined, options: WidgetOptions) {
  const track = trackOf(state);
  const positionMs = state ? positionAfter(state, 0) : null;
  const isMeasured =
    (options.time && positionMs !== null) ||
    (options.progress && state !== undefined && progressShare(state, positionMs) !== null);
  return {
    /** A drawn stand-in is shown instead of a cover. */
    face: options.art && coverPath(track, options) === null,
    "no-artist": !track?.artist,
    "no-bar": (options.time || options.progress) && !isMeasured,
  };
}

/** The path of the picture to show, or `null`. */
export function coverPath(track: WidgetTrack | undefined, options: WidgetOptions): string | null {
  if (!track?.art || !options.art) return null;
  return LARGE_COVERS.includes(options.theme) ? track.art.replace("/256.", "/512.") : track.art;
}

/** `m:ss`, or `h:mm:ss` from one hour on. */
export function clockText(milliseconds: number): string {
  const total = Math.floor(milliseconds / 1000);
  const seconds = String(total % 60).padStart(2, "0");
  const minutes = Math.floor(total / 60) % 60;
  const hours = Math.floor(total / 3600);
  return hours > 0
    ? `${hours}:${String(minutes).padStart(2, "0")}:${seconds}`
    : `${minutes}:${seconds}`;
}

/** The position `elapsedMs` later, never past the end of the track; `null` when it is not known. */
export function positionAfter(state: WidgetState, elapsedMs: number): number | null {
  if (state.kind !== "playing" && state.kind !== "paused") return null;
  if (state.positionMs === null) return null;
  const passedMs = state.kind === "playing" ? elapsedMs * (state.rate ?? 1) : 0;
  const positionMs = state.positionMs + passedMs;
  return Math.max(0, Math.min(positionMs, state.track.durationMs ?? Infinity));
}

/** The filled share of the bar, 0 to 1; `null` when the position or the end is not known. */
export function progressShare(state: WidgetState, positionMs: number | null): number | null {
  const durationMs = trackOf(state)?.durationMs;
  return durationMs && positionMs !== null ? positionMs / durationMs : null;
}

/** Attributes of the page that the stylesheet reads; `true` stands for one without a value. */
export function pageAttributes(options: WidgetOptions) {
  return {
    "data-np-theme": options.theme,
    "data-np-mode": modeOf(options),
    "data-np-position": options.position,
    "data-np-enter": options.enter,
    "data-np-exit": options.exit,
    "data-np-paused": options.paused,
    "data-np-motion": options.motion,
    "data-np-swap": options.swap,
    "data-np-has-art": options.art,
    "data-np-album": options.album,
    "data-np-lively": options.motion === "full",
    "data-np-label": options.label || options.source,
    "data-np-progress": options.progress,
    "data-np-time": options.time,
  } as const;
}
