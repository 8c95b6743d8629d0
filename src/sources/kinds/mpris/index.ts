import { BusLost } from "./bus-lost.ts";
import { defineSource, type Source, type SourceFailure, unavailable } from "../../source.ts";
import type { MprisDeps } from "./settings.ts";

/** Players on the desktop of this machine: https://specifications.freedesktop.org/mpris-spec/latest/ */

const NAME = "MPRIS";

export function createMpris(deps: MprisDeps): Source {
  return defineSource({
    id: "mpris",
    name: NAME,
    delivery: "streamed",
    facts: {
      runs: "computer",
      position: "yes",
      pause: "yes",
      cover: "yes",
      volume: "some",
      calls: ["covers"],
    },
    ownerOnly: true,
    onlyOn: "linux",
    options: {
      player: {
        placeholder: "name",
        help: "Follow only this player, such as chromium, vlc or mpv; without it, all of them.",
        fallback: "",
        allowed: "a player's name on the bus, such as chromium, vlc or mpv",
        parse(text) {
          const name = text.trim();
          return name === "" || /^[\w-]+(\.[\w-]+)*$/.test(name) ? name : undefined;
        },
      },
    },
    account: ({ player }) => ({ displayName: player || NAME }),

    findHere: async (search) => (await import("./find.ts")).find(search),

    async *watch(settings, context) {
      if (context.signal.aborted) return;
      try {
        const { listen } = await import("./listen.ts");
        yield* listen(settings, context, deps);
      } catch (error) {
        if (context.signal.aborted) return;
        throw toSourceFailure(error);
      }
    },
  });
}

function toSourceFailure(error: unknown): SourceFailure {
  const [reason, cause] =
    error instanceof BusLost
      ? [`${error.message}: Marquee has to run in the session of your desktop`, error.cause]
      : ["it could not be read", error];
  return unavailable(`${NAME}: ${reason}`, { cause });
}
