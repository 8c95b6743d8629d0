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
import type { AskedServer } from "../../asked-server.ts";
import { pushOrPoll } from "../../push-or-poll.ts";
import type { WatchContext } from "../../source.ts";
import {
  lengthMs,
  percentOf,
  type KnownPosition,
  positionAfter,
  reportedPosition,
  timeMs,
  WHOLE_SECONDS_LAG_MS,
} from "../../amounts.ts";

const POLL_MS = 1_000;

/** What is known of the player; each message has a part of it. */
interface Player extends KnownPosition {
  readonly song: Readonly<Record<string, unknown>> | null;
  /** 0 to 100. */
  readonly volume: number | null;
}

const SILENT: Player = {
  song: null,
  isPlaying: false,
  positionMs: null,
  observedAtMs: 0,
  volume: null,
};

export async function* listen(
  server: AskedServer,
  { clock, signal }: WatchContext,
  { token }: { readonly token: string },
): AsyncGenerator<Playback | null, void> {
  const read = (player: Player) => readPlayer(player, server);

  if (token === "") {
    while (!signal.aborted) {
      const { body, observedAtMs } = await server.getJson("/query");
      yield read(fromAmuse(body, observedAtMs));
      await clock.sleep(POLL_MS, signal);
    }
    return;
  }

  let player = SILENT;
  const ask = async () => {
    const answer = await server.getJson("/api/v1/song");
    player = fromSong(answer.body, answer.observedAtMs);
    return read(player);
  };
  const open = () => server.openSocket(`/api/v1/ws?${new URLSearchParams({ token })}`);
  async function* follow(socket: UpstreamSocket): AsyncGenerator<Playback | null, void> {
    while (!signal.aborted) {
      const message = parseJson((await socket.receive()) ?? "");
      player = afterMessage(player, message, clock.monotonicMs());
      yield read(player);
    }
  }
  yield* pushOrPoll({ clock, signal, ask, open, follow });
}

/** The answer of `/api/v1/song`; `null` when there is no song. */
function fromSong(body: unknown, observedAtMs: number): Player {
  if (body === null) return SILENT;
  const song = recordOf(body, "the song");
  const positionMs = timeMs(song["elapsedSeconds"], 1000);
  const isPlaying = flagOf(song["isPaused"]) !== true;
  return { song, isPlaying, positionMs, observedAtMs, volume: null };
}

/** The answer of the Amuse plug-in. */
export function fromAmuse(body: unknown, observedAtMs: number): Player {
  const { player: given, track } = recordOf(body, "the answer");
  const player = recordOf(given, "the player");
  if (!isRecord(track) || flagOf(player["hasSong"]) !== true) return SILENT;
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
    positionMs: timeMs(player["seekbarCurrentPosition"], 1000),
    observedAtMs,
    volume: null,
  };
}

/**
 * The player after a message of the socket, which may have only a part. A song that begins says itself
 * whether it is paused: the app sends no state at its start.
 */
function afterMessage(player: Player, message: unknown, nowMs: number): Player {
  if (!isRecord(message)) return player;
  const { song, isPlaying, position, volume } = message;
  const before = isRecord(song) ? fromSong(song, nowMs) : player;
  return {
    song: before.song,
    isPlaying: flagOf(isPlaying) ?? before.isPlaying,
    positionMs: timeMs(position, 1000) ?? positionAfter(before, nowMs),
    observedAtMs: nowMs,
    volume: numberOf(volume) ?? player.volume,
  };
}

function readPlayer(
  { song, isPlaying, positionMs, observedAtMs, volume }: Player,
  server: AskedServer,
): Playback | null {
  const title = song && textOf(song["title"]);
  if (!song || !title) return null;
  const id = textOf(song["videoId"]) ?? title;
  const mediaType = textOf(song["mediaType"]) ?? "";
  const artists = textsOf(song["artist"]);
  // The artist of an episode is its show.
  const [show = ""] = mediaType === "PODCAST_EPISODE" ? artists : [];
  return {
    source: server.name,
    state: isPlaying ? "playing" : "paused",
    track: {
      id,
      title,
      durationMs: lengthMs(song["songDuration"], 1000),
      explicit: false,
    },
    artists,
    ...(UPLOADS.has(mediaType) && { namesFrom: { origin: "page" } }),
    album: {
      name: textOf(song["album"]) ?? show,
      artworks: server.covers(textOf(song["imageSrc"])),
    },
    device: {
      name: server.name,
      type: "pear-desktop",
      volumePercent: percentOf(volume, 100),
    },
    ...reportedPosition(positionMs, WHOLE_SECONDS_LAG_MS),
    observedAtMs,
    rate: 1,
  };
}

/** What users have uploaded to YouTube: the artist of such a video is a channel. */
const UPLOADS: ReadonlySet<string> = new Set(["USER_GENERATED_CONTENT", "OTHER_VIDEO"]);
