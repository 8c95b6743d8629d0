import type { Playback } from "../playback.ts";
import { UnreadableAnswer } from "../upstream/json.ts";
import { SourceFailure, unavailable, unexpected } from "./source.ts";
import { UpstreamError } from "../upstream/index.ts";

/** What is watched. It ends quietly when it is asked to, and gives every other end one of the three meanings. */
export async function* withMeanings(
  name: string,
  signal: AbortSignal,
  watch: () => AsyncIterable<Playback | null> | Promise<AsyncIterable<Playback | null>>,
): AsyncGenerator<Playback | null, void> {
  if (signal.aborted) return;
  try {
    yield* await watch();
  } catch (error) {
    if (signal.aborted) return;
    throw toSourceFailure(error, name);
  }
}

/** What an answer of another status than 200 means, from whom it comes. */
export function statusFailure(from: string, status: number): SourceFailure {
  // Servers that start or are overloaded answer so.
  if (status >= 500) return unavailable(`${from} answered ${status}`);
  const isRedirect = status >= 300 && status < 400;
  return unexpected(
    isRedirect
      ? `${from} leads to another address (${status}): enter that one`
      : `${from} answered ${status}`,
  );
}

/**
 * What an error while an upstream was asked means for its source.
 * @param name the upstream's display name
 */
export function toSourceFailure(error: unknown, name: string): SourceFailure {
  if (error instanceof SourceFailure) return error;
  if (error instanceof UnreadableAnswer) return unexpected(`${name}: ${error.message}`);
  const isKnown = error instanceof UpstreamError;
  const reason = isKnown ? error.message : "its answer could not be understood";
  // The cause of another error may hold what was sent, so only its kind is reported.
  const cause = isKnown ? error.cause : error instanceof Error ? error.name : undefined;
  return unavailable(`${name}: ${reason}`, { cause });
}
