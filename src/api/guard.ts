import { type ApiKey, parseApiKey } from "../accounts/credential.ts";
import type { KeyHolder } from "../accounts/key-holders.ts";
import type { Keys } from "../accounts/keys.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import { failure } from "./envelope.ts";
import type { RouteAnswer } from "../http/feature.ts";
import { createGuesses } from "../http/guess-limit.ts";
import type { ProcessorBudget } from "../http/processor-budget.ts";
import { createLimitAnswers } from "./limit-answers.ts";
import { secondsOf } from "../http/rate-limit.ts";

export interface GuardDeps {
  readonly accounts: {
    readonly keys: Pick<Keys, "cachedHolderOf" | "holderOf" | "noteUse">;
  };
  readonly clock: Clock;
  readonly config: Pick<Config, "rateLimitSeconds">;
  readonly budget: ProcessorBudget;
  /** The client address of a request. */
  addressOf(request: Request): string;
}

/**
 * Answers an authenticated call within its limit. A 200 answer has these headers, by default the
 * API's common ones.
 */
export type KeyedAnswer = (
  holder: KeyHolder,
  headers: Headers | undefined,
  request: Request,
) => RouteAnswer;

/** A route's handler. */
export type Handler = (context: { readonly request: Request }) => RouteAnswer;

/** The error of a key that does not work. */
export const INVALID_KEY = "Invalid API key";

export const TOO_MUCH_WORK = "Too much work for this user: try again later";

const NOTE_USE_EVERY_MS = 1_000;
const CHALLENGE = { "WWW-Authenticate": 'ApiKey realm="marquee"' };

/** Puts checks of the key and of the rate limit, which counts per key and endpoint, before an answer. */
export function createGuard({ accounts, clock, config, budget, addressOf }: GuardDeps) {
  const { keys } = accounts;
  const { rateLimitSeconds } = config;
  const guesses = createGuesses({ clock, addressOf });

  const refuseWrongKey = (request: Request): Response => {
    const waitMs = guesses.count(request);
    if (waitMs === undefined) return failure(401, INVALID_KEY, CHALLENGE);
    return failure(429, "Too many invalid keys", { "Retry-After": String(secondsOf(waitMs)) });
  };

  /** Once a second is enough for a time that people read; all other calls read one field. */
  const noteUse = (holder: KeyHolder) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - holder.notedAtMs < NOTE_USE_EVERY_MS) return;
    holder.notedAtMs = nowMs;
    keys.noteUse(holder.keyId);
  };

  return (answer: KeyedAnswer): Handler => {
    const limit = rateLimitSeconds > 0 ? createLimitAnswers(rateLimitSeconds) : undefined;

    const answerWithinBudget = (
      holder: KeyHolder,
      headers: Headers | undefined,
      request: Request,
    ) => {
      const waitMs = budget.waitMs(holder.user.id);
      if (waitMs === 0) return answer(holder, headers, request);
      // The rate limit would refuse an earlier call.
      const waitSeconds = Math.max(rateLimitSeconds, secondsOf(waitMs));
      return failure(429, TOO_MUCH_WORK, { "Retry-After": String(waitSeconds) });
    };

    const answerWithinLimit = (holder: KeyHolder, request: Request) => {
      noteUse(holder);
      if (!limit) return answerWithinBudget(holder, undefined, request);
      const caller = { userId: holder.user.id, name: holder.keyId };
      const refusal = limit.refusalOf(caller, clock.monotonicMs());
      return refusal ?? answerWithinBudget(holder, limit.headers, request);
    };

    const lookUpAndAnswer = async (sent: string, request: Request) => {
      const key = parseApiKey(sent);
      const holder = key && (await keys.holderOf(key));
      return holder ? answerWithinLimit(holder, request) : refuseWrongKey(request);
    };

    return ({ request }) => {
      const sent = sentKey(request);
      if (sent === undefined) return failure(401, "Missing API key", CHALLENGE);
      // A cached key needs no checksum check and no promise.
      const known = keys.cachedHolderOf(sent as ApiKey);
      return known ? answerWithinLimit(known, request) : lookUpAndAnswer(sent, request);
    };
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
