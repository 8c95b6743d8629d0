import { parseServerUrl, readTexts, urlOption, userOption } from "../../entered-server.ts";
import type { Source } from "../../source.ts";
import {
  defineStreamedSource,
  parseToken,
  type StreamedSourceDeps,
  tokenOption,
} from "../../streamed-source.ts";
import { type PlexSettings, ID, NAME } from "./settings.ts";

/** A Plex Media Server: https://developer.plex.tv/pms/ */

const DEFAULT_URL = "http://127.0.0.1:32400";

export function createPlex(deps: StreamedSourceDeps): Source {
  return defineStreamedSource<PlexSettings>({
    id: ID,
    name: NAME,
    facts: {
      runs: "server",
      position: "yes",
      pause: "yes",
      cover: "yes",
      volume: "no",
      delayMs: 0,
      calls: ["entered"],
    },
    options: [
      urlOption("Where the Plex Media Server is.", DEFAULT_URL),
      userOption("Whose music is followed, as named in Plex; without it, the server's owner's."),
      tokenOption("The X-Plex-Token of the server's owner."),
    ],
    parseSettings(input) {
      const { url, user, token } = readTexts(input, ["url", "user", "token"]);
      return {
        url: parseServerUrl(url || DEFAULT_URL),
        user: user.trim(),
        token: parseToken(token),
      };
    },
    account: ({ user }) => ({ displayName: user || NAME, product: null }),
    listen: async (...given) => (await import("./listen.ts")).listen(...given, deps),
  });
}
