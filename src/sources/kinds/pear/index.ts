import { optionalTokenOption, urlOption } from "../../entered-server.ts";
import { readOptions, type Source } from "../../source.ts";
import { defineStreamedSource, type StreamedSourceDeps } from "../../streamed-source.ts";

/**
 * YouTube Music in pear-desktop: its API server with a token, else its Amuse plug-in.
 * https://github.com/pear-devs/pear-desktop
 */

const NAME = "YouTube Music";
const API_URL = "http://127.0.0.1:26538";
const AMUSE_URL = "http://127.0.0.1:9863";

const OPTIONS = {
  url: urlOption(
    `Where pear-desktop's API server is (default: ${API_URL}), or without a token its Amuse plug-in (default: ${AMUSE_URL}).`,
    "",
  ),
  token: optionalTokenOption(
    "The access token of pear-desktop's API server; without it, Amuse is asked.",
  ),
};

export const createPear = (deps: StreamedSourceDeps): Source =>
  defineStreamedSource({
    deps,
    id: "pear",
    name: NAME,
    facts: {
      runs: "computer",
      viewersKnow: NAME,
      reports: ["position", "pause", "cover"],
      reportsSometimes: ["volume"],
      delayMs: 1_000,
      calls: ["entered", "covers"],
    },
    options: OPTIONS,
    parseSettings(given) {
      const { url, token } = readOptions(OPTIONS, given);
      return { url: url || (token === "" ? AMUSE_URL : API_URL), token };
    },
    account: () => ({ displayName: NAME }),
    async findHere(search) {
      const urls = { amuse: search.machine.at(AMUSE_URL), api: search.machine.at(API_URL) };
      return (await import("./find.ts")).find(urls, search);
    },
    requestWith: ({ token }) => ({
      headers: token === "" ? {} : { Authorization: `Bearer ${token}` },
    }),
    listen: async (...given) => (await import("./listen.ts")).listen(...given),
  });
