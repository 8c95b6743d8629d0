import { eq } from "drizzle-orm";
import type { DeferredWrites } from "../db/deferred-writes.ts";
import type { Clock } from "../clock.ts";
import { histories } from "../db/schema.ts";
import type { Store } from "../db/store.ts";

/** A stream, as an overlay has reported it; Unix milliseconds. */
export interface Stream {
  readonly startedAt: number;
  /** `null` while it runs. */
  readonly endedAt: number | null;
}

/** Twitch ends a stream after two days. One that runs for longer has lost its end. */
const LONGEST_STREAM_MS = 48 * 3_600_000;
/** OBS may lose its connection, or start again after a crash. */
const SAME_STREAM_MS = 5 * 60_000;

/**
 * The running or last stream of each user who allows that it is known.
 * @param isAllowed whether a user allows it
 */
export function createStreams(
  store: Store,
  wallMs: Clock["wallMs"],
  deferred: Pick<DeferredWrites, "writeSoon">,
  isAllowed: (userId: number) => boolean,
) {
  const streams = new Map<number, Stream>();
  const notedStreams = new Map<number, Stream>();

  const storeStreams = () => {
    store.transaction((tx) => {
      for (const [userId, { startedAt, endedAt }] of notedStreams) {
        tx.update(histories)
          .set({ streamStartedAt: startedAt, streamEndedAt: endedAt })
          .where(eq(histories.userId, userId))
          .run();
      }
    });
    notedStreams.clear();
  };

  const noteStream = async (userId: number, stream: Stream) => {
    streams.set(userId, stream);
    notedStreams.set(userId, stream);
    await deferred.writeSoon("streams", storeStreams);
  };

  /**
   * The running stream, or the last one; `undefined` unless the user has allowed it. One that does not end
   * is over after two days.
   */
  const streamOf = (userId: number): Stream | undefined => {
    const stream = isAllowed(userId) ? streams.get(userId) : undefined;
    if (stream?.endedAt !== null) return stream;
    const latestEnd = stream.startedAt + LONGEST_STREAM_MS;
    return wallMs() < latestEnd ? stream : { ...stream, endedAt: latestEnd };
  };

  return {
    of: streamOf,
    /** Stores that a stream has started. Soon after an end, the last one goes on. */
    async started(userId: number) {
      if (!isAllowed(userId)) return;
      const last = streamOf(userId);
      if (last?.endedAt === null) return;
      const goesOn =
        last !== undefined &&
        wallMs() - last.endedAt <= SAME_STREAM_MS &&
        wallMs() - last.startedAt < LONGEST_STREAM_MS;
      const startedAt = goesOn ? last.startedAt : wallMs();
      await noteStream(userId, { startedAt, endedAt: null });
    },
    /** @param endedAt Unix milliseconds */
    async stopped(userId: number, endedAt: number) {
      const last = streamOf(userId);
      if (last?.endedAt !== null) return;
      await noteStream(userId, { ...last, endedAt });
    },
    /** Takes in what is stored of a user; `undefined` when nothing is. */
    load(userId: number, stored: Stream | undefined) {
      const stream = notedStreams.get(userId) ?? stored;
      if (stream) streams.set(userId, stream);
      else streams.delete(userId);
    },
    /** What waits to be stored of a user is not stored any more. */
    forget: (userId: number) => void notedStreams.delete(userId),
  };
}
