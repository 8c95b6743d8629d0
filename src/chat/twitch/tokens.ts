/**
 * The tokens of a linked account. A refresh token works once: Twitch ends the whole link when one is
 * used that was used before (https://github.com/twitchdev/issues/issues/903). So the answer is stored
 * before anything else is done.
 */
import type { ChatAccounts } from "../store.ts";
import type { Clock } from "../../clock.ts";
import type { TwitchTokens } from "./answers.ts";
import type { TwitchId } from "./id.ts";
import { readSettings, type TwitchSettings } from "./settings.ts";

export interface ReadyTokens {
  readonly kind: "ready";
  readonly settings: TwitchSettings;
  /** Twitch was asked whether they work, and did not say. */
  readonly isUnchecked?: true;
}

/** How it stands with the tokens of an account. */
export type Standing =
  | ReadyTokens
  /** There is no access token that works; it may be tried again in a while. */
  | { readonly kind: "later" }
  /** The account is unlinked, or has to be linked again, which is stored. */
  | { readonly kind: "ended" };

/** The tokens of one linked account. */
export type AccountTokens = ReturnType<typeof createAccountTokens>;

export interface AccountTokensDeps {
  readonly clock: Pick<Clock, "monotonicMs" | "sleep">;
  readonly id: Pick<TwitchId, "refresh" | "validate" | "revoke">;
  readonly chat: Pick<ChatAccounts, "settingsOf" | "storeSettings" | "expectSettings" | "end">;
  readonly accountId: number;
  /** Ends waiting, but no request that is under way. */
  readonly signal: AbortSignal;
  /** Is called when the answer of a refresh is not stored yet, although the old token has ended. */
  onUnstored(error: unknown): void;
}

/** An access token is renewed when less than this is left: it is looked at every hour. */
const AHEAD_MS = 70 * 60_000;
/** A refresh without a certain end is tried once more after this time, and then as often as below. */
const SECOND_ATTEMPT_MS = 20_000;
const NEXT_ATTEMPT_MS = 3_600_000;
/** Pauses between attempts to store an answer. */
const STORE_AGAIN_MS = [250, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

const LATER = { kind: "later" } as const;
const ENDED = { kind: "ended" } as const;

export function createAccountTokens(deps: AccountTokensDeps) {
  const { clock, id, chat, accountId, signal } = deps;
  let running: Promise<Standing> | undefined;
  /** How often in a row a refresh had no certain end, and from when on the next one may be made. */
  let uncertain = { attempts: 0, nextAtMs: -Infinity };

  const stored = (): TwitchSettings | undefined => readSettings(chat.settingsOf(accountId));

  /** Stores the answer in place of what was used, however long that takes. */
  const keep = async (used: TwitchSettings, tokens: TwitchTokens): Promise<Standing> => {
    const settings = { ...used, ...tokens };
    for (let attempt = 0; ; attempt++) {
      try {
        if (chat.storeSettings(accountId, settings)) return { kind: "ready", settings };
        // Unlinked meanwhile: what was revoked then had ended already.
        await id.revoke(used.clientId, tokens.accessToken);
        return ENDED;
      } catch (error) {
        deps.onUnstored(error);
        // Until it is stored, the program ends no sooner than it has to.
        const pauseMs = STORE_AGAIN_MS[Math.min(attempt, STORE_AGAIN_MS.length - 1)] ?? 0;
        await clock.sleep(pauseMs);
      }
    }
  };

  const refresh = async (refused: string): Promise<Standing> => {
    for (;;) {
      const settings = stored();
      if (!settings) return ENDED;
      if (settings.accessToken !== refused) return { kind: "ready", settings };
      if (signal.aborted || clock.monotonicMs() < uncertain.nextAtMs) return LATER;
      const answer = await id.refresh(settings.clientId, settings.refreshToken);
      if (answer.kind === "tokens") {
        uncertain = { attempts: 0, nextAtMs: -Infinity };
        return keep(settings, answer.tokens);
      }
      if (answer.kind === "refused") {
        await chat.end(accountId, "refused", answer.message);
        return ENDED;
      }
      // It may have taken effect. Then its only answer is lost, and another attempt loses nothing.
      const attempts = uncertain.attempts + 1;
      const isFirst = attempts === 1;
      const nextAtMs = isFirst ? -Infinity : clock.monotonicMs() + NEXT_ATTEMPT_MS;
      uncertain = { attempts, nextAtMs };
      if (isFirst) await clock.sleep(SECOND_ATTEMPT_MS, signal);
    }
  };

  const renew = (refused: string): Promise<Standing> =>
    (running ??= chat.expectSettings(refresh(refused)).finally(() => {
      running = undefined;
    }));

  return {
    /** Renews the tokens after Twitch has refused this access token. Concurrent calls share one refresh. */
    renew,
    /**
     * Asks Twitch whether the access token works, and renews it if it does not, or soon will not. Is to
     * be called at the start and every hour, as Twitch demands.
     */
    async check(): Promise<Standing> {
      const settings = stored();
      if (!settings) return ENDED;
      const { accessToken } = settings;
      if (running) return running;
      const answer = await id.validate(accessToken);
      if (answer.kind === "uncertain") return { kind: "ready", settings, isUnchecked: true };
      const isFresh = answer.kind === "valid" && answer.validation.expiresInMs >= AHEAD_MS;
      if (isFresh) return { kind: "ready", settings };
      const standing = await renew(accessToken);
      // While the old one works, a refresh may as well succeed later.
      const mayWait = standing.kind === "later" && answer.kind === "valid";
      return mayWait ? { kind: "ready", settings } : standing;
    },
  };
}
