import { parseServerUrl, readTexts, urlOption } from "../../entered-server.ts";
import type { Source } from "../../source.ts";
import {
  defineStreamedSource,
  parseToken,
  type StreamedSourceDeps,
  tokenOption,
} from "../../streamed-source.ts";
import { type CiderSettings, ID, NAME } from "./settings.ts";

/** Apple Music in Cider: https://cider.sh/docs/client/rpc */

const DEFAULT_URL = "http://127.0.0.1:10767";

export function createCider(deps: StreamedSourceDeps): Source {
  return defineStreamedSource<CiderSettings>({
    id: ID,
    name: NAME,
    facts: {
      runs: "computer",
      position: "yes",
      pause: "yes",
      cover: "yes",
      volume: "yes",
      delayMs: 0,
      calls: ["entered", "covers"],
    },
    options: [
      urlOption("Where Cider's RPC server is.", DEFAULT_URL),
      tokenOption("The app token made in Cider's settings, if Cider asks for one."),
    ],
    parseSettings(input) {
      const { url, token } = readTexts(input, ["url", "token"]);
      return {
        url: parseServerUrl(url || DEFAULT_URL),
        token: token === "" ? "" : parseToken(token),
      };
    },
    account: () => ({ displayName: NAME, product: null }),
    findHere: async (search) =>
      (await import("./find.ts")).find(search.machine.at(DEFAULT_URL), search),
    listen: async (...given) => (await import("./listen.ts")).listen(...given, deps),
  });
}
