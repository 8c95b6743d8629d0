import type { Clock } from "../clock.ts";
import type { Playback } from "../playback.ts";
import { UpstreamError } from "../upstream/index.ts";
import type { UpstreamSocket } from "../upstream/socket.ts";

export interface PushOrPollDeps {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  ask(): Promise<Playback | null>;
  /** An {@link UpstreamError} means that there is none now. */
  open(): Promise<UpstreamSocket>;
  /** Yields what is pushed. Returns when nothing is, although the server can be asked. */
  follow(socket: UpstreamSocket): AsyncIterable<Playback | null>;
}

/** Where nothing is pushed, a server is asked this often, and the push tried again now and then. */
const POLL_MS = 1_000;
const RETRY_PUSH_MS = 5 * 60_000;

/** Follows a server that pushes changes, or is asked where it does not. */
export async function* pushOrPoll({
  clock,
  signal,
  ask,
  open,
  follow,
}: PushOrPollDeps): AsyncGenerator<Playback | null, void> {
  while (!signal.aborted) {
    yield await ask();
    const socket = await open().catch((error: unknown) => {
      if (error instanceof UpstreamError) return undefined;
      throw error;
    });
    try {
      if (socket) yield* follow(socket);
    } finally {
      socket?.close();
    }
    const retryAtMs = clock.monotonicMs() + RETRY_PUSH_MS;
    while (!signal.aborted && clock.monotonicMs() < retryAtMs) {
      await clock.sleep(POLL_MS, signal);
      yield await ask();
    }
  }
}
