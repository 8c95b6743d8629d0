import { isSameSong, type Playback } from "../../../playback.ts";
import { identifierOf, isRecord, parseJson } from "../../../upstream/json.ts";
import type { AskedServer } from "../../asked-server.ts";
import { pushOrPoll } from "../../push-or-poll.ts";
import type { WatchContext } from "../../source.ts";
import type { UpstreamSocket } from "../../../upstream/socket.ts";
import { chooseSession, readSession, ticksOf } from "./sessions.ts";

/** Sessions of players that were not used for longer are not listed. */
const ACTIVE_S = 960;
/** The server hangs up after a minute without it. */
const KEEP_ALIVE_MS = 30_000;
/** The server answers the subscription at once, if it is going to push at all. */
const FIRST_PUSH_MS = 3_000;
/** Asked this often, a push that has stopped is noticed, and so is a player that is gone. */
const RESYNC_MS = 10_000;

/** Jellyfin and Emby. Both descend from a program called Media Browser and speak nearly the same. */
export interface MediaBrowser {
  readonly id: string;
  readonly name: string;
  /** The path below which the API is. */
  readonly api: string;
  headersFor(token: string): Record<string, string>;
  /** The path and query of the WebSocket. */
  socketFor(token: string, deviceId: string): string;
}

export async function* listen(
  { api, socketFor }: MediaBrowser,
  server: AskedServer,
  { clock, signal, connection }: WatchContext,
  { user, token }: { readonly user: string; readonly token: string },
): AsyncGenerator<Playback | null, void> {
  let { wallMs: serverWallMs } = clock;
  let last: { shownId: string; playback: Playback; ticks: number | undefined } | undefined;

  const read = (sessions: unknown, observedAtMs: number): Playback | null => {
    const session = chooseSession(sessions, {
      user,
      serverWallMs: serverWallMs(),
      shownId: last?.shownId,
    });
    if (session === undefined) {
      last = undefined;
      return null;
    }
    const shownId = identifierOf(session["Id"]);
    const before = last?.shownId === shownId ? last : undefined;
    const playback = readSession(session, server.name, observedAtMs, before, (item, tag) =>
      server.artwork(
        `${item}:${tag}`,
        `${api}/Items/${encodeURIComponent(item)}/Images/Primary?fillWidth=640&tag=${encodeURIComponent(tag)}`,
      ),
    );
    last = { shownId, playback, ticks: ticksOf(session) };
    return playback;
  };

  const ask = async (): Promise<Playback | null> => {
    const answer = await server.getJson(`${api}/Sessions?activeWithinSeconds=${ACTIVE_S}`);
    ({ serverWallMs } = answer);
    return read(answer.body, answer.observedAtMs);
  };

  async function* follow(socket: UpstreamSocket): AsyncGenerator<Playback | null, void> {
    let hasPushed = false;
    let resyncAtMs = clock.monotonicMs() + FIRST_PUSH_MS;
    let keepAliveAtMs = clock.monotonicMs() + KEEP_ALIVE_MS;
    socket.send(JSON.stringify({ MessageType: "SessionsStart", Data: "0,1500" }));
    for (;;) {
      const dueMs = Math.min(resyncAtMs, keepAliveAtMs) - clock.monotonicMs();
      const message = await socket.receive(Math.max(0, dueMs)).catch((error: unknown) => {
        // Some versions take the connection and then refuse to push to it.
        if (hasPushed || signal.aborted) throw error;
        return "refused" as const;
      });
      const nowMs = clock.monotonicMs();
      if (message === "refused") return;
      const sessions = message === undefined ? undefined : sessionsIn(message);
      if (sessions !== undefined) {
        hasPushed = true;
        resyncAtMs = nowMs + RESYNC_MS;
        yield read(sessions, nowMs);
      }
      if (nowMs >= keepAliveAtMs) {
        socket.send(JSON.stringify({ MessageType: "KeepAlive" }));
        keepAliveAtMs = nowMs + KEEP_ALIVE_MS;
      }
      if (nowMs >= resyncAtMs) {
        const before = last?.playback ?? null;
        const playback = await ask();
        yield playback;
        if (!hasPushed || !isSameListening(before, playback)) return;
        resyncAtMs = nowMs + RESYNC_MS;
      }
    }
  }

  const open = () => server.openSocket(`/${socketFor(token, `marquee-${connection.id}`)}`);
  yield* pushOrPoll({ clock, signal, ask, open, follow });
}

/** The sessions in a message; `undefined` when it is about something else. */
function sessionsIn(message: string): unknown {
  const parsed = parseJson(message);
  return isRecord(parsed) && parsed["MessageType"] === "Sessions" ? parsed["Data"] : undefined;
}

const isSameListening = (a: Playback | null, b: Playback | null): boolean =>
  (a === b || isSameSong(a, b)) && a?.state === b?.state;
