import type { Artwork, Playback } from "../../../playback.ts";
import { choosePlayer, type ReportingPlayer } from "../../choose-player.ts";
import { unavailable, type WatchContext } from "../../source.ts";
import { isFollowed, readSession } from "./player.ts";
import type { MediaSession } from "./reader-lines.ts";
import { statesOf } from "./reader-states.ts";
import type { MediaSessionDeps, MediaSessionKind, MediaSessionSettings } from "./settings.ts";

/** Yields what is shown of the sessions, after each change. @throws {SourceFailure} */
export async function* listen(
  kind: MediaSessionKind,
  { player }: MediaSessionSettings,
  context: WatchContext,
  deps: MediaSessionDeps,
): AsyncGenerator<Playback | null, void> {
  const reader = await deps.reader();
  const origin = `${kind.id} ${context.connection.id}`;
  /** By program, of those that are there. */
  let known = new Map<string, Playback>();
  let shown: string | undefined;
  for await (const state of statesOf(reader, context)) {
    if (state.kind === "unavailable") throw unavailable(`${kind.name}: ${state.reason}`);
    if (state.kind === "starting") continue;
    const before = known;
    known = new Map();
    // A program may have several sessions.
    const players: ReportingPlayer[] = [];
    for (const session of state.sessions.filter((one) => isFollowed(one, player))) {
      const last = before.get(session.app) ?? null;
      const playback = readSession(session, {
        source: kind,
        observedAtMs: state.observedAtMs,
        before: last,
        cover: coverOf(session, reader.coverOf(session), { id: kind.id, origin, before: last }),
      });
      if (!playback) continue;
      known.set(session.app, playback);
      players.push({ name: session.app, playback });
    }
    const chosen = choosePlayer(players, shown);
    shown = chosen?.name;
    yield chosen?.playback ?? null;
  }
}

/** The picture of a session: the one that it had before, while its content is the same. */
function coverOf(
  { cover }: MediaSession,
  bytes: Uint8Array | undefined,
  context: { readonly id: string; readonly origin: string; readonly before: Playback | null },
): Artwork | null {
  if (cover === null || bytes === undefined) return null;
  const { id, origin, before } = context;
  const key = `${id}:${cover}`;
  const [shown] = before?.album.artworks ?? [];
  return shown?.key === key ? shown : { key, origin, load: async () => bytes };
}
