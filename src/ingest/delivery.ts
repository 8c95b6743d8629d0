import { createBoundedMap } from "../bounded-map.ts";
import { boundPlayback } from "../channels/bounds.ts";
import { digestOf } from "../digest.ts";
import {
  type Artwork,
  begun,
  countedOn,
  FIRST_SIGHT,
  isSameSong,
  type Playback,
  positionAt,
} from "../playback.ts";
import { hasSpotifyAdNames, isSpotifyAdId } from "../sources/advertisements.ts";
import type { PushedTo } from "../sources/pushed.ts";
import { WHOLE_SECONDS_LAG_MS } from "../sources/amounts.ts";
import { isVideoPage } from "../sources/title-origin.ts";
import type { PushedCovers } from "./covers.ts";
import type { Lifetime } from "./expiry.ts";
import type { Inbox, InboxReport } from "./inbox.ts";
import { type Message, NOTHING, type PushedTrack } from "./message.ts";
import type { Parts } from "../http/parts.ts";

/** Puts what programs report into the inbox. */
export type Delivery = ReturnType<typeof createDelivery>;

/** The connection that a message is for. */
export interface Addressee {
  readonly connectionId: number;
  readonly source: PushedTo;
}

export interface DeliveryDeps extends Pick<Parts, "clock"> {
  readonly inbox: Inbox;
  readonly covers: Pick<PushedCovers, "named">;
}

/** When programs of each source report. */
const LIFETIMES: Readonly<Record<PushedTo["id"], Lifetime>> = {
  listenbrainz: { kind: "untilItsEnd" },
  audioscrobbler: { kind: "untilItsEnd" },
  webscrobbler: { kind: "untilItsEnd" },
  tuna: { kind: "whileRepeated" },
  webnowplaying: { kind: "whileConnected" },
  json: { kind: "untilItsEnd" },
  broadcast: { kind: "whileConnected" },
};

/** A program that repeats its report does so at least this often, also in a tab that is not seen. */
const REPEATED_MS = 2_500;
/** A player that has said nothing for so long, and plays, has begun to. */
const SILENT_MS = 60_000;
/** Limits the memory; the player that was silent longest is forgotten first. */
const MOST_PLAYERS = 10_000;

type SaidOfPlayer = Extract<Message, { readonly kind: "track" | "nothing" }>;

export function createDelivery({ clock, inbox, covers }: DeliveryDeps) {
  const put = (connectionId: number, report: InboxReport | null): void => {
    inbox.put(connectionId, report);
    inbox.noteReceived(connectionId);
  };

  /** When each player last said that it plays. */
  const playing = createBoundedMap<string, number>(MOST_PLAYERS);

  /** Notes whether a player plays. When it last said so; `undefined` where it has paused since. */
  const playedBefore = (
    connectionId: number,
    message: SaidOfPlayer,
    player: string,
  ): number | undefined => {
    const key = `${connectionId} ${player}`;
    const saidAtMs = playing.take(key);
    const plays = message.kind === "track" && message.track.state === "playing";
    if (plays) playing.set(key, clock.monotonicMs());
    return saidAtMs;
  };

  /**
   * Whether a message is of another player than the one that is shown, and changes nothing: it ends, or pauses
   * beside one that plays, or both repeat that they play, or that they pause. One that begins to play is shown.
   */
  const isBeside = (
    { connectionId, source }: Addressee,
    message: SaidOfPlayer,
    player: string,
  ): boolean => {
    const saidAtMs = playedBefore(connectionId, message, player);
    const shown = inbox.report(connectionId);
    if (shown?.player === undefined || shown.player === player) return false;
    if (message.kind === "nothing") return true;
    const isShownPlaying = shown.playback.state === "playing";
    const nowMs = clock.monotonicMs();
    const repeats = LIFETIMES[source.id].kind === "whileRepeated";
    const played = saidAtMs !== undefined && (!repeats || nowMs - saidAtMs <= SILENT_MS);
    // Beside one that pauses, a pause is shown of one that played until now.
    if (message.track.state === "paused") return isShownPlaying || !played;
    if (!isShownPlaying) return false;
    return repeats && played && nowMs - shown.receivedAtMs < REPEATED_MS;
  };

  const takeOfPlayer = ({ connectionId, source }: Addressee, message: SaidOfPlayer): void => {
    // What a program calls a player may be long.
    const player = message.player === undefined ? undefined : digestOf([message.player]);
    if (player !== undefined && isBeside({ connectionId, source }, message, player)) {
      return inbox.noteReceived(connectionId);
    }
    if (message.kind === "nothing") return put(connectionId, null);
    const { track, ttlMs } = message;
    const origin = originOf({ connectionId, source });
    const named = (cover: string) =>
      covers.named(cover, { origin, of: digestOf(coverSubject(track)) });
    const artwork = track.picture ?? (track.cover === undefined ? undefined : named(track.cover));
    const lifetime: Lifetime =
      ttlMs === undefined ? LIFETIMES[source.id] : { kind: "exactly", ms: ttlMs };
    const given = toPlayback(track, artwork, source, clock.monotonicMs());
    // Bounded before it is stored.
    const playback = boundPlayback(goneOn(inbox.current(connectionId), given));
    return put(connectionId, playback && { playback, lifetime, player });
  };

  return {
    /** Takes a message to a connection. A refused one changes nothing but is noted. */
    take(to: Addressee, message: Message) {
      if (message.kind === "refused") return inbox.noteRefused(to.connectionId, message.reason);
      if (message.kind === "ignored") return inbox.noteReceived(to.connectionId);
      const isOver = message.kind === "track" && isAdvertisement(message.track);
      return takeOfPlayer(to, isOver ? { ...NOTHING, player: message.player } : message);
    },
  };
}

/** The connection as one that names covers. */
export const originOf = ({ connectionId, source }: Addressee): string =>
  `${source.id} ${connectionId}`;

/** Some programs have the cover of each album, or of each song without one, at the same address. */
const coverSubject = ({ album = "", title, artists }: PushedTrack): readonly string[] =>
  album === "" ? [title, ...artists] : [album];

function isAdvertisement({ id, device = "", title, artists }: PushedTrack): boolean {
  return isSpotifyAdId(id) || hasSpotifyAdNames({ player: device, title, artists });
}

function toPlayback(
  track: PushedTrack,
  artwork: Artwork | undefined,
  source: PushedTo,
  nowMs: number,
): Playback {
  const { positionMs, durationMs = null, album = "" } = track;
  // The same texts are the same track.
  const id = track.id ?? digestOf([track.title, ...track.artists, album]);
  return {
    source: source.name,
    state: track.state,
    track: { id, title: track.title, durationMs, explicit: false },
    artists: track.artists,
    ...(NAME_CHANNELS.has(source.id) &&
      isVideoPage(track.device) && { namesFrom: { origin: "page" } }),
    ...(track.namesFrom && { namesFrom: track.namesFrom }),
    album: { name: album, artworks: artwork ? [artwork] : [] },
    device: {
      name: track.device ?? source.name,
      type: source.id,
      volumePercent: track.volumePercent ?? null,
    },
    ...(typeof positionMs === "number"
      ? {
          positionMs: Math.min(positionMs, durationMs ?? Infinity),
          positionLagMs: WHOLE_SECONDS_LAG_MS,
        }
      : FIRST_SIGHT),
    observedAtMs: nowMs,
    rate: 1,
  };
}

/**
 * A track without a position goes on where it was; after its end it has begun again. A pause that is said
 * again has lasted since it was first said.
 */
function goneOn(previous: Playback | null, next: Playback): Playback {
  const bounded = boundPlayback(next);
  if (!previous || !bounded || !isSameSong(previous, bounded)) return next;
  const placed = next.positionUnknown ? placedAfter(previous, next) : next;
  const isSamePause =
    previous.state === "paused" &&
    placed.state === "paused" &&
    placed.positionMs === previous.positionMs;
  return isSamePause ? { ...placed, observedAtMs: previous.observedAtMs } : placed;
}

function placedAfter(previous: Playback, next: Playback): Playback {
  const { durationMs } = previous.track;
  const hasEnded = positionAt(previous, next.observedAtMs) >= (durationMs ?? Infinity);
  return hasEnded ? begun(next) : countedOn(previous, next);
}

/** Programs that name a page's channel as its artist; the others know the artist. */
const NAME_CHANNELS: ReadonlySet<string> = new Set(["tuna", "webnowplaying"]);
