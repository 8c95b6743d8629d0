import type { Playback } from "../../../playback.ts";
import {
  flagOf,
  isRecord,
  numberOf,
  parseJson,
  recordOf,
  textOf,
  textsOf,
} from "../../../upstream/json.ts";
import type { UpstreamSocket } from "../../../upstream/socket.ts";
import type { PlayerServer } from "../../player-server.ts";
import { pushOrPoll } from "../../push-or-poll.ts";
import type { WatchContext } from "../../source.ts";
import { lengthMs, percentOf, WHOLE_SECONDS_LAG_MS } from "../../amounts.ts";

const POLL_MS = 1_000;

/** What is known of the player; each message has a part of it. */
interface Player {
  readonly song: Readonly<Record<string, unknown>> | null;
  readonly isPlaying: boolean;
  readonly positionS: number;
  /** 0 to 100. */
  readonly volume: number | null;
}

const SILENT: Player = { song: null, isPlaying: false, positionS: 0, volume: null };

export async function* listen(
  server: PlayerServer,
  { clock, signal }: WatchContext,
  { token }: { readonly token: string },
): AsyncGenerator<Playback | null, void> {
  const read = (player: Player, observedAtMs: number) => readPlayer(player, observedAtMs, server);

  if (token === "") {
    while (!signal.aborted) {
      const { body, observedAtMs } = await server.getJson("/query");
      yield read(fromAmuse(body), observedAtMs);
      await clock.sleep(POLL_MS, signal);
    }
    return;
  }

  let player = SILENT;
  const ask = async () => {
    const answer = await server.getJson("/api/v1/song");
    player = fromSong(answer.body);
    return read(player, answer.observedAtMs);
  };
  const open = () => server.openSocket(`/api/v1/ws?${new URLSearchParams({ token })}`);
  async function* follow(socket: UpstreamSocket): AsyncGenerator<Playback | null, void> {
    while (!signal.aborted) {
      player = afterMessage(player, parseJson((await socket.receive()) ?? ""));
      yield read(player, clock.monotonicMs());
    }
  }
  yield* pushOrPoll({ clock, signal, ask, open, follow });
}

/** The answer of `/api/v1/song`; `null` when there is no song. */
function fromSong(body: unknown): Player {
  if (body === null) return SILENT;
  const song = recordOf(body, "the song");
  const positionS = numberOf(song["elapsedSeconds"]) ?? 0;
  return { song, isPlaying: flagOf(song["isPaused"]) !== true, positionS, volume: null };
}

/** The answer of the Amuse plug-in. */
export function fromAmuse(body: unknown): Player {
  const { player, track } = recordOf(body, "the answer");
  if (!isRecord(player) || !isRecord(track) || flagOf(player["hasSong"]) !== true) return SILENT;
  if (flagOf(track["isAdvertisement"]) === true) return SILENT;
  return {
    song: {
      videoId: track["id"],
      title: track["title"],
      artist: track["author"],
      imageSrc: track["cover"],
      songDuration: track["duration"],
    },
    isPlaying: flagOf(player["isPaused"]) !== true,
    positionS: numberOf(player["seekbarCurrentPosition"]) ?? 0,
    volume: null,
  };
}

/**
 * The player after a message of the socket, which may have only a part. A song that begins says itself
 * whether it is paused: the app sends no state at its start.
 */
function afterMessage(player: Player, message: unknown): Player {
  if (!isRecord(message)) return player;
  const { song, isPlaying, position, volume } = message;
  const before = isRecord(song) ? fromSong(song) : player;
  return {
    song: before.song,
    isPlaying: flagOf(isPlaying) ?? before.isPlaying,
    positionS: numberOf(position) ?? before.positionS,
    volume: numberOf(volume) ?? player.volume,
  };
}

function readPlayer(
  { song, isPlaying, positionS, volume }: Player,
  observedAtMs: number,
  server: PlayerServer,
): Playback | null {
  const title = song && textOf(song["title"]);
  if (!song || !title) return null;
  const id = textOf(song["videoId"]) ?? title;
  return {
    source: server.name,
    state: isPlaying ? "playing" : "paused",
    track: {
      id,
      title,
      durationMs: lengthMs(song["songDuration"], 1000),
      explicit: false,
    },
    artists: textsOf(song["artist"]),
    ...(UPLOADS.has(textOf(song["mediaType"]) ?? "") && { namesFrom: { origin: "page" } }),
    album: { name: textOf(song["album"]) ?? "", artworks: server.covers(textOf(song["imageSrc"])) },
    device: {
      name: server.name,
      type: "pear-desktop",
      volumePercent: percentOf(volume, 100),
    },
    positionMs: Math.max(0, Math.round(positionS * 1000)),
    positionLagMs: WHOLE_SECONDS_LAG_MS,
    observedAtMs,
    rate: 1,
  };
}

/** What users have uploaded to YouTube: the artist of such a video is a channel. */
const UPLOADS: ReadonlySet<string> = new Set(["USER_GENERATED_CONTENT", "OTHER_VIDEO"]);
