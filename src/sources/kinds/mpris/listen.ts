import type { Playback } from "../../../playback.ts";
import type { Covers } from "../../../upstream/covers.ts";
import { choosePlayer, type ReportingPlayer } from "../../choose-player.ts";
import type { WatchContext } from "../../source.ts";
import { connectBus } from "./bus.ts";
import { type CoverAt, createPlayerCovers } from "./cover.ts";
import { artUrlOf, readPlayer } from "./player.ts";

export interface MprisDeps {
  readonly covers: Pick<Covers, "named">;
  /** The address of the session bus. */
  readonly busAddress: string;
}

/** @param player only players with this name are followed; empty for all of them */
export async function* listen(
  { player }: { readonly player: string },
  context: WatchContext,
  deps: MprisDeps,
): AsyncGenerator<Playback | null, void> {
  const bus = await connectBus(deps.busAddress, context);
  const origin = `mpris ${context.connection.id}`;
  /** By player's name, what a round has to know of the one before. */
  let known = new Map<string, { readonly coverAt: CoverAt; readonly playback: Playback | null }>();
  let shown: string | undefined;
  try {
    while (!context.signal.aborted) {
      const before = known;
      known = new Map();
      for (const state of bus.players()) {
        const { name } = state;
        if (player !== "" && name !== player && !name.startsWith(`${player}.`)) continue;
        const { coverAt = createPlayerCovers(deps.covers, origin), playback: last = null } =
          before.get(name) ?? {};
        const cover = await coverAt(artUrlOf(state));
        known.set(name, { coverAt, playback: readPlayer(state, last, cover) });
      }
      const reporting = [...known].flatMap(([name, { playback }]): ReportingPlayer[] =>
        playback ? [{ name, playback }] : [],
      );
      const chosen = choosePlayer(reporting, shown);
      shown = chosen?.name;
      yield chosen?.playback ?? null;
      await bus.nextChange();
    }
  } finally {
    bus.close();
  }
}
