import type { Playback } from "../playback.ts";
import { BusLost, connectBus } from "./mpris/bus.ts";
import { type Covers, createCovers } from "./mpris/cover.ts";
import { artUrlOf, choosePlayer, type Heard, readPlayer } from "./mpris/player.ts";
import { readTexts } from "./entered-server.ts";
import {
  defineSource,
  type Source,
  SourceFailure,
  SourceSettingsError,
  type WatchContext,
} from "./source.ts";
import type { Upstream } from "./upstream.ts";

/** Players on the desktop of this machine: https://specifications.freedesktop.org/mpris-spec/latest/ */

interface MprisSettings {
  /** Only players with this name; empty for all of them. */
  readonly player: string;
}

export interface MprisDeps {
  /** For covers on the web. */
  readonly upstream: Upstream;
  /** The address of the session bus, in tests. */
  readonly busAddress?: string;
}

const NAME = "MPRIS";

export function createMpris(deps: MprisDeps): Source {
  return defineSource<MprisSettings>({
    id: "mpris",
    name: NAME,
    delivery: "streamed",
    ownerOnly: true,
    options: [
      {
        name: "player",
        placeholder: "name",
        help: "Listen only to this player, such as chromium, vlc or mpv; without it, to all.",
      },
    ],
    parseSettings(input) {
      const { player } = readTexts(input, ["player"]);
      const name = player.trim();
      if (name === "" || /^[\w-]+(\.[\w-]+)*$/.test(name)) return { player: name };
      throw new SourceSettingsError(
        "player: must be a player's name on the bus, such as chromium, vlc or mpv.",
      );
    },
    account: ({ player }) => ({ displayName: player || NAME, product: null }),

    async *watch(settings, context) {
      if (context.signal.aborted) return;
      try {
        yield* listen(settings, context, deps);
      } catch (error) {
        if (context.signal.aborted) return;
        throw toSourceFailure(error);
      }
    },
  });
}

async function* listen(
  { player }: MprisSettings,
  context: WatchContext,
  deps: MprisDeps,
): AsyncGenerator<Playback | null, void> {
  const bus = await connectBus(deps.busAddress ?? sessionBusAddress(), context);
  const origin = `mpris ${context.connection.id}`;
  /** By player's name, what a round has to know of the one before. */
  let known = new Map<string, { readonly covers: Covers; readonly playback: Playback | null }>();
  let shown: string | undefined;
  try {
    while (!context.signal.aborted) {
      const before = known;
      known = new Map();
      for (const state of bus.players()) {
        const { name } = state;
        if (player !== "" && name !== player && !name.startsWith(`${player}.`)) continue;
        const { covers = createCovers(deps.upstream, origin), playback: last = null } =
          before.get(name) ?? {};
        const cover = await covers.at(artUrlOf(state));
        known.set(name, { covers, playback: readPlayer(state, last, cover) });
      }
      const heard = [...known].flatMap(([name, { playback }]): Heard[] =>
        playback ? [{ name, playback }] : [],
      );
      const chosen = choosePlayer(heard, shown);
      shown = chosen?.name;
      yield chosen?.playback ?? null;
      await bus.nextChange();
    }
  } finally {
    bus.close();
  }
}

/** Where the bus is, for a program that the desktop has not started itself. */
function sessionBusAddress(): string {
  return (
    process.env["DBUS_SESSION_BUS_ADDRESS"] || `unix:path=/run/user/${process.getuid?.() ?? 0}/bus`
  );
}

function toSourceFailure(error: unknown): SourceFailure {
  const reason =
    error instanceof BusLost
      ? `${error.message}: Marquee has to run in the session of your desktop`
      : "it could not be read";
  return new SourceFailure({ kind: "unavailable" }, `${NAME}: ${reason}`, { cause: error });
}
