import { optionalText, tokenOption, urlOption } from "../../entered-server.ts";
import type { Source } from "../../source.ts";
import { defineStreamedSource, type StreamedSourceDeps } from "../../streamed-source.ts";

/** A Plex Media Server: https://developer.plex.tv/pms/ */

const NAME = "Plex";
const DEFAULT_URL = "http://127.0.0.1:32400";
const LARGEST_ANSWER_BYTES = 4 * 1024 * 1024;

export const createPlex = (deps: StreamedSourceDeps): Source =>
  defineStreamedSource({
    deps,
    id: "plex",
    name: NAME,
    facts: {
      runs: "server",
      reports: ["position", "pause", "cover"],
      calls: ["entered"],
    },
    options: {
      url: urlOption("Where the Plex Media Server is.", DEFAULT_URL),
      user: optionalText(
        "name",
        "Whose music is followed, as named in Plex; without it, the server's owner's.",
      ),
      token: tokenOption("The X-Plex-Token of the server's owner."),
    },
    account: ({ user }) => ({ displayName: user || NAME }),
    requestWith: ({ token }) => ({
      headers: { "X-Plex-Token": token, Accept: "application/json" },
      largestBytes: LARGEST_ANSWER_BYTES,
    }),
    listen: async (...given) => (await import("./listen.ts")).listen(...given),
  });
