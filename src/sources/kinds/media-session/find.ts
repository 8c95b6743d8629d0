import { type FoundPlayer, type Search, trackOf } from "../../here/found.ts";
import { createMessageQueue } from "../../../upstream/message-queue.ts";
import { isBrowser, nameOf, readSession } from "./player.ts";
import type { MediaSessionDeps, MediaSessionKind } from "./settings.ts";

/** Every program with a session, one that plays first; browsers last. */
export async function find(
  kind: MediaSessionKind,
  { clock, signal }: Search,
  deps: MediaSessionDeps,
): Promise<FoundPlayer[]> {
  const reader = await deps.reader();
  const changes = createMessageQueue<true>(clock);
  const wake = () => changes.push(true);
  const release = reader.use(wake);
  signal.addEventListener("abort", wake);
  try {
    while (reader.state().kind === "starting" && !signal.aborted) await changes.receive();
    const state = reader.state();
    if (state.kind !== "sessions") return [];
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
  } finally {
    signal.removeEventListener("abort", wake);
    release();
  }
}
