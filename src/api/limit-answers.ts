import { apiHeaders, failureBody } from "./envelope.ts";
import { type Admissions, type Caller, createRateLimit, secondsOf } from "../http/rate-limit.ts";

/** What the rate limit adds to answers. Headers and bodies are built once: only the wait differs. */
export interface LimitAnswers {
  /** The headers of an answer to a call that was allowed. */
  readonly headers: Headers;
  /**
   * Counts a call at a monotonic time in milliseconds. The answer to it, if it came too early. A
   * promise only where other nodes have to be asked.
   */
  refusalOf(caller: Caller, nowMs: number): Response | undefined | Promise<Response | undefined>;
}

/** The limit of one endpoint, on this node or on all that share `admissions`. */
export function createLimitAnswers(
  windowSeconds: number,
  endpoint: string,
  { admit }: Admissions,
): LimitAnswers {
  const rateLimit = createRateLimit(windowSeconds);
  const body = failureBody(rateLimit.message);
  /** By the whole seconds to wait, of which there are no more than the window has. */
  const refusals = new Map<number, Headers>();

  const refuse = (waitMs: number): Response => {
    const waitSeconds = secondsOf(waitMs);
    let headers = refusals.get(waitSeconds);
    if (!headers) {
      headers = apiHeaders(rateLimit.headers({ allowed: false, waitMs }));
      refusals.set(waitSeconds, headers);
    }
    return new Response(body, { status: 429, headers });
  };

  /** Asks the other nodes. While they cannot be asked, what this node knows decides. */
  const refusalByOthers = async (admitted: Promise<number>, caller: Caller, nowMs: number) => {
    const { everyMs } = rateLimit;
    const waitMs = await admitted.catch(() => 0);
    if (waitMs <= 0) return undefined;
    rateLimit.recount(caller, nowMs + waitMs - everyMs);
    return refuse(waitMs + windowSeconds * 1000 - everyMs);
  };

  return {
    headers: apiHeaders(rateLimit.headers({ allowed: true })),
    refusalOf(caller, nowMs) {
      const verdict = rateLimit.admit(caller, nowMs);
      if (!verdict.allowed) return refuse(verdict.waitMs);
      const admitted = admit(`${endpoint} ${caller.name}`, rateLimit.everyMs);
      return admitted === 0 ? undefined : refusalByOthers(admitted, caller, nowMs);
    },
  };
}
