import { createMessageQueue } from "../upstream/message-queue.ts";
import { type Said, type SourceOption, UNSTORED, type WatchContext } from "./source.ts";

/** Decks are loaded, and streams report, before a song is heard: it may be shown later. */

const MOST_SECONDS = 30;

export interface Delayed {
  /** Seconds; 0 for at once. */
  readonly delay: number;
}

export const DELAY_OPTION = {
  placeholder: "seconds",
  help: `Shows each song so many seconds later, 0 to ${MOST_SECONDS}, if it is reported before it is heard.`,
  fallback: 0,
  allowed: `a number of seconds from 0 to ${MOST_SECONDS}`,
  parse(text: string) {
    const seconds = Number(text);
    return seconds >= 0 && seconds <= MOST_SECONDS ? seconds : undefined;
  },
} satisfies SourceOption;

/**
 * What is watched, each playback so much later than it was observed; its position is that of what is heard
 * then. What was observed before that is yielded at once, and so is it that nothing plays at first.
 */
export async function* delayed(
  watch: (signal: AbortSignal) => AsyncIterable<Said>,
  { delay }: Delayed,
  { clock, signal, connection }: Pick<WatchContext, "clock" | "signal" | "connection">,
): AsyncGenerator<Said, void> {
  // A first try asks whether there is an answer, and shows none.
  if (delay === 0 || connection === UNSTORED) return yield* watch(signal);
  const delayMs = delay * 1_000;
  const leaving = new AbortController();
  const ending = AbortSignal.any([signal, leaving.signal]);
  const queue = createMessageQueue<{ playback: Said; atMs: number }>(clock);
  const read = async () => {
    let isFirst = true;
    for await (const playback of watch(ending)) {
      const nowMs = clock.monotonicMs();
      const startMs = playback?.observedAtMs ?? (isFirst ? nowMs - delayMs : nowMs);
      queue.push({ playback, atMs: startMs + delayMs });
      isFirst = false;
    }
  };
  let failure: unknown;
  read()
    .catch((error: unknown) => (failure = error))
    .finally(() => queue.end(ENDED));
  try {
    for (let isFirst = true; !ending.aborted; isFirst = false) {
      const next = await queue.receive().catch(() => undefined);
      if (!next) break;
      const waitMs = next.atMs - clock.monotonicMs();
      if (waitMs > 0) {
        if (isFirst) yield undefined;
        await clock.sleep(waitMs, ending);
      }
      if (ending.aborted) break;
      yield next.playback && { ...next.playback, observedAtMs: next.atMs };
    }
    if (failure !== undefined && !signal.aborted) throw failure;
  } finally {
    leaving.abort();
  }
}

const ENDED = new Error("nothing follows");
