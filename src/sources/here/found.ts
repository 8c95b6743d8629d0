import { homedir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../clock.ts";
import { artistNames, type Playback } from "../../playback.ts";
import { type MediaReader, readerHere } from "../kinds/media-session/readers.ts";
import type { Upstream } from "../../upstream/index.ts";

/** How sources look for players on the machine that this server runs on. */

export interface Search {
  readonly clock: Clock;
  /** Ends the search. */
  readonly signal: AbortSignal;
  readonly machine: Machine;
  /** The way to the server at this address. Nobody counts these calls: most find nobody. */
  upstreamTo(url: string): Upstream;
}

/** Where to look. */
export interface Machine {
  /** The address at which to look for a program instead of its usual one. */
  at(usual: string): string;
  /** The address of the session bus. */
  readonly busAddress: string;
  /** The system, as Bun names it. */
  readonly platform: NodeJS.Platform;
  /** Where programs keep their files: the user's folder, and on Windows that for local data. */
  readonly folders: { readonly home: string; readonly localData: string };
  /** How its media sessions are read. */
  readonly mediaReader: () => Promise<MediaReader>;
}

export const THIS_MACHINE: Machine = {
  at: (usual) => usual,
  /** Also for a program that the desktop has not started itself. */
  get busAddress() {
    const usual = `unix:path=/run/user/${process.getuid?.() ?? 0}/bus`;
    return process.env["DBUS_SESSION_BUS_ADDRESS"] || usual;
  },
  get folders() {
    const home = homedir();
    return { home, localData: process.env["LOCALAPPDATA"] || join(home, "AppData/Local") };
  },
  platform: process.platform,
  mediaReader: readerHere,
};

/** A player that is there. */
export interface FoundPlayer {
  /** Its name, if it is another than that of the source. */
  readonly name?: string;
  /** The options with which it is connected. */
  readonly settings: Readonly<Record<string, string>>;
  /** The option that has to be entered besides: the player asks for it. */
  readonly needs?: "password" | "token";
  /** Other options with which the same player is connected. */
  readonly otherSettings?: Readonly<Record<string, string>>;
  /** What plays; `null` for nothing, absent where it does not say so without a secret. */
  readonly track?: FoundTrack | null;
}

export interface FoundTrack {
  readonly title: string;
  readonly artist: string;
  /** Absent where one request does not give it. */
  readonly state?: Playback["state"];
}

export const trackOf = (playback: Playback | null): FoundTrack | null =>
  playback && {
    title: playback.track.title,
    artist: artistNames(playback),
    state: playback.state,
  };
