import { type FoundPlayer, type Search, trackOf } from "../../here/found.ts";
import { isBrowser, nameOf, readSession } from "./player.ts";
import { statesOf } from "./reader-states.ts";
import type { MediaSessionDeps, MediaSessionKind } from "./settings.ts";

/** Every program with a session, one that plays first; browsers last. */
export async function find(
  kind: MediaSessionKind,
  search: Search,
  deps: MediaSessionDeps,
): Promise<FoundPlayer[]> {
  for await (const state of statesOf(await deps.reader(), search)) {
    if (state.kind === "starting") continue;
    if (state.kind === "unavailable") return [];
    const { observedAtMs } = state;
    const found = new Map<string, FoundPlayer>();
    const inOrder = state.sessions.toSorted((a, b) => Number(isBrowser(a)) - Number(isBrowser(b)));
    for (const session of inOrder) {
      const playback = readSession(session, {
        source: kind,
        observedAtMs,
        before: null,
        cover: null,
      });
      const name = nameOf(session);
      const isPlaying = found.get(name)?.track?.state === "playing";
      if (!playback || isPlaying) continue;
      found.set(name, { name, settings: { player: name }, track: trackOf(playback) });
    }
    return [...found.values()];
  }
  return [];
}
