import { Elysia } from "elysia";
import { type ApiKey, parseApiKey } from "../accounts/credential.ts";
import type { KeyHolder } from "../accounts/key-holders.ts";
import { createAdmitted } from "../http/admitted.ts";
import { createGuesses } from "../http/guess-limit.ts";
import { secondsOf } from "../http/rate-limit.ts";
import { TurnedAway } from "../http/turned-away.ts";
import { failure } from "./envelope.ts";
import { createLimitAnswers } from "./limit-answers.ts";
import type { Parts } from "../http/parts.ts";

/** An authenticated call within its limit. */
export interface Call {
  readonly holder: KeyHolder;
  /** The headers of a 200 answer; by default the API's common ones. */
  readonly headers: Headers | undefined;
}

/** The error of a key that does not work. */
export const INVALID_KEY = "Invalid API key";

export const TOO_MUCH_WORK = "Too much work for this user: try again later";

const NOTE_USE_EVERY_MS = 1_000;
const CHALLENGE = { "WWW-Authenticate": 'ApiKey realm="marquee"' };

/**
 * `{ key: true }` checks the key and the rate limit, which counts per key and endpoint, and gives a
 * route's handler the call.
 */
export function createGuard({ accounts, clock, config, budget, addressOf }: Parts) {
  const { keys } = accounts;
  const { rateLimitSeconds } = config;
  const guesses = createGuesses({ clock, addressOf });
  const calls = createAdmitted<Call>();

  const wrongKey = (request: Request): TurnedAway => {
    const waitMs = guesses.count(request);
    if (waitMs === undefined) return new TurnedAway(failure(401, INVALID_KEY, CHALLENGE));
    const wait = { "Retry-After": String(secondsOf(waitMs)) };
    return new TurnedAway(failure(429, "Too many invalid keys", wait));
  };

  /** Once a second is enough for a time that people read; all other calls read one field. */
  const noteUse = (holder: KeyHolder) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - holder.notedAtMs < NOTE_USE_EVERY_MS) return;
    holder.notedAtMs = nowMs;
    keys.noteUse(holder.keyId);
  };

  const refuseSpent = ({ user }: KeyHolder): void => {
    const waitMs = budget.waitMs(user.id);
    if (waitMs === 0) return;
    // The rate limit would refuse an earlier call.
    const waitSeconds = Math.max(rateLimitSeconds, secondsOf(waitMs));
    throw new TurnedAway(failure(429, TOO_MUCH_WORK, { "Retry-After": String(waitSeconds) }));
  };

  return new Elysia({ name: "api-guard" }).macro({
    key: (_isNeeded: true) => {
      const limit = rateLimitSeconds > 0 ? createLimitAnswers(rateLimitSeconds) : undefined;
      return {
        detail: { security: [{ header: [] }, { query: [] }] },
        // Before anything of the request is judged.
        transform({ request }) {
          const sent = sentKey(request);
          if (sent === undefined) throw new TurnedAway(failure(401, "Missing API key", CHALLENGE));
          // A cached key needs no checksum check.
          const holder = keys.cachedHolderOf(sent as ApiKey) ?? holderOf(sent);
          if (!holder) throw wrongKey(request);
          noteUse(holder);
          const refusal = limit?.refusalOf(holder.keyId, clock.monotonicMs());
          if (refusal) throw new TurnedAway(refusal);
          refuseSpent(holder);
          calls.note(request, { holder, headers: limit?.headers });
        },
        resolve: ({ request }) => ({ call: calls.of(request) }),
      };
    },
  });

  function holderOf(sent: string): KeyHolder | undefined {
    const key = parseApiKey(sent);
    return key && keys.holderOf(key);
  }
}

export type ApiGuard = ReturnType<typeof createGuard>;

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
