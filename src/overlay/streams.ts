import type { History } from "../music/history.ts";
import { describeError } from "../log.ts";
import { STREAM_STARTED, STREAM_STOPPED, type StreamingMessage } from "../../widget/state.ts";
import type { LiveSocket } from "./rooms.ts";
import type { Parts } from "../http/parts.ts";

export interface StreamsDeps extends Pick<Parts, "clock" | "log"> {
  readonly history: Pick<History, "of" | "streamStarted" | "streamStopped">;
}

/** What overlays report of their user's stream: that it starts and stops, if the user allows it. */
export type Streams = ReturnType<typeof createStreams>;

/** Whoever has a widget's address could say more than anybody streams. */
const REPORT_EVERY_MS = 1_000;

/** What a user's overlays have reported. */
interface Reported {
  /** The overlays in an OBS that streams. */
  readonly streaming: Set<LiveSocket>;
  /** When the last of them was lost, in Unix milliseconds. */
  lostAt: number | undefined;
}

export function createStreams({ history, clock, log }: StreamsDeps) {
  const users = new Map<number, Reported>();
  const nextReports = new WeakMap<LiveSocket, { atMs: number; word?: boolean }>();

  const reportedOf = (userId: number): Reported => {
    const reported = users.get(userId) ?? { streaming: new Set(), lostAt: undefined };
    users.set(userId, reported);
    return reported;
  };

  const store = (stored: Promise<void>) =>
    void stored.catch((error: unknown) =>
      log.warn("a stream could not be stored yet", { reason: describeError(error) }),
    );

  const take = (socket: LiveSocket, isStreaming: boolean) => {
    const { userId } = socket.data;
    const reported = reportedOf(userId);
    if (isStreaming) {
      reported.streaming.add(socket);
      reported.lostAt = undefined;
      store(history.streamStarted(userId));
      return;
    }
    reported.streaming.delete(socket);
    // Another computer may stream while this one does not.
    if (reported.streaming.size > 0) return;
    store(history.streamStopped(userId, reported.lostAt ?? clock.wallMs()));
    users.delete(userId);
  };

  /** At once, or when it is this overlay's turn again: then only its last word counts. */
  const takeInTurn = (socket: LiveSocket, word: boolean) => {
    const nowMs = clock.monotonicMs();
    const next = nextReports.get(socket);
    if (next?.word !== undefined) {
      next.word = word;
    } else if (next && nowMs < next.atMs) {
      next.word = word;
      clock.after(next.atMs - nowMs, () => {
        nextReports.set(socket, { atMs: clock.monotonicMs() + REPORT_EVERY_MS });
        if (next.word !== undefined && socket.readyState === WebSocket.OPEN)
          take(socket, next.word);
      });
    } else {
      nextReports.set(socket, { atMs: nowMs + REPORT_EVERY_MS });
      take(socket, word);
    }
  };

  return {
    /** Asks an overlay to report it, or not to, when that has changed. */
    ask(socket: LiveSocket) {
      const { data } = socket;
      const wanted = data.token !== null && history.of(data.userId).followsStreams;
      if (wanted === data.isAskedForStreams) return;
      data.isAskedForStreams = wanted;
      socket.send(JSON.stringify({ type: "streaming", wanted } satisfies StreamingMessage));
    },
    /** Everything but the two words is ignored. */
    received(socket: LiveSocket, message: string | Uint8Array) {
      if (!socket.data.isAskedForStreams) return;
      if (message === STREAM_STARTED) takeInTurn(socket, true);
      else if (message === STREAM_STOPPED) takeInTurn(socket, false);
    },
    closed(socket: LiveSocket) {
      const reported = users.get(socket.data.userId);
      // The stream goes on: the page may only load again.
      if (!reported?.streaming.delete(socket) || reported.streaming.size > 0) return;
      reported.lostAt = clock.wallMs();
    },
  };
}
