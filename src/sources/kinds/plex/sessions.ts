import { firstNamed } from "../../../titles/placeholders.ts";
import { nameOfAddress } from "../../../address-name.ts";
import { type Artwork, type Playback, expectedPosition, isSameSong } from "../../../playback.ts";
import {
  fieldsOf,
  identifierOf,
  isRecord,
  numberOf,
  recordOf,
  recordsOf,
  textOf,
  textsOf,
  UnreadableAnswer,
} from "../../../upstream/json.ts";
import { lengthMs } from "../../amounts.ts";
import { originOfTitle } from "../../title-origin.ts";

/** Reads what Plex lists in `/status/sessions` and sends in its notifications. */

export type Session = Readonly<Record<string, unknown>>;

/** What a notification says of one session. */
export interface Tick {
  readonly sessionKey: string;
  readonly ratingKey: string;
  /** Absent where it does not say. */
  readonly state: string | undefined;
  readonly offsetMs: number | undefined;
}

/** The server's owner has this id in the lists of their own server. */
const OWNER_ID = "1";
/** Players report late, and the list repeats their last report. */
const POSITION_LAG_MS = 1_500;

/**
 * The session that is shown: a playing one rather than a paused one, of these the one shown before,
 * else the newest. A player that is listed twice has its latest session last.
 * @param user a user's name; empty for the server's owner and for players that are not signed in
 * @throws {UnreadableAnswer}
 */
export function chooseSession(
  answer: unknown,
  { user, shownKey }: { readonly user: string; readonly shownKey: string | undefined },
): Session | undefined {
  const { MediaContainer: container } = recordOf(answer, "the answer");
  const { Metadata: sessions } = recordOf(container, "MediaContainer");
  const rank = (session: Session) =>
    (isPaused(session) ? 0 : 2) + (keyOf(session) === shownKey ? 1 : 0);
  const mine = recordsOf(sessions).filter(
    (session) => textOf(session["type"]) === "track" && isOf(user, session),
  );
  return mine
    .filter(
      (session) => !mine.some((other) => isSamePlayer(session, other) && isNewer(other, session)),
    )
    .toSorted((a, b) => rank(b) - rank(a) || Number(isNewer(b, a)) - Number(isNewer(a, b)))[0];
}

/**
 * Converts a session.
 * @param before the last playback, and the position that the same session reported then
 * @param hasPosition whether the session's position was reported now
 * @throws {UnreadableAnswer} when it names no track
 */
export function readSession(
  session: Session,
  observedAtMs: number,
  before: { readonly playback: Playback; readonly offsetMs: number } | undefined,
  artworkOf: (thumb: string) => Artwork,
  hasPosition = true,
): Playback {
  const player = playerOf(session);
  const id = ratingKeyOf(session) || identifierOf(session["guid"]);
  const given = textOf(session["title"]);
  const fileName = fileNameOf(session);
  const title = given ?? fileName;
  if (id === "" && title === "") throw new UnreadableAnswer("a session names no track");
  // The artist of the album is also the track's, unless that one has its own.
  const artists = firstNamed(
    textsOf(session["originalTitle"]),
    textsOf(session["grandparentTitle"]),
  );
  const thumb = textOf(session["parentThumb"]) ?? textOf(session["thumb"]);
  const offsetMs = offsetOf(session);
  const playback: Playback = {
    source: "Plex",
    state: isPaused(session) ? "paused" : "playing",
    track: {
      id,
      title,
      durationMs: lengthMs(session["duration"], 1),
      explicit: false,
    },
    artists,
    ...(fileName !== "" && { namesFrom: originOfTitle(given, fileName) }),
    album: {
      name: textOf(session["parentTitle"]) ?? "",
      artworks: thumb === undefined ? [] : [artworkOf(thumb)],
    },
    device: {
      name: textOf(player["title"]) ?? "Plex",
      type: textOf(player["product"]) ?? "plex",
      volumePercent: null,
    },
    positionMs: offsetMs,
    positionLagMs: POSITION_LAG_MS,
    observedAtMs,
    rate: 1,
  };
  const last = isSameSong(before?.playback, playback) ? before?.playback : undefined;
  const expectedMs = expectedPosition(last, playback, observedAtMs);
  // Between two reports of a player, the list has its position of then.
  const isOldNews =
    !hasPosition || (last?.state === playback.state && before?.offsetMs === offsetMs);
  return isOldNews ? { ...playback, positionMs: expectedMs } : playback;
}

/** The name of the file that plays; empty where the session names none. */
function fileNameOf(session: Session): string {
  const [media] = recordsOf(session["Media"]);
  const [part] = recordsOf(media?.["Part"]);
  return nameOfAddress(textOf(part?.["file"]) ?? "");
}

/** A session as a notification has changed it. */
export const withTick = (session: Session, { state, offsetMs }: Tick): Session => ({
  ...session,
  ...(offsetMs !== undefined && { viewOffset: offsetMs }),
  ...(state !== undefined && { Player: { ...playerOf(session), state } }),
});

/** The sessions in a notification, which comes bare or in a `NotificationContainer`. */
export function ticksIn(notification: unknown): Tick[] {
  if (!isRecord(notification)) return [];
  const { NotificationContainer: wrapped } = notification;
  const container = isRecord(wrapped) ? wrapped : notification;
  const { PlaySessionStateNotification: playStates } = container;
  return recordsOf(
    playStates ?? (container["sessionKey"] === undefined ? undefined : container),
  ).map((tick) => ({
    sessionKey: identifierOf(tick["sessionKey"]),
    ratingKey: identifierOf(tick["ratingKey"]),
    state: textOf(tick["state"]),
    offsetMs: numberOf(tick["viewOffset"]),
  }));
}

export const ratingKeyOf = ({ ratingKey: key }: Session): string => identifierOf(key);
export const keyOf = ({ sessionKey: key }: Session): string => identifierOf(key);
export const offsetOf = ({ viewOffset: offset }: Session): number =>
  Math.max(0, numberOf(offset) ?? 0);

const playerOf = ({ Player: player }: Session) => fieldsOf(player);
const isPaused = (session: Session): boolean => playerOf(session)["state"] === "paused";

function isOf(user: string, { User: of }: Session): boolean {
  if (!isRecord(of)) return user === "";
  if (user === "") return identifierOf(of["id"]) === OWNER_ID;
  return textOf(of["title"])?.toLowerCase() === user.toLowerCase();
}

function isSamePlayer(a: Session, b: Session): boolean {
  const machine = textOf(playerOf(a)["machineIdentifier"]);
  return a !== b && machine !== undefined && machine === textOf(playerOf(b)["machineIdentifier"]);
}

const isNewer = (a: Session, b: Session): boolean => Number(keyOf(a)) > Number(keyOf(b));
