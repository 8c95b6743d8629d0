import type { Playback } from "../../../playback.ts";
import { parseJson } from "../../../upstream/json.ts";
import type { UpstreamSocket } from "../../../upstream/socket.ts";
import type { AskedServer } from "../../asked-server.ts";
import { pushOrPoll } from "../../push-or-poll.ts";
import type { WatchContext } from "../../source.ts";
import {
  type Session,
  type Tick,
  chooseSession,
  keyOf,
  offsetOf,
  ratingKeyOf,
  readSession,
  ticksIn,
  withTick,
} from "./sessions.ts";

/** The list is read again this often, in case that a notification was lost. */
const RESYNC_MS = 15_000;
/** Right after a notification the list may still be the one before. */
const LIST_LAG_MS = 1_000;

export async function* listen(
  server: AskedServer,
  { clock, signal }: WatchContext,
  { user }: { readonly user: string },
): AsyncGenerator<Playback | null, void> {
  let last: { session: Session; playback: Playback; offsetMs: number } | undefined;

  const coverAt = (thumb: string) =>
    server.artwork(
      thumb,
      `/photo/:/transcode?${new URLSearchParams({ width: "640", height: "640", minSize: "1", url: thumb })}`,
    );
  const read = (
    session: Session | undefined,
    observedAtMs: number,
    hasPosition?: boolean,
  ): Playback | null => {
    if (session === undefined) {
      last = undefined;
      return null;
    }
    const playback = readSession(session, observedAtMs, last, coverAt, hasPosition);
    last = { session, playback, offsetMs: offsetOf(session) };
    return playback;
  };
  const ask = async (): Promise<Playback | null> => {
    const answer = await server.getJson("/status/sessions");
    const shownKey = last && keyOf(last.session);
    return read(chooseSession(answer.body, { user, shownKey }), answer.observedAtMs);
  };
  /** What a notification about the shown session says by itself. */
  const readTick = ({ sessionKey, ratingKey, ...tick }: Tick): Playback | null | undefined => {
    const isShown =
      last && keyOf(last.session) === sessionKey && ratingKeyOf(last.session) === ratingKey;
    if (!last || !isShown) return undefined;
    if (tick.state === "stopped") return read(undefined, clock.monotonicMs());
    const session = withTick(last.session, { sessionKey, ratingKey, ...tick });
    return read(session, clock.monotonicMs(), tick.offsetMs !== undefined);
  };

  const open = () => server.openSocket("/:/websockets/notifications?filters=playing");
  async function* follow(socket: UpstreamSocket): AsyncGenerator<Playback | null, void> {
    // What has changed while the socket was opened is told by no notification.
    let askAtMs = clock.monotonicMs() + LIST_LAG_MS;
    while (!signal.aborted) {
      const message = await socket.receive(Math.max(0, askAtMs - clock.monotonicMs()));
      const ticks = message === undefined ? [] : ticksIn(parseJson(message));
      for (const tick of ticks) {
        const playback = readTick(tick);
        if (playback !== undefined) yield playback;
        // A notification names neither the user nor the title, so the list is read for these.
        if (playback === undefined && tick.state !== "stopped") yield await ask();
        // After an end, another session may be the one to show; and an end may name another track of
        // the shown session, or its track with another session.
        if (!playback) askAtMs = Math.min(askAtMs, clock.monotonicMs() + LIST_LAG_MS);
      }
      if (clock.monotonicMs() >= askAtMs) {
        yield await ask();
        askAtMs = clock.monotonicMs() + RESYNC_MS;
      }
    }
  }
  yield* pushOrPoll({ clock, signal, ask, open, follow });
}
