import type { Playback } from "../playback.ts";
import { type SourceOption, wrongOption } from "./source.ts";
import { toSourceFailure } from "./polling/answer-failure.ts";
import type { Upstream } from "./upstream/index.ts";

/** What the sources have in common that listen to a server over an open connection. */

/** Makes the way to public servers, and to the one at `url`. */
export type UpstreamOf = (source: string, url: string) => Upstream;

export interface StreamedSourceDeps {
  readonly upstreamOf: UpstreamOf;
}

export const tokenOption = (help: string): SourceOption => ({
  name: "token",
  placeholder: "token",
  help,
  secret: true,
});

/**
 * A token that fits into a header and an address. The message does not repeat it.
 * @throws {SourceSettingsError}
 */
export function parseToken(text: string): string {
  const token = text.trim();
  if (/^[\w.~+/=-]{1,1000}$/.test(token)) return token;
  throw wrongOption("token", "must be given, without spaces and quotation marks.");
}

/**
 * Begins to listen, with code that is loaded now. Ends quietly when it is asked to, and gives every
 * other end one of the three meanings.
 */
export async function* withMeaning(
  where: string,
  signal: AbortSignal,
  begin: () => Promise<AsyncIterable<Playback | null>>,
): AsyncGenerator<Playback | null, void> {
  if (signal.aborted) return;
  try {
    yield* await begin();
  } catch (error) {
    if (signal.aborted) return;
    throw toSourceFailure(error, where);
  }
}
