import type { Playback } from "../../../playback.ts";
import {
  fieldsOf,
  flagOf,
  identifierOf,
  isRecord,
  parseJson,
  recordsOf,
  textOf,
  textsOf,
} from "../../../upstream/json.ts";
import { jsonIn } from "../../../decode-text.ts";
import { digestOf } from "../../../digest.ts";
import { type AskedServer, jsonOf } from "../../asked-server.ts";
import { pushOrPoll } from "../../push-or-poll.ts";
import type { WatchContext } from "../../source.ts";
import { UpstreamError } from "../../../upstream/index.ts";
import type { UpstreamSocket } from "../../../upstream/socket.ts";
import {
  type KnownPosition,
  lengthMs,
  percentOf,
  positionAfter,
  reportedPosition,
  timeMs,
} from "../../amounts.ts";

/** The main namespace was joined. */
const JOINED = "40";
/** A song that has just begun is reported before its position. */
const POSITION_LAG_MS = 1_000;

type Song = Readonly<Record<string, unknown>>;

/** Whether Cider asks for a token, or for another one: it does so with status 403. */
export const wantsToken = (body: unknown): boolean =>
  fieldsOf(body)["error"] === "UNAUTHORIZED_APP_TOKEN";

/** What is known of the player; each event has a part of it. */
interface Player extends KnownPosition {
  readonly song: Song | null;
  readonly volumePercent: number | null;
}

export async function* listen(
  server: AskedServer,
  { clock, signal }: WatchContext,
): AsyncGenerator<Playback | null, void> {
  let player: Player = {
    song: null,
    isPlaying: false,
    positionMs: null,
    observedAtMs: 0,
    volumePercent: null,
  };
  const getJson = async (path: string) => {
    const answer = await server.get(path);
    if (wantsToken(jsonIn(answer.text))) throw server.unauthorized();
    return { ...answer, body: jsonOf(answer) };
  };
  const ask = async (): Promise<Playback | null> => {
    const playing = await getJson("/api/v1/playback/is-playing");
    const { body, observedAtMs } = await getJson("/api/v1/playback/now-playing");
    const [song = null] = recordsOf(fieldsOf(body)["info"]);
    player = {
      ...player,
      song,
      isPlaying: flagOf(fieldsOf(playing.body)["is_playing"]) === true,
      positionMs: timeMs(song?.["currentPlaybackTime"], 1000),
      observedAtMs,
    };
    return readPlayer(player, server);
  };
  const open = () => server.openSocket("/socket.io/?EIO=4&transport=websocket");
  async function* follow(socket: UpstreamSocket): AsyncGenerator<Playback | null, void> {
    while (!signal.aborted) {
      const packet = (await socket.receive()) ?? "";
      const event = answerPacket(packet, socket);
      // What has changed before it tells of changes is told by none of them.
      if (packet.startsWith(JOINED)) yield await ask();
      if (event === undefined) continue;
      const nowMs = clock.monotonicMs();
      const positionMs = positionAfter(player, nowMs);
      player = afterEvent({ ...player, positionMs, observedAtMs: nowMs }, event);
      yield readPlayer(player, server);
    }
  }

  yield* pushOrPoll({ clock, signal, ask, open, follow });
}

/**
 * Answers what Socket.IO wants to be answered; the event in a packet, if it is one of playback.
 * https://socket.io/docs/v4/engine-io-protocol/ and https://socket.io/docs/v4/socket-io-protocol/
 */
function answerPacket(packet: string, socket: UpstreamSocket): unknown {
  // The connection is open: join the main namespace.
  if (packet.startsWith("0")) socket.send("40");
  // A ping.
  if (packet === "2") socket.send("3");
  if (packet.startsWith("44")) throw new UpstreamError("it refuses to report changes");
  if (!packet.startsWith("42")) return undefined;
  const event = parseJson(packet.slice(2));
  return Array.isArray(event) && event[0] === "API:Playback" ? event[1] : undefined;
}

/** The player after an event, which has only a part. */
function afterEvent(player: Player, event: unknown): Player {
  if (!isRecord(event)) return player;
  const { data } = event;
  switch (event["type"]) {
    case "playbackStatus.nowPlayingItemDidChange":
      return withSong(player, isRecord(data) ? data : null);
    case "playbackStatus.playbackStateDidChange": {
      if (!isRecord(data)) return player;
      const { state, attributes } = data;
      const isPlaying = state === "playing";
      if (state === "stopped" || state === "ended") return { ...player, isPlaying };
      return { ...(isRecord(attributes) ? withSong(player, attributes) : player), isPlaying };
    }
    case "playbackStatus.playbackTimeDidChange": {
      if (!isRecord(data)) return player;
      return {
        ...player,
        isPlaying: flagOf(data["isPlaying"]) ?? player.isPlaying,
        positionMs: timeMs(data["currentPlaybackTime"], 1000) ?? player.positionMs,
      };
    }
    case "playerStatus.volumeDidChange": {
      return { ...player, volumePercent: percentOf(data, 1) ?? player.volumePercent };
    }
    default:
      return player;
  }
}

/** Another song begins at its beginning, but the songs of a station are one stream. */
function withSong(player: Player, song: Player["song"]): Player {
  const isSame = song !== null && player.song !== null && playedIn(song) === playedIn(player.song);
  return { ...player, song, positionMs: isSame ? player.positionMs : 0 };
}

const playedIn = (song: Song): string => stationOf(song) ?? idOf(song);

/** A station has one id for all that it plays. */
function stationOf({ playParams }: Song): string | undefined {
  const { id, kind } = fieldsOf(playParams);
  return kind === "radioStation" ? identifierOf(id) : undefined;
}

function idOf(song: Song): string {
  const { playParams, name, artistName, albumName } = song;
  const { id } = fieldsOf(playParams);
  const own = stationOf(song) === undefined ? textOf(id) : undefined;
  return own ?? digestOf([id, name, artistName, albumName].map(textOf));
}

function readPlayer(
  { song, isPlaying, positionMs, observedAtMs, volumePercent }: Player,
  server: AskedServer,
): Playback | null {
  const title = song && textOf(song["name"]);
  if (!song || !title) return null;
  const id = idOf(song);
  return {
    source: server.name,
    state: isPlaying ? "playing" : "paused",
    track: {
      id,
      title,
      // That of a station is of all that it plays.
      durationMs: stationOf(song) === undefined ? lengthMs(song["durationInMillis"], 1) : null,
      explicit: song["contentRating"] === "explicit",
    },
    artists: textsOf(song["artistName"]),
    album: {
      name: textOf(song["albumName"]) ?? "",
      artworks: server.covers(coverAddress(song["artwork"])),
    },
    device: { name: server.name, type: "cider", volumePercent },
    ...reportedPosition(positionMs, POSITION_LAG_MS),
    observedAtMs,
    rate: 1,
  };
}

/** Apple's addresses have places for the size. */
function coverAddress(artwork: unknown): string | undefined {
  const address = textOf(fieldsOf(artwork)["url"]);
  return address?.replace("{w}", "640").replace("{h}", "640");
}
