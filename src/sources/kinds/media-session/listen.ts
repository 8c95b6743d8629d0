import type { Artwork, Playback } from "../../../playback.ts";
import { choosePlayer, type ReportingPlayer } from "../../choose-player.ts";
import { unavailable, type WatchContext } from "../../source.ts";
import { createMessageQueue } from "../../../upstream/message-queue.ts";
import { isFollowed, readSession } from "./player.ts";
import type { MediaSession } from "./reader-lines.ts";
import type { MediaSessionDeps, MediaSessionKind, MediaSessionSettings } from "./settings.ts";

/** Only changes are reported. While the reader runs, what it has reported still holds. */
const REPEAT_MS = 10_000;

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
  const origin = `${kind.id} ${connection.id}`;
  /** By program, of those that are there. */
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
          const last = before.get(app);
          const context = { id: kind.id, origin, before: last };
          const playback = readSession(session, {
            source: kind,
            observedAtMs: state.observedAtMs,
            before: last ?? null,
            cover: coverOf(session, reader.coverOf(session), context),
          });
          if (!playback) continue;
          known.set(app, playback);
          players.push({ name: app, playback });
        }
        const chosen = choosePlayer(players, shown);
        shown = chosen?.name;
        yield chosen?.playback ?? null;
      }
      await changes.receive(REPEAT_MS);
    }
  } finally {
    signal.removeEventListener("abort", wake);
    release();
  }
}

/** The picture of a session: the one that it had before, while its content is the same. */
function coverOf(
  { cover }: MediaSession,
  bytes: Uint8Array | undefined,
  context: { readonly id: string; readonly origin: string; readonly before: Playback | undefined },
): Artwork | null {
  if (cover === null || bytes === undefined) return null;
  const { id, origin, before } = context;
  const key = `${id}:${cover}`;
  const [shown] = before?.album.artworks ?? [];
  return shown?.key === key ? shown : { key, origin, load: async () => bytes };
}
