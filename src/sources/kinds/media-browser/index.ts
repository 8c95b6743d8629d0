import { requiredText, tokenOption, urlOption } from "../../entered-server.ts";
import type { Source } from "../../source.ts";
import { defineStreamedSource, type StreamedSourceDeps } from "../../streamed-source.ts";
import type { MediaBrowser } from "./settings.ts";

const DEFAULT_URL = "http://127.0.0.1:8096";

export function createMediaBrowser(server: MediaBrowser, deps: StreamedSourceDeps): Source {
  return defineStreamedSource({
    id: server.id,
    name: server.name,
    facts: {
      runs: "server",
      position: "yes",
      pause: "yes",
      cover: "yes",
      volume: "yes",
      calls: ["entered"],
    },
    options: {
      url: urlOption(`Where ${server.name} is.`, DEFAULT_URL),
      user: requiredText(
        "name",
        `Your user name on ${server.name}; only your own sessions are followed.`,
        `your user name on ${server.name}`,
      ),
      token: tokenOption(`An API key, made in the dashboard of ${server.name}.`),
    },
    account: ({ user }) => ({ displayName: user }),
    listen: async (...given) => (await import("./listen.ts")).listen(server, ...given, deps),
  });
}
