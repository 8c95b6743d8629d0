import { type ApiKey, parseApiKey } from "../accounts/credential.ts";
import type { KeyHolder, Keys } from "../accounts/keys.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import { networkOf } from "../http/client-address.ts";
import { type ExtraHeaders, failure } from "./envelope.ts";
import { createGuessLimit } from "./guess-limit.ts";
import { createRateLimit, secondsOf } from "./rate-limit.ts";

export interface GuardDeps {
  readonly accounts: {
    readonly keys: Pick<Keys, "cachedHolderOf" | "holderOf" | "noteUse">;
  };
  readonly clock: Clock;
  readonly config: Pick<Config, "rateLimitSeconds">;
  /** The client address of a request. */
  addressOf(request: Request): string;
}

/** Answers an authenticated call within its limit. A 200 answer must include the headers. */
export type Answer = (holder: KeyHolder, headers: ExtraHeaders | undefined) => Promise<Response>;

/** A route's handler. */
export type Endpoint = (context: { readonly request: Request }) => Promise<Response> | Response;

const CHALLENGE = { "WWW-Authenticate": 'ApiKey realm="marquee"' };

/** Checks the key and the rate limit, which counts per key and endpoint, before an answer. */
export function createGuard({ accounts, clock, config, addressOf }: GuardDeps) {
  const { keys } = accounts;
  const { rateLimitSeconds } = config;
  const rateLimit = rateLimitSeconds > 0 ? createRateLimit(rateLimitSeconds) : undefined;
  const guesses = createGuessLimit();

  const refuseWrongKey = (request: Request): Response => {
    const waitMs = guesses.countWrongKey(networkOf(addressOf(request)), clock.monotonicMs());
    if (waitMs === undefined) return failure(401, "Invalid API key", CHALLENGE);
    return failure(429, "Too many invalid keys", { "Retry-After": String(secondsOf(waitMs)) });
  };

  const lookUp = async (key: ApiKey, request: Request): Promise<KeyHolder | Response> => {
    const holder = await keys.holderOf(key);
    if (!holder) return refuseWrongKey(request);
    keys.noteUse(holder.keyId);
    return holder;
  };

  /** Finds the holder of a request's key, or returns an error response. */
  const authenticate = (request: Request): Promise<KeyHolder | Response> | KeyHolder | Response => {
    const sent = sentKey(request);
    if (sent === undefined) return failure(401, "Missing API key", CHALLENGE);
    // A cached key needs no checksum check.
    const holder = keys.cachedHolderOf(sent as ApiKey);
    if (!holder) {
      const key = parseApiKey(sent);
      return key === undefined ? refuseWrongKey(request) : lookUp(key, request);
    }
    keys.noteUse(holder.keyId);
    return holder;
  };

  return (path: string, answer: Answer): Endpoint =>
    async ({ request }) => {
      const authentication = authenticate(request);
      const holder = authentication instanceof Promise ? await authentication : authentication;
      if (holder instanceof Response) return holder;
      if (!rateLimit) return answer(holder, undefined);
      const caller = { userId: holder.user.id, name: `${path} ${holder.keyId}` };
      const verdict = rateLimit.admit(caller, clock.monotonicMs());
      const headers = rateLimit.headers(verdict);
      return verdict.allowed ? answer(holder, headers) : failure(429, rateLimit.message, headers);
    };
}

/**
 * The key as sent. The header has precedence; an empty key counts as missing. Several keys in the
 * query are treated as one invalid key.
 */
function sentKey(request: Request): string | undefined {
  const header = request.headers.get("x-api-key");
  if (header) return header;
  const query = request.url.indexOf("?");
  if (query === -1) return undefined;
  const sent = new URLSearchParams(request.url.slice(query + 1)).getAll("api_key");
  return sent.length > 1 ? "several keys" : sent[0] || undefined;
}
