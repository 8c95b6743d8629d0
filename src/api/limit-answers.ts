import { apiHeaders, failureBody } from "./envelope.ts";
import { createRateLimit, secondsOf } from "../http/rate-limit.ts";

/**
 * What the rate limit of one endpoint adds to answers. Headers and bodies are built once: only the wait
 * differs.
 */
export function createLimitAnswers(windowSeconds: number) {
  const rateLimit = createRateLimit(windowSeconds);
  const body = failureBody(rateLimit.message);
  /** By the whole seconds to wait, of which there are no more than the window has. */
  const refusals = new Map<number, Headers>();

  const refuse = (waitMs: number): Response => {
    const waitSeconds = secondsOf(waitMs);
    let headers = refusals.get(waitSeconds);
    if (!headers) {
      headers = apiHeaders(rateLimit.headers(waitMs));
      refusals.set(waitSeconds, headers);
    }
    return new Response(body, { status: 429, headers });
  };

  return {
    /** The headers of an answer to a call that was allowed. */
    headers: apiHeaders(rateLimit.headers()),
    /** Counts a call at a monotonic time in milliseconds. The answer to it, if it came too early. */
    refusalOf(keyId: string, nowMs: number) {
      const waitMs = rateLimit.count(keyId, nowMs);
      return waitMs === undefined ? undefined : refuse(waitMs);
    },
  };
}
