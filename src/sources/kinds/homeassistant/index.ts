import { parseServerUrl, readTexts, urlOption } from "../../entered-server.ts";
import { type Source, wrongOption } from "../../source.ts";
import {
  defineStreamedSource,
  parseToken,
  type StreamedSourceDeps,
  tokenOption,
} from "../../streamed-source.ts";
import { type HomeAssistantSettings, ID, NAME } from "./settings.ts";

/** A media player of Home Assistant: https://developers.home-assistant.io/docs/api/websocket */

const DEFAULT_URL = "http://127.0.0.1:8123";

export function createHomeAssistant(deps: StreamedSourceDeps): Source {
  return defineStreamedSource<HomeAssistantSettings>({
    id: ID,
    name: NAME,
    facts: {
      runs: "server",
      position: "some",
      pause: "yes",
      cover: "yes",
      volume: "some",
      delayMs: 0,
      calls: ["entered", "covers"],
    },
    options: [
      urlOption("Where Home Assistant is.", DEFAULT_URL),
      {
        name: "entity",
        placeholder: "media_player.name",
        help: "The media player to follow, such as media_player.living_room.",
      },
      tokenOption("A long-lived access token, made on your profile's page in Home Assistant."),
    ],
    parseSettings(input) {
      const { url, entity, token } = readTexts(input, ["url", "entity", "token"]);
      const id = entity.trim();
      if (!/^media_player\.[a-z0-9_]{1,200}$/.test(id)) {
        throw wrongOption(
          "entity",
          "must be a media player's ID, such as media_player.living_room.",
        );
      }
      return { url: parseServerUrl(url || DEFAULT_URL), entity: id, token: parseToken(token) };
    },
    account: ({ entity }) => ({ displayName: entity, product: null }),
    listen: async (...given) => (await import("./listen.ts")).listen(...given, deps),
  });
}
