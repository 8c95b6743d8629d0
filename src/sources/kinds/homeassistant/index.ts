import { matchingTrimmed } from "../../../field.ts";
import { tokenOption, urlOption } from "../../entered-server.ts";
import type { Source } from "../../source.ts";
import { defineStreamedSource, type StreamedSourceDeps } from "../../streamed-source.ts";

/** A media player of Home Assistant: https://developers.home-assistant.io/docs/api/websocket */

const DEFAULT_URL = "http://127.0.0.1:8123";
/** An event carries a whole entity, and some list all their media in it. */
const LARGEST_MESSAGE_BYTES = 4 * 1024 * 1024;

export const createHomeAssistant = (deps: StreamedSourceDeps): Source =>
  defineStreamedSource({
    deps,
    id: "homeassistant",
    name: "Home Assistant",
    facts: {
      runs: "server",
      reports: ["pause", "cover"],
      reportsSometimes: ["position", "volume"],
      calls: ["entered", "covers"],
    },
    options: {
      url: urlOption("Where Home Assistant is.", DEFAULT_URL),
      entity: {
        placeholder: "media_player.name",
        help: "The media player to follow, such as media_player.living_room.",
        ...matchingTrimmed(
          /^media_player\.[a-z0-9_]{1,200}$/,
          "a media player's ID, such as media_player.living_room",
        ),
      },
      token: tokenOption(
        "A long-lived access token, made on your profile's page in Home Assistant.",
      ),
    },
    account: ({ entity }) => ({ displayName: entity }),
    requestWith: ({ token }) => ({
      headers: { Authorization: `Bearer ${token}` },
      largestBytes: LARGEST_MESSAGE_BYTES,
    }),
    listen: async (...given) => (await import("./listen.ts")).listen(...given),
  });
