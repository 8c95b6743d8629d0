import {
  addressOf,
  basicAuthorization,
  optionalText,
  passwordOption,
  urlOption,
} from "../../entered-server.ts";
import { definePolledSource, type PolledSourceDeps } from "../../polling/polled-source.ts";
import type { Source } from "../../source.ts";
import { NAME, PLAYER_PATH, readPlayer } from "./player.ts";

/**
 * foobar2000 and DeaDBeeF with the plug-in Beefweb:
 * https://github.com/hyperblast/beefweb/blob/master/docs/player-api.yml
 */

const DEFAULT_URL = "http://127.0.0.1:8880";
export const createBeefweb = (deps: PolledSourceDeps): Source =>
  definePolledSource({
    deps,
    id: "beefweb",
    name: NAME,
    facts: {
      runs: "computer",
      reports: ["position", "pause", "cover", "volume"],
      delayMs: 1_000,
      calls: ["entered"],
    },
    intervalMs: 1_000,
    options: {
      url: urlOption("Where Beefweb is.", DEFAULT_URL),
      user: optionalText("name", "Beefweb's user name, if it asks for one."),
      password: passwordOption("Beefweb's password, if it asks for one."),
    },
    account: () => ({ displayName: NAME }),
    addressOf,
    findHere: async (search) =>
      (await import("./find.ts")).find(search.machine.at(DEFAULT_URL), search),
    urlOf: ({ url }) => url,
    requestWith: ({ user, password }) =>
      user + password === ""
        ? {}
        : { headers: { Authorization: basicAuthorization(user, password) } },
    begin(_, { getJson, artwork }) {
      return async () => {
        const { body, observedAtMs } = await getJson(PLAYER_PATH);
        return readPlayer(body, observedAtMs, (path, name) =>
          artwork(name, `/api/artwork/${path}`),
        );
      };
    },
  });
