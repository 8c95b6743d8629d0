import { apiHeaders, failureBody } from "./envelope.ts";
import { type Caller, createRateLimit, secondsOf } from "./rate-limit.ts";

/** What the rate limit adds to answers. Headers and bodies are built once: only the wait differs. */
export interface LimitAnswers {
  /** The headers of an answer to a call that was allowed. */
  readonly headers: Headers;
  /** Counts a call at a monotonic time in milliseconds. The answer to it, if it came too early. */
  refusalOf(caller: Caller, nowMs: number): Response | undefined;
}

export function createLimitAnswers(windowSeconds: number): LimitAnswers {
  const rateLimit = createRateLimit(windowSeconds);
  const body = failureBody(rateLimit.message);
  /** By the whole seconds to wait, of which there are no more than the window has. */
  const refusals = new Map<number, Headers>();

  return {
    headers: apiHeaders(rateLimit.headers({ allowed: true })),
    refusalOf(caller, nowMs) {
      const verdict = rateLimit.admit(caller, nowMs);
      if (verdict.allowed) return undefined;
      const waitSeconds = secondsOf(verdict.waitMs);
      let headers = refusals.get(waitSeconds);
      if (!headers) {
        headers = apiHeaders(rateLimit.headers(verdict));
        refusals.set(waitSeconds, headers);
      }
      return new Response(body, { status: 429, headers });
    },
  };
}
