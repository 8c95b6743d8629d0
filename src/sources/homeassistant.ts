import type { Playback } from "../playback.ts";
import { addressOf, parseServerUrl, readTexts, urlOption } from "./entered-server.ts";
import { afterEvent, type Entity, readEntity, readPlayback } from "./homeassistant/entity.ts";
import { recordOf, textOf } from "./json.ts";
import {
  createPlayerServer,
  parseJson,
  parseToken,
  type PlayerServer,
  type StreamedSourceDeps,
  tokenOption,
  withMeaning,
} from "./player-server.ts";
import { defineSource, type Source, SourceSettingsError, type WatchContext } from "./source.ts";
import { UpstreamError } from "./upstream.ts";
import type { UpstreamSocket } from "./upstream/socket.ts";

/** A media player of Home Assistant: https://developers.home-assistant.io/docs/api/websocket */

interface HomeAssistantSettings {
  readonly url: string;
  readonly entity: string;
  readonly token: string;
}

const ID = "homeassistant";
const NAME = "Home Assistant";
const DEFAULT_URL = "http://127.0.0.1:8123";
const ANSWER_MS = 5_000;
/** Times in headers are whole seconds, and clocks of one house usually agree. */
const SAME_CLOCK_MS = 2_000;
/** An event carries a whole entity, and some list all their media in it. */
const LARGEST_MESSAGE_BYTES = 4 * 1024 * 1024;

export function createHomeAssistant(deps: StreamedSourceDeps): Source {
  return defineSource<HomeAssistantSettings>({
    id: ID,
    name: NAME,
    delivery: "streamed",
    options: [
      urlOption("Where Home Assistant is.", DEFAULT_URL),
      {
        name: "entity",
        placeholder: "media_player.name",
        help: "The media player to listen to, such as media_player.living_room.",
      },
      tokenOption("A long-lived access token, made on your profile's page in Home Assistant."),
    ],
    parseSettings(input) {
      const { url, entity, token } = readTexts(input, ["url", "entity", "token"]);
      const id = entity.trim();
      if (!/^media_player\.[a-z0-9_]{1,200}$/.test(id)) {
        throw new SourceSettingsError(
          "entity: must be a media player's id, such as media_player.living_room.",
        );
      }
      return { url: parseServerUrl(url || DEFAULT_URL), entity: id, token: parseToken(token) };
    },
    account: ({ entity }) => ({ displayName: entity, product: null }),
    addressOf,
    watch: (settings, context) =>
      withMeaning(`${NAME} at ${settings.url}`, context.signal, listen(settings, context, deps)),
  });
}

async function* listen(
  { url, entity: id, token }: HomeAssistantSettings,
  context: WatchContext,
  deps: StreamedSourceDeps,
): AsyncGenerator<Playback | null, void> {
  const { clock, signal } = context;
  const upstream = deps.upstreamOf(ID, url);
  const limits = {
    headers: { Authorization: `Bearer ${token}` },
    largestBytes: LARGEST_MESSAGE_BYTES,
  };
  const server = createPlayerServer({ id: ID, name: NAME, url }, upstream, context, limits);
  let before: Playback | null = null;

  const answer = await server.getJson(`/api/states/${id}`, `has no entity ${id}`);
  const aheadMs = answer.serverWallMs - clock.wallMs();
  const serverAheadMs = Math.abs(aheadMs) < SAME_CLOCK_MS ? 0 : aheadMs;

  const read = (entity: Entity | null, observedAtMs: number): Playback | null => {
    const serverWallMs = clock.wallMs() + serverAheadMs;
    before =
      entity &&
      readPlayback(entity, {
        id,
        observedAtMs,
        serverWallMs,
        before,
        artworkOf(key, picture) {
          const address = picture.startsWith("/") ? url + picture : picture;
          return /^https?:\/\//.test(address) && URL.canParse(address)
            ? server.artwork(key, address)
            : undefined;
        },
      });
    return before;
  };

  let entity: Entity | null = readEntity(answer.body);
  yield read(entity, answer.observedAtMs);

  const socket = await upstream.openSocket(`${url}/api/websocket`, { ...limits, signal });
  try {
    await authenticate(socket, server, token);
    socket.send(JSON.stringify({ id: 1, type: "subscribe_entities", entity_ids: [id] }));
    while (!signal.aborted) {
      const message = recordOf(parseJson((await socket.receive()) ?? ""), "a message");
      if (message["type"] === "result" && message["success"] === false) {
        throw new UpstreamError("it refuses to report changes");
      }
      if (message["type"] !== "event") continue;
      entity = afterEvent(entity, id, message["event"]);
      yield read(entity, clock.monotonicMs());
    }
  } finally {
    socket.close();
  }
}

async function authenticate(
  socket: UpstreamSocket,
  server: PlayerServer,
  token: string,
): Promise<void> {
  const receiveType = async () => {
    const text = await socket.receive(ANSWER_MS);
    if (text === undefined) throw new UpstreamError("it did not answer in time");
    return textOf(recordOf(parseJson(text), "a message")["type"]);
  };
  let type = await receiveType();
  if (type === "auth_required") {
    socket.send(JSON.stringify({ type: "auth", access_token: token }));
    type = await receiveType();
  }
  if (type === "auth_invalid") throw server.unauthorized();
  if (type !== "auth_ok") throw new UpstreamError("it is not Home Assistant");
}
