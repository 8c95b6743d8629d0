import type { WidgetOptions } from "./options.ts";
import type { WidgetState } from "./state.ts";
import type { WidgetWords } from "./words.ts";

/** Every text of the card, as it stands in the document. */
export interface CardTexts {
  readonly label: string;
  readonly title: string;
  readonly artist: string;
  readonly album: string;
  /** The sentence for a screen reader. */
  readonly announcement: string;
}

/** What the card says in a state; pure, so that server and browser draw the same. */
export function cardTexts(
  state: WidgetState,
  options: WidgetOptions,
  words: WidgetWords,
): CardTexts {
  if (state.kind === "idle" || state.kind === "offline") {
    const title = options.idleText || words.nothingPlaying;
    return { label: "", title, artist: "", album: "", announcement: words.nothingPlaying };
  }
  const { title, artist, album, source } = state.track;
  const status = state.kind === "paused" ? words.paused : words.nowPlaying;
  const label = [options.label && status, options.source && source].filter(Boolean).join(" · ");
  const credit = artist === "" ? title : `${title} ${words.by} ${artist}`;
  return { label, title, artist, album, announcement: `${status}: ${credit}` };
}

/** `m:ss`, from an hour on `h:mm:ss`. */
export function clockText(milliseconds: number): string {
  const total = Math.floor(milliseconds / 1000);
  const seconds = String(total % 60).padStart(2, "0");
  const minutes = Math.floor(total / 60) % 60;
  const hours = Math.floor(total / 3600);
  return hours > 0
    ? `${hours}:${String(minutes).padStart(2, "0")}:${seconds}`
    : `${minutes}:${seconds}`;
}

/** Where in the track it is after `elapsedMs` more, within the track. */
export function positionAfter(state: WidgetState, elapsedMs: number): number {
  if (state.kind !== "playing" && state.kind !== "paused") return 0;
  const positionMs = state.positionMs + (state.kind === "playing" ? elapsedMs : 0);
  return Math.max(0, Math.min(positionMs, state.track.durationMs ?? Number.MAX_SAFE_INTEGER));
}

/** The filled share of the bar, 0 to 1; `null` when the track has no known end. */
export function progressShare(state: WidgetState, positionMs: number): number | null {
  if (state.kind !== "playing" && state.kind !== "paused") return null;
  const { durationMs } = state.track;
  return durationMs ? positionMs / durationMs : null;
}
