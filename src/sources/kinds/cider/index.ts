import { optionalTokenOption, urlOption } from "../../entered-server.ts";
import type { Source } from "../../source.ts";
import { defineStreamedSource, type StreamedSourceDeps } from "../../streamed-source.ts";

/** Apple Music in Cider: https://cider.sh/docs/client/rpc */

const NAME = "Cider";
const DEFAULT_URL = "http://127.0.0.1:10767";

export const createCider = (deps: StreamedSourceDeps): Source =>
  defineStreamedSource({
    deps,
    id: "cider",
    name: NAME,
    facts: {
      runs: "computer",
      viewersKnow: "Apple Music",
      reports: ["position", "pause", "cover", "volume"],
      calls: ["entered", "covers"],
    },
    options: {
      url: urlOption("Where Cider's RPC server is.", DEFAULT_URL),
      token: optionalTokenOption("The app token made in Cider's settings, if Cider asks for one."),
    },
    account: () => ({ displayName: NAME }),
    findHere: async (search) =>
      (await import("./find.ts")).find(search.machine.at(DEFAULT_URL), search),
    requestWith: ({ token }) => ({ headers: token === "" ? {} : { apptoken: token } }),
    listen: async (server, context) => (await import("./listen.ts")).listen(server, context),
  });
