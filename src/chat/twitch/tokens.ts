/**
 * The tokens of a linked account. A refresh token works once: Twitch ends the whole link when one is
 * used that was used before (https://github.com/twitchdev/issues/issues/903). So whoever is about to
 * use one stores a mark first, and the answer takes the mark's place before anything else is done.
 */
import type { ChatAccounts } from "../../accounts/chat-accounts.ts";
import type { Clock } from "../../clock.ts";
import type { TwitchTokens } from "./answers.ts";
import type { TwitchId } from "./id.ts";
import { readSettings, type TwitchSettings } from "./settings.ts";

/** How it stands with the tokens of an account. */
export type Standing =
  | { readonly kind: "ready"; readonly settings: TwitchSettings }
  /** There is no access token that works; it may be tried again in a while. */
  | { readonly kind: "later" }
  /** The account is unlinked, or has to be linked again, which is stored. */
  | { readonly kind: "ended" };

/** The tokens of one linked account. */
export interface AccountTokens {
  /**
   * Asks Twitch whether the access token works, and renews it if it does not, or soon will not. Is to
   * be called at the start and every hour, as Twitch demands.
   */
  check(): Promise<Standing>;
  /** Renews the tokens after Twitch has refused this access token. Concurrent calls share one refresh. */
  renew(refused: string): Promise<Standing>;
}

export interface AccountTokensDeps {
  readonly clock: Pick<Clock, "wallMs" | "sleep">;
  readonly id: Pick<TwitchId, "refresh" | "validate" | "revoke">;
  readonly chat: Pick<ChatAccounts, "settingsOf" | "changeSettings" | "end">;
  readonly accountId: number;
  /** A name of this start of the program, for marks. */
  readonly program: string;
  /** Whether this node, of all, may use the account at this moment. */
  isOurs(): boolean;
  /** Ends waiting, but no request that is under way. */
  readonly signal: AbortSignal;
  /** Is called when the answer of a refresh is not stored yet, although the old token has ended. */
  onUnstored(error: unknown): void;
}

/** An access token is renewed when less than this is left: it is looked at every hour. */
const AHEAD_MS = 70 * 60_000;
/** After so long, whoever has left a mark has its answer or never will: lease, deadline and a margin. */
const MARK_HOLDS_MS = 20_000;
/** The clocks of two nodes may differ, so another's mark holds this long in any case. */
const DEADLINE_AND_MARGIN_MS = 6_000;
/** A token that was tried twice without a certain end is tried this often from then on. */
const NEXT_ATTEMPT_MS = 3_600_000;
/** Pauses between attempts to store an answer. */
const STORE_AGAIN_MS = [250, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

const LATER = { kind: "later" } as const;
const ENDED = { kind: "ended" } as const;

type Claim =
  | { readonly kind: "claimed"; readonly settings: TwitchSettings }
  | { readonly kind: "wait"; readonly ms: number }
  | Standing;

export function createAccountTokens(deps: AccountTokensDeps): AccountTokens {
  const { clock, id, chat, accountId, program, isOurs, signal } = deps;
  let running: Promise<Standing> | undefined;

  /** Stores the mark that gives the right to use the refresh token once, if nobody has it. */
  const claim = async (refused: string, hasWaited: boolean): Promise<Claim> => {
    let found = ENDED as Claim;
    const change = (stored: unknown): TwitchSettings | undefined => {
      const settings = readSettings(stored);
      if (!settings) {
        found = ENDED;
        return undefined;
      }
      const { mark } = settings;
      if (settings.accessToken !== refused) {
        found = { kind: "ready", settings };
        return undefined;
      }
      const waitMs = mark && restOf(mark, hasWaited);
      if (waitMs || !isOurs()) {
        found = waitMs && waitMs <= MARK_HOLDS_MS ? { kind: "wait", ms: waitMs } : LATER;
        return undefined;
      }
      const next = { by: program, since: clock.wallMs(), attempt: (mark?.attempt ?? 0) + 1 };
      found = { kind: "claimed", settings };
      return { ...settings, mark: next };
    };
    const changed = await chat.changeSettings(accountId, change);
    return changed === undefined ? ENDED : found;
  };

  /** How long a mark still holds, in milliseconds. */
  const restOf = (mark: NonNullable<TwitchSettings["mark"]>, hasWaited: boolean): number => {
    const holdsMs = mark.attempt > 1 ? NEXT_ATTEMPT_MS : MARK_HOLDS_MS;
    // A clock that was set back must not make a mark hold longer than a fresh one.
    const restMs = Math.min(holdsMs, Math.max(0, mark.since + holdsMs - clock.wallMs()));
    const leastMs = mark.by === program || hasWaited ? 0 : DEADLINE_AND_MARGIN_MS;
    return Math.max(restMs, leastMs);
  };

  /** Stores the answer over the mark, however long that takes. */
  const keep = async (used: TwitchSettings, tokens: TwitchTokens): Promise<Standing> => {
    for (let attempt = 0; ; attempt++) {
      try {
        const kept = await chat.changeSettings(accountId, (stored) => {
          const now = readSettings(stored);
          if (now?.refreshToken !== used.refreshToken) return undefined;
          const { mark: _, ...unmarked } = now;
          return { ...unmarked, ...tokens };
        });
        if (kept === undefined) {
          // Unlinked meanwhile: what was revoked then had ended already.
          await id.revoke(used.clientId, tokens.accessToken);
          return ENDED;
        }
        const settings = readSettings(kept.stored);
        return settings ? { kind: "ready", settings } : ENDED;
      } catch (error) {
        deps.onUnstored(error);
        // Until it is stored, the program ends no sooner than it has to.
        const pauseMs = STORE_AGAIN_MS[Math.min(attempt, STORE_AGAIN_MS.length - 1)] ?? 0;
        await clock.sleep(pauseMs, new AbortController().signal);
      }
    }
  };

  const refresh = async (refused: string): Promise<Standing> => {
    for (let hasWaited = false; ;) {
      const claimed = await claim(refused, hasWaited);
      if (claimed.kind === "wait") {
        await clock.sleep(claimed.ms, signal);
        if (signal.aborted) return LATER;
        hasWaited = true;
        continue;
      }
      if (claimed.kind !== "claimed") return claimed;
      // The lease may have ended while the mark was stored: the next holder waits for the mark's end.
      if (signal.aborted || !isOurs()) return LATER;
      const { settings } = claimed;
      const answer = await id.refresh(settings.clientId, settings.refreshToken);
      if (answer.kind === "tokens") return keep(settings, answer.tokens);
      if (answer.kind === "refused") {
        await chat.end(accountId, "refused", answer.message);
        return ENDED;
      }
      // It may have taken effect. Then its only answer is lost, and another attempt loses nothing.
    }
  };

  const renew = (refused: string): Promise<Standing> =>
    (running ??= refresh(refused).finally(() => {
      running = undefined;
    }));

  return {
    renew,
    async check() {
      const settings = readSettings(await chat.settingsOf(accountId));
      if (!settings) return ENDED;
      const { accessToken, mark } = settings;
      if (mark || running) {
        const standing = await renew(accessToken);
        if (standing.kind !== "later") return standing;
      }
      const answer = await id.validate(accessToken);
      if (answer.kind === "uncertain") return { kind: "ready", settings };
      const isFresh = answer.kind === "valid" && answer.validation.expiresInMs >= AHEAD_MS;
      if (isFresh) return { kind: "ready", settings };
      const standing = await renew(accessToken);
      // While the old one works, a refresh may as well succeed later.
      const mayWait = standing.kind === "later" && answer.kind === "valid";
      return mayWait ? { kind: "ready", settings } : standing;
    },
  };
}
