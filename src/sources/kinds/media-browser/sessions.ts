import { nameOfAddress } from "../../../address-name.ts";
import { type Artwork, type Playback, expectedPosition, isSameSong } from "../../../playback.ts";
import {
  fieldsOf,
  flagOf,
  identifierOf,
  numberOf,
  recordsOf,
  textOf,
  textsOf,
  UnreadableAnswer,
} from "../../../upstream/json.ts";
import { firstNamed } from "../../../titles/placeholders.ts";
import { originOfTitle } from "../../title-origin.ts";
import { lengthMs, percentOf } from "../../amounts.ts";

/** Reads the sessions that Jellyfin and Emby list: one for each app that somebody uses. */

export type Session = Readonly<Record<string, unknown>>;

const TICKS_IN_MS = 10_000;
/** Players report every ten seconds. One that has not for this long is gone. */
const PLAYING_GHOST_MS = 2 * 60_000;
const PAUSED_GHOST_MS = 30 * 60_000;
/** The server counts on in steps of a second between two reports of a player. */
const POSITION_LAG_MS = 1_500;

/**
 * The session of a user that is shown: a playing one rather than a paused one, of these the one
 * shown before, else the one that reported last.
 * @param serverWallMs the server's time, which is compared with what it says of its sessions
 * @throws {UnreadableAnswer}
 */
export function chooseSession(
  sessions: unknown,
  {
    user,
    serverWallMs,
    shownId,
  }: { user: string; serverWallMs: number; shownId: string | undefined },
): Session | undefined {
  if (!Array.isArray(sessions)) throw new UnreadableAnswer("the sessions are not a list");
  const rank = (session: Session) =>
    (isPaused(session) ? 0 : 2) + (textOf(session["Id"]) === shownId ? 1 : 0);
  return recordsOf(sessions)
    .filter(
      (session) =>
        textOf(session["UserName"])?.toLowerCase() === user.toLowerCase() &&
        playsMusic(session) &&
        !isGhost(session, serverWallMs),
    )
    .toSorted((a, b) => rank(b) - rank(a) || checkedInMs(b) - checkedInMs(a))[0];
}

/**
 * Converts a session that plays music.
 * @param before the last playback, and the position that the same session reported then
 */
export function readSession(
  session: Session,
  name: string,
  observedAtMs: number,
  before: { readonly playback: Playback; readonly ticks: number | undefined } | undefined,
  artworkOf: (itemId: string, tag: string) => Artwork,
): Playback {
  const item = itemOf(session);
  const state = stateOf(session);
  const id = identifierOf(item["Id"]);
  const artists = firstNamed(textsOf(item["Artists"]), textsOf(item["AlbumArtist"]));
  const ticks = ticksOf(session);
  const playback: Playback = {
    source: name,
    state: isPaused(session) ? "paused" : "playing",
    track: {
      id,
      title: titleOf(item),
      durationMs: lengthMs(item["RunTimeTicks"], 1 / TICKS_IN_MS),
      explicit: false,
    },
    artists,
    ...namesFromOf(item),
    album: { name: textOf(item["Album"]) ?? "", artworks: artworksOf(item, artworkOf) },
    device: {
      name: textOf(session["DeviceName"]) ?? name,
      type: textOf(session["Client"]) ?? name,
      volumePercent: percentOf(state["VolumeLevel"], 100),
    },
    positionMs: Math.max(0, Math.round((ticks ?? 0) / TICKS_IN_MS)),
    positionLagMs: POSITION_LAG_MS,
    observedAtMs,
    rate: 1,
  };
  const last = isSameSong(before?.playback, playback) ? before?.playback : undefined;
  const expectedMs = expectedPosition(last, playback, observedAtMs);
  // A session is also listed again between two reports of its player, with the position of then. Right
  // after a change it has none.
  const isOldNews = ticks === before?.ticks && last?.state === playback.state;
  return isOldNews || ticks === undefined ? { ...playback, positionMs: expectedMs } : playback;
}

/** The position that a session reports. */
export const ticksOf = (session: Session): number | undefined =>
  numberOf(stateOf(session)["PositionTicks"]);

const itemOf = ({ NowPlayingItem: item }: Session) => fieldsOf(item);
const stateOf = ({ PlayState: state }: Session) => fieldsOf(state);
const isPaused = (session: Session): boolean => flagOf(stateOf(session)["IsPaused"]) === true;

/** What is listened to; a radio station is a channel of television without a picture. */
const MUSIC: ReadonlySet<string> = new Set(["Audio", "AudioBook", "MusicVideo"]);

function playsMusic(session: Session): boolean {
  const item = itemOf(session);
  const type = textOf(item["Type"]) ?? "";
  const isHeard = item["MediaType"] === "Audio" || item["ChannelType"] === "Radio";
  const isRadio = type === "TvChannel" && isHeard;
  const isNamed = titleOf(item) !== "";
  return isNamed && textOf(item["ExtraType"]) !== "ThemeSong" && (MUSIC.has(type) || isRadio);
}

/** An item without tags has its file's name; empty without both. */
const titleOf = ({ Name: title, Path: path }: Session): string =>
  textOf(title) ?? nameOfAddress(textOf(path) ?? "");

/** A channel of a radio station has a name, and no artist in it. */
function namesFromOf({
  Name: title,
  Path: path,
  Type: type,
}: Session): Pick<Playback, "namesFrom"> {
  if (textOf(type) === "TvChannel") return { namesFrom: { origin: "tag" } };
  const file = textOf(path);
  return file === undefined ? {} : { namesFrom: originOfTitle(textOf(title), nameOfAddress(file)) };
}

/** When the player last reported, by the server's clock; `NaN` if it does not say. */
const checkInOf = ({ LastPlaybackCheckIn: time }: Session): number =>
  Date.parse(textOf(time) ?? "");
const checkedInMs = (session: Session): number => checkInOf(session) || 0;

/** A player that was switched off while it played stays in the list for minutes. */
function isGhost(session: Session, serverWallMs: number): boolean {
  const checkedIn = checkInOf(session);
  // The year 1 stands for never.
  if (!(checkedIn > 0)) return false;
  return serverWallMs - checkedIn > (isPaused(session) ? PAUSED_GHOST_MS : PLAYING_GHOST_MS);
}

function artworksOf(item: Session, artworkOf: (itemId: string, tag: string) => Artwork): Artwork[] {
  const album = [identifierOf(item["AlbumId"]), textOf(item["AlbumPrimaryImageTag"])] as const;
  const own = [identifierOf(item["Id"]), textOf(fieldsOf(item["ImageTags"])["Primary"])] as const;
  return [album, own]
    .flatMap(([id, tag]) => (id !== "" && tag !== undefined ? [artworkOf(id, tag)] : []))
    .slice(0, 1);
}
