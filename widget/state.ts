import type { WidgetOptions } from "./options.ts";
import type { WidgetWords } from "./words.ts";

/** What the overlay shows, as the server sends it. Shared by server and browser. */
export type WidgetState =
  | {
      readonly kind: "playing" | "paused";
      readonly track: WidgetTrack;
      /** `null` when it is not known: neither the clock nor the bar is shown. */
      readonly positionMs: number | null;
      /** Milliseconds of track per millisecond while it plays; absent for 1. */
      readonly rate?: number;
    }
  /** Nothing is playing. */
  | {
      readonly kind: "idle";
      /** The user has begun to hide what was shown: it disappears at once, whatever the delays. */
      readonly isWithdrawn?: true;
    }
  /** The music source has failed for a while. */
  | { readonly kind: "offline" };

export interface WidgetTrack {
  /** The same for the same play of a song, and made by the server: pages compare nothing else. */
  readonly id: string;
  readonly title: string;
  readonly artist: string;
  readonly album: string;
  /** Path of the cover on this server, or `null`. */
  readonly art: string | null;
  /** A vivid colour of the cover, such as `#e07a5f`, or `null`. */
  readonly accent: string | null;
  /** Milliseconds, or `null` for a stream without an end. */
  readonly durationMs: number | null;
  /** The name of the service that viewers know, such as `Spotify`; empty where they know none. */
  readonly source: string;
}

/** The current state, sent on connecting and on each change. */
export interface StateMessage {
  readonly type: "state";
  /** The server's Unix time, at which the state's position is valid. */
  readonly sentAtMs: number;
  /** The server's version: a page drawn by another version reloads while it is not visible. */
  readonly version: string;
  readonly state: WidgetState;
}

/** What an open page needs to look different. */
interface ShownLook {
  readonly options: WidgetOptions;
  /** The stylesheet of the options. */
  readonly styles: string;
  /** The widget's own CSS. */
  readonly css: string;
  readonly words: WidgetWords;
  readonly languageTag: string;
}

/** The widget was changed: the page takes this look without loading again. */
export interface LookMessage extends ShownLook {
  readonly type: "look";
  readonly revision: number;
  /** Differs whenever the look does; the page connects with the one that it shows. */
  readonly fingerprint: string;
}

/** What an editor sends to the page in its frame: a look that is not saved. */
export interface PreviewMessage extends ShownLook {
  readonly type: "preview";
}

/** Whether the page is to say when OBS starts and stops streaming. */
export interface StreamingMessage {
  readonly type: "streaming";
  readonly wanted: boolean;
}

/** Somebody has asked to see the overlay for so many milliseconds, or to hide it: 0. */
export interface DemandMessage {
  readonly type: "demand";
  readonly forMs: number;
}

/** All that a page ever says, and only when it was asked. */
export const STREAM_STARTED = '{"type":"streaming","state":"started"}';
export const STREAM_STOPPED = '{"type":"streaming","state":"stopped"}';

/** One message on the socket. */
export type WidgetMessage =
  | StateMessage
  | LookMessage
  | StreamingMessage
  | DemandMessage
  | { readonly type: "beat"; readonly sentAtMs: number };

/** How often the server sends a beat, so that the page notices a silently lost connection. */
export const BEAT_MS = 15_000;

/** Close code of a socket whose token was replaced: the page hides the card permanently. */
export const CLOSED_TOKEN_REPLACED = 4404;
/** Close code of a server that stops: the page reconnects later. */
export const CLOSED_RESTARTING = 1012;
