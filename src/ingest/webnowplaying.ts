import { lengthMs, percentOf, timeMs } from "../sources/amounts.ts";
import { numberOf } from "../upstream/json.ts";
import type { PushedTrack } from "./message.ts";
import type { PictureId } from "./webnowplaying-pictures.ts";

/**
 * The protocol of WebNowPlaying, revision 3: https://wnp.keifufu.dev. A browser reports each of its
 * players; times are whole seconds, sent when they change.
 */

/** What we say first. Since version 3 the extension speaks the revision that this names. */
export const GREETING = "ADAPTER_VERSION 1.0.0;WNPLIB_REVISION 3";

/** A player in a browser, such as a tab. */
export interface Player {
  readonly name: string;
  readonly title: string;
  readonly artist: string;
  readonly album: string;
  /** The address of its cover, or empty. */
  readonly cover: string;
  /** The picture that was sent for this track. */
  readonly picture: PictureId | undefined;
  readonly state: "playing" | "paused" | "stopped";
  /** The position as the browser last reported it. */
  readonly reportedMs: number;
  /** The position at a monotonic time. */
  readonly positionMs: number;
  readonly positionAtMs: number;
  readonly durationMs: number | null;
  readonly volumePercent: number | null;
  /** When it was last used, in the browser's time; the newest counts. */
  readonly activeAt: number;
}

/** What one browser has sent: its players by id, and a picture whose track is still to come. */
export interface Browser {
  readonly players: ReadonlyMap<string, Player>;
  readonly waiting: { readonly playerId: number; readonly picture: PictureId } | undefined;
}

export const NEW_BROWSER: Browser = { players: new Map(), waiting: undefined };

const LONGEST_TEXT_BYTES = 64 * 1024;
const LARGEST_PICTURE_BYTES = 2 * 1024 * 1024;
/** No browser plays more; the one that was reported first is forgotten. */
const MOST_PLAYERS = 16;

/**
 * The state after a text frame at a monotonic time in milliseconds; `undefined` when the frame is
 * not understood, so that it changes nothing.
 */
export function afterText(browser: Browser, frame: string, nowMs: number): Browser | undefined {
  if (Buffer.byteLength(frame) > LONGEST_TEXT_BYTES) return undefined;
  const [, kind, rest = ""] = /^(\d) ?(.*)$/s.exec(frame) ?? [];
  if (kind === "0" || kind === "1") {
    const [, id, listed] = /^(\d{1,20}) (.*)$/s.exec(rest) ?? [];
    const fields = listed === undefined ? undefined : splitFields(listed);
    if (id === undefined || fields === undefined) return undefined;
    return withPlayer(browser, id, namedFields(fields), nowMs);
  }
  if (kind === "2") return withoutPlayer(browser, rest.trim());
  // Whether the browser reads its players from the operating system.
  return kind === "4" ? browser : undefined;
}

/** Reads a binary frame: 32 bits of a player's id and a PNG file, sent before the player's text. */
export function readPicture(
  frame: Uint8Array,
): { readonly playerId: number; readonly png: Uint8Array } | undefined {
  const png = frame.subarray(4);
  const isPng = PNG_SIGNATURE.every((byte, index) => png[index] === byte);
  if (!isPng || png.length > LARGEST_PICTURE_BYTES) return undefined;
  const playerId = new DataView(frame.buffer, frame.byteOffset).getUint32(0, true);
  return { playerId, png };
}

/** The state after a picture for the next text of a player. */
export const afterPicture = (browser: Browser, playerId: number, picture: PictureId): Browser => ({
  ...browser,
  waiting: { playerId, picture },
});

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** The player whose music is shown: a playing one before others, then the last one used. */
export function shownOf(browsers: Iterable<Browser>): Player | undefined {
  let best: Player | undefined;
  for (const { players } of browsers) {
    for (const player of players.values()) {
      if (player.state === "stopped" || player.title === "") continue;
      if (!best || isBefore(player, best)) best = player;
    }
  }
  return best;
}

function isBefore(one: Player, other: Player): boolean {
  const difference = Number(isAudible(one)) - Number(isAudible(other));
  return difference === 0 ? one.activeAt > other.activeAt : difference > 0;
}

const isAudible = ({ state, volumePercent }: Player): boolean =>
  state === "playing" && volumePercent !== 0;

/** The track of a player at a monotonic time; its state is not `stopped`, its title not empty. */
export function trackOf(player: Player, nowMs: number): PushedTrack {
  const { name, title, artist, album, cover, durationMs, volumePercent } = player;
  return {
    state: player.state === "playing" ? "playing" : "paused",
    title,
    artists: artist === "" ? [] : [artist],
    album,
    durationMs,
    positionMs: positionOf(player, nowMs),
    volumePercent,
    device: name || undefined,
    cover: cover || undefined,
  };
}

const positionOf = ({ state, positionMs, positionAtMs }: Player, nowMs: number): number =>
  state === "playing" ? positionMs + nowMs - positionAtMs : positionMs;

/** The fields that we use, by their place; there are more. */
const PLACES = {
  name: 1,
  title: 2,
  artist: 3,
  album: 4,
  cover: 5,
  state: 6,
  position: 7,
  duration: 8,
  volume: 9,
  activeAt: 25,
} as const;
const LEAST_FIELDS = 10;
const MOST_FIELDS = 26;

type FieldName = keyof typeof PLACES;
/** Fields that have changed. */
type Changes = Readonly<Partial<Record<FieldName, string>>>;

/** Fields end with `|`, and `\|` is part of one. `undefined` when there are too few. */
function splitFields(text: string): string[] | undefined {
  // What follows the last end is no field, and what follows the last place is not used.
  const fields = text.split(/(?<!\\)\|/, MOST_FIELDS + 1).slice(0, -1);
  return fields.length < LEAST_FIELDS ? undefined : fields;
}

/** An empty field has not changed; the character U+0001 stands for an empty text. */
function namedFields(fields: readonly string[]): Changes {
  const named = Object.entries(PLACES).map(([name, place]) => [name, fields[place] ?? ""] as const);
  return Object.fromEntries(
    named
      .filter(([, text]) => text !== "")
      .map(([name, text]) => [name, text === "\u0001" ? "" : text.replaceAll("\\|", "|")]),
  );
}

const NEW_PLAYER: Player = {
  name: "",
  title: "",
  artist: "",
  album: "",
  cover: "",
  picture: undefined,
  state: "stopped",
  reportedMs: 0,
  positionMs: 0,
  positionAtMs: 0,
  durationMs: null,
  volumePercent: null,
  activeAt: 0,
};

function withPlayer(browser: Browser, id: string, changes: Changes, nowMs: number): Browser {
  const { waiting } = browser;
  const before = browser.players.get(id) ?? NEW_PLAYER;
  const isFor = waiting?.playerId === pictureIdOf(id);
  const players = new Map(browser.players);
  players.set(id, changed(before, changes, isFor ? waiting.picture : undefined, nowMs));
  for (const oldest of players.keys()) if (players.size > MOST_PLAYERS) players.delete(oldest);
  return { players, waiting: isFor ? undefined : waiting };
}

/** The id of a player as its pictures give it: Chromium's ids are longer than the 32 bits that it has there. */
const pictureIdOf = (id: string): number => Number(BigInt.asUintN(32, BigInt(id)));

function withoutPlayer(browser: Browser, id: string): Browser | undefined {
  if (!browser.players.has(id)) return undefined;
  const players = new Map(browser.players);
  players.delete(id);
  return { ...browser, players };
}

function changed(
  before: Player,
  changes: Changes,
  picture: PictureId | undefined,
  nowMs: number,
): Player {
  const text = (name: FieldName, old: string) => changes[name]?.trim() ?? old;
  const title = text("title", before.title);
  const artist = text("artist", before.artist);
  const album = text("album", before.album);
  const cover = text("cover", before.cover);
  const state = STATES.get(changes.state ?? "") ?? before.state;
  const nextMs = timeMs(changes.position, 1_000);
  const reportedMs = nextMs ?? before.reportedMs;
  const isOther = title !== before.title || artist !== before.artist;
  const isReported = nextMs !== null || isOther;
  const restarts = isReported || state !== before.state;
  const keepsPicture = !isOther && cover === before.cover;
  return {
    name: text("name", before.name),
    title,
    artist,
    album,
    cover,
    picture: picture ?? (keepsPicture ? before.picture : undefined),
    state,
    reportedMs,
    positionMs: isReported ? reportedMs : restarts ? positionOf(before, nowMs) : before.positionMs,
    positionAtMs: restarts ? nowMs : before.positionAtMs,
    durationMs:
      changes.duration === undefined ? before.durationMs : lengthMs(changes.duration, 1_000),
    volumePercent:
      changes.volume === undefined ? before.volumePercent : percentOf(changes.volume, 100),
    activeAt: numberOf(changes.activeAt) ?? before.activeAt,
  };
}

const STATES: ReadonlyMap<string, Player["state"]> = new Map([
  ["0", "playing"],
  ["1", "paused"],
  ["2", "stopped"],
]);
