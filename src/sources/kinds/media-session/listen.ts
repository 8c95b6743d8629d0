import type { Artwork, Playback } from "../../../playback.ts";
import { choosePlayer, type ReportingPlayer } from "../../choose-player.ts";
import { unavailable, type WatchContext } from "../../source.ts";
import { createMessageQueue } from "../../../upstream/message-queue.ts";
import { isFollowed, readSession } from "./player.ts";
import type { MediaSession } from "./reader-lines.ts";
import type { MediaSessionDeps, MediaSessionKind, MediaSessionSettings } from "./settings.ts";

/** Yields what is shown of the sessions, after each change. @throws {SourceFailure} */
export async function* listen(
  kind: MediaSessionKind,
  { player }: MediaSessionSettings,
  { clock, signal, connection }: WatchContext,
  deps: MediaSessionDeps,
): AsyncGenerator<Playback | null, void> {
  const reader = await deps.reader();
  const changes = createMessageQueue<true>(clock);
  const wake = () => {
    if (changes.size === 0) changes.push(true);
  };
  const covers = createCovers(kind.id, `${kind.id} ${connection.id}`);
  /** By program. */
  let known = new Map<string, Playback>();
  let shown: string | undefined;
  const release = reader.use(wake);
  signal.addEventListener("abort", wake);
  try {
    while (!signal.aborted) {
      const state = reader.state();
      if (state.kind === "unavailable") {
        throw unavailable(`${kind.name}: ${state.reason}`);
      }
      if (state.kind === "sessions") {
        const before = known;
        known = new Map();
        const players: ReportingPlayer[] = [];
        for (const session of state.sessions.filter((one) => isFollowed(one, player))) {
          const { app } = session;
          const playback = readSession(session, {
            source: kind,
            observedAtMs: state.observedAtMs,
            before: before.get(app) ?? null,
            cover: covers.of(session, reader.coverOf(session)),
          });
          if (!playback) continue;
          known.set(app, playback);
          players.push({ name: app, playback });
        }
        const chosen = choosePlayer(players, shown);
        shown = chosen?.name;
        yield chosen?.playback ?? null;
      }
      await changes.receive();
    }
  } finally {
    signal.removeEventListener("abort", wake);
    release();
  }
}

/** The pictures of sessions: the same one while its content is the same. */
function createCovers(id: string, origin: string) {
  const known = new Map<string, Artwork>();
  return {
    of({ app, cover }: MediaSession, bytes: Uint8Array | undefined): Artwork | null {
      if (cover === null || bytes === undefined) return null;
      const key = `${id}:${cover}`;
      const before = known.get(app);
      if (before?.key === key) return before;
      const artwork: Artwork = { key, origin, load: async () => bytes };
      known.set(app, artwork);
      return artwork;
    },
  };
}
