import type { Artwork, NamesFrom } from "../playback.ts";

/** What a program says of a track. Texts have no spaces around them. What it does not say is absent. */
export interface PushedTrack {
  readonly state: "playing" | "paused";
  /** Not empty. */
  readonly title: string;
  readonly artists: readonly string[];
  readonly album?: string | undefined;
  /** The program's own name for the track. */
  readonly id?: string | undefined;
  readonly durationMs?: number | null;
  readonly positionMs?: number | null;
  /** 0 to 100. */
  readonly volumePercent?: number | null;
  /** Where it plays, such as a website. */
  readonly device?: string | undefined;
  /** The address of a picture, or a data URI, as sent. */
  readonly cover?: string | undefined;
  /** A picture that came by itself, and is shown rather than that one. */
  readonly picture?: Artwork | undefined;
  /** Where its names come from, if its source knows that. */
  readonly namesFrom?: NamesFrom;
}

/** Which of its players a program speaks of, such as a tab; absent where it does not say. */
interface OfPlayer {
  readonly player?: string | undefined;
}

/** What one message of a program means. */
export type Message =
  /** `ttlMs` is how long the program itself wants it to count. */
  | (OfPlayer & { readonly kind: "track"; readonly track: PushedTrack; readonly ttlMs?: number })
  /** Nothing plays any more. */
  | (OfPlayer & { readonly kind: "nothing" })
  /** Understood, but it says nothing about what plays now. */
  | { readonly kind: "ignored" }
  /** The reason is a sentence that names what is wrong. It repeats no value, so no secret. */
  | { readonly kind: "refused"; readonly reason: string };

export const NOTHING = { kind: "nothing" } satisfies Message;
export const IGNORED: Message = { kind: "ignored" };
export const refused = (reason: string): Message => ({ kind: "refused", reason });
