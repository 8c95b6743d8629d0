import { parseServerUrl, readTexts, urlOption } from "../../entered-server.ts";
import type { Source } from "../../source.ts";
import {
  defineStreamedSource,
  parseToken,
  type StreamedSourceDeps,
  tokenOption,
} from "../../streamed-source.ts";
import { type PearSettings, ID, NAME } from "./settings.ts";

/**
 * YouTube Music in pear-desktop: its API server with a token, else its Amuse plug-in.
 * https://github.com/pear-devs/pear-desktop
 */

const API_URL = "http://127.0.0.1:26538";
const AMUSE_URL = "http://127.0.0.1:9863";

export function createPear(deps: StreamedSourceDeps): Source {
  return defineStreamedSource<PearSettings>({
    id: ID,
    name: NAME,
    facts: {
      runs: "computer",
      position: "yes",
      pause: "yes",
      cover: "yes",
      volume: "some",
      delayMs: 1_000,
      calls: ["entered", "covers"],
    },
    options: [
      urlOption(
        `Where pear-desktop's API server is (default: ${API_URL}), or without a token its Amuse plug-in (default: ${AMUSE_URL}).`,
      ),
      tokenOption("The access token of pear-desktop's API server; without it, Amuse is asked."),
    ],
    parseSettings(input) {
      const { url, token } = readTexts(input, ["url", "token"]);
      return {
        url: parseServerUrl(url || (token === "" ? AMUSE_URL : API_URL)),
        token: token === "" ? "" : parseToken(token),
      };
    },
    account: () => ({ displayName: NAME, product: null }),
    async findHere(search) {
      const urls = { amuse: search.machine.at(AMUSE_URL), api: search.machine.at(API_URL) };
      return (await import("./find.ts")).find(urls, search);
    },
    listen: async (...given) => (await import("./listen.ts")).listen(...given, deps),
  });
}
