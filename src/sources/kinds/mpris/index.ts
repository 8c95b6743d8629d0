import { matchingTrimmed } from "../../../field.ts";
import { withMeanings } from "../../answer-failure.ts";
import { defineSource, type Source } from "../../source.ts";
import type { MprisDeps } from "./listen.ts";

/** Players on the desktop of this machine: https://specifications.freedesktop.org/mpris-spec/latest/ */

const NAME = "MPRIS";

export const createMpris = (deps: MprisDeps): Source =>
  defineSource({
    id: "mpris",
    name: NAME,
    delivery: "streamed",
    facts: {
      runs: "computer",
      reports: ["position", "pause", "cover"],
      reportsSometimes: ["volume"],
      calls: ["covers"],
    },
    ownerOnly: true,
    onlyOn: "linux",
    options: {
      player: {
        placeholder: "name",
        help: "Follow only this player, such as chromium, vlc or mpv; without it, all of them.",
        fallback: "",
        ...matchingTrimmed(
          /^([\w-]+(\.[\w-]+)*)?$/,
          "a player's name on the bus, such as chromium, vlc or mpv",
        ),
      },
    },
    account: ({ player }) => ({ displayName: player || NAME }),

    findHere: async (search) => (await import("./find.ts")).find(search),

    watch: (settings, context) =>
      withMeanings(NAME, context.signal, async () => {
        const { listen } = await import("./listen.ts");
        return listen(settings, context, deps);
      }),
  });
