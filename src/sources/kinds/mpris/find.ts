import type { FoundPlayer, Search } from "../../here/found.ts";
import { trackOf } from "../../here/found.ts";
import { connectBus } from "./bus.ts";
import { readPlayer } from "./player.ts";

/** Every player on the session bus. Of several of one name, one that plays. */
export async function find(search: Search): Promise<FoundPlayer[]> {
  const bus = await connectBus(search.machine.busAddress, search);
  try {
    const found = new Map<string, FoundPlayer>();
    for (const state of bus.players()) {
      // A browser adds the number of its process, which is another one after its next start.
      const player = state.name.replace(/\.instance\w*$/, "");
      const track = trackOf(readPlayer(state, null, null));
      const isPlaying = found.get(player)?.track?.state === "playing";
      if (!isPlaying)
        found.set(player, { name: state.identity ?? player, settings: { player }, track });
    }
    return [...found.values()];
  } finally {
    bus.close();
  }
}
