import { UnreadableAnswer } from "../upstream/json.ts";
import { SourceFailure } from "../source.ts";
import { UpstreamError } from "../upstream/index.ts";

/**
 * What an error while an upstream was asked means for its source.
 * @param name the upstream's display name
 */
export function toSourceFailure(error: unknown, name: string): SourceFailure {
  if (error instanceof SourceFailure) return error;
  const isReadable = error instanceof UpstreamError || error instanceof UnreadableAnswer;
  const message = isReadable
    ? `${name}: ${error.message}`
    : `${name}'s answer could not be understood`;
  const cause = isReadable ? {} : { cause: error };
  return new SourceFailure({ kind: "unavailable" }, message, cause);
}
