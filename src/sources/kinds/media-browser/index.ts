import { parseServerUrl, readTexts, urlOption, userOption } from "../../entered-server.ts";
import { type Source, wrongOption } from "../../source.ts";
import {
  defineStreamedSource,
  parseToken,
  type StreamedSourceDeps,
  tokenOption,
} from "../../streamed-source.ts";
import type { MediaBrowser, MediaBrowserSettings } from "./settings.ts";

const DEFAULT_URL = "http://127.0.0.1:8096";

export function createMediaBrowser(server: MediaBrowser, deps: StreamedSourceDeps): Source {
  return defineStreamedSource<MediaBrowserSettings>({
    id: server.id,
    name: server.name,
    facts: {
      runs: "server",
      position: "yes",
      pause: "yes",
      cover: "yes",
      volume: "yes",
      delayMs: 0,
      calls: ["entered"],
    },
    options: [
      urlOption(`Where ${server.name} is.`, DEFAULT_URL),
      userOption(`Your user name on ${server.name}; only your own sessions are followed.`),
      tokenOption(`An API key, made in the dashboard of ${server.name}.`),
    ],
    parseSettings(input) {
      const { url, user, token } = readTexts(input, ["url", "user", "token"]);
      if (user.trim() === "") {
        throw wrongOption("user", `must be your user name on ${server.name}.`);
      }
      return {
        url: parseServerUrl(url || DEFAULT_URL),
        user: user.trim(),
        token: parseToken(token),
      };
    },
    account: ({ user }) => ({ displayName: user, product: null }),
    listen: async (...given) => (await import("./listen.ts")).listen(server, ...given, deps),
  });
}
