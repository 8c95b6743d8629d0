import type { KeyHolder } from "../accounts/keys.ts";
import type { Clock } from "../clock.ts";
import type { Authenticate } from "./authenticate.ts";
import { type ExtraHeaders, failure } from "./envelope.ts";
import type { RateLimit } from "./rate-limit.ts";

/** Answers an authenticated call that is within its limit; the headers belong on a 200. */
export type Answer = (holder: KeyHolder, headers: ExtraHeaders | undefined) => Promise<Response>;

/** A route's handler. */
export type Endpoint = (context: { readonly request: Request }) => Promise<Response> | Response;

export interface ReadEndpointDeps {
  readonly authenticate: Authenticate;
  readonly clock: Clock;
  /** `undefined` when calls are not limited. */
  readonly rateLimit: RateLimit | undefined;
}

/** Puts the key and the limit, which counts per key and endpoint, in front of an answer. */
export function createReadEndpoint({ authenticate, clock, rateLimit }: ReadEndpointDeps) {
  return (endpoint: string, answer: Answer): Endpoint =>
    async ({ request }) => {
      const authentication = authenticate(request);
      const holder = authentication instanceof Promise ? await authentication : authentication;
      if (holder instanceof Response) return holder;
      if (!rateLimit) return answer(holder, undefined);
      const caller = { userId: holder.user.id, name: `${endpoint} ${holder.keyId}` };
      const verdict = rateLimit.admit(caller, clock.monotonicMs());
      const headers = rateLimit.headers(verdict);
      return verdict.allowed ? answer(holder, headers) : failure(429, rateLimit.message, headers);
    };
}
