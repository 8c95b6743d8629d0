/** What the overlay shows, as the server sends it. Shared by server and browser. */
export type WidgetState =
  | {
      readonly kind: "playing" | "paused";
      readonly track: WidgetTrack;
      readonly positionMs: number;
    }
  /** Nothing is playing. */
  | { readonly kind: "idle" }
  /** The music source has failed for a while. */
  | { readonly kind: "offline" };

export interface WidgetTrack {
  /** Changes exactly when another track plays. */
  readonly id: string;
  readonly title: string;
  readonly artist: string;
  readonly album: string;
  /** Path of the cover on this server, or `null`. */
  readonly art: string | null;
  /** A lively colour of the cover, such as `#e07a5f`, or `null`. */
  readonly accent: string | null;
  /** Milliseconds, or `null` for a stream without an end. */
  readonly durationMs: number | null;
  /** Where the music is heard, such as `MPD`. */
  readonly source: string;
}

/** One message on the socket. Positions are right at `sentAtMs`, the server's Unix time. */
export type WidgetMessage =
  | {
      readonly type: "state";
      readonly sentAtMs: number;
      /** The server's version: a page drawn by another one reloads when nobody sees it. */
      readonly version: string;
      readonly state: WidgetState;
    }
  | { readonly type: "beat"; readonly sentAtMs: number };

/** How often the server sends a beat, so that the page notices a connection that died in silence. */
export const BEAT_MS = 15_000;

/** Close code of a socket whose token was replaced: the page goes dark and stays so. */
export const CLOSED_TOKEN_REPLACED = 4404;
/** Close code of a server that stops: the page comes back after it. */
export const CLOSED_RESTARTING = 1012;
