import type { ChatAccount, ChatAccounts } from "../../accounts/chat-accounts.ts";
import type { Upstreams } from "../../accounts/upstreams.ts";
import type { User } from "../../accounts/users.ts";
import type { Clock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { isRecord, textOf } from "../../upstream/json.ts";
import type { DeviceCode, TwitchTokens } from "./answers.ts";
import { LONGEST_LOGIN } from "../options.ts";
import { dataIn, type Helix } from "./helix.ts";
import { CHAT_SCOPES, type DeviceAnswer, type PollAnswer, type TwitchId } from "./id.ts";
import { readSettings, type TwitchSettings } from "./settings.ts";

/** The id of Marquee's own application at Twitch; `null` as long as there is none. */
const OWN_CLIENT_ID: string | null = null;

/** How a link has come out. */
export type LinkOutcome =
  | { readonly kind: "linked"; readonly account: ChatAccount }
  /** The user did not agree in time, or refused. */
  | { readonly kind: "expired" }
  /** Twitch says no, in its own words, which may be empty. */
  | { readonly kind: "refused"; readonly message: string }
  /** The user has not agreed to all that was asked for, or to another application. */
  | { readonly kind: "incomplete" }
  | { readonly kind: "unknown channel" }
  | { readonly kind: "uncertain" }
  | { readonly kind: "aborted" };

/** Links and unlinks accounts. */
export interface TwitchLinks {
  /** The application to link through; `undefined` as long as nobody has registered one. */
  clientId(): Promise<string | undefined>;
  begin(clientId: string): Promise<DeviceAnswer>;
  /**
   * Waits until the user has agreed, and stores the link.
   * @param channel the name of the channel to answer in; by default the account's own
   */
  finish(
    user: Pick<User, "id" | "name">,
    begun: { readonly clientId: string; readonly code: DeviceCode; readonly channel?: string },
    signal: AbortSignal,
  ): Promise<LinkOutcome>;
  /**
   * Removes a link here, then at Twitch. Resolves with whether Twitch has confirmed it.
   * @throws {AccountError} when the user has no such account
   */
  unlink(user: Pick<User, "id" | "name">, login: string): Promise<boolean>;
}

export interface TwitchLinksDeps {
  readonly clock: Pick<Clock, "sleep" | "monotonicMs">;
  readonly id: TwitchId;
  readonly helix: Helix;
  readonly chat: ChatAccounts;
  readonly upstreams: Pick<Upstreams, "appOf">;
  readonly config: Pick<Config, "twitchClientId">;
}

/** Added to the interval after a poll without an answer. */
const SLOWER_MS = 5_000;
const VALIDATE_AGAIN_MS = [1_000, 3_000, 5_000] as const;

export function createTwitchLinks(deps: TwitchLinksDeps): TwitchLinks {
  const { clock, id, chat, config } = deps;

  /** Asks as often as Twitch wants it, until there is a decision. */
  const poll = async (clientId: string, code: DeviceCode, signal: AbortSignal) => {
    const endsAtMs = clock.monotonicMs() + code.expiresInMs;
    let everyMs = code.intervalMs;
    let before: PollAnswer["kind"] = "pending";
    while (clock.monotonicMs() < endsAtMs) {
      await clock.sleep(everyMs, signal);
      if (signal.aborted) return { kind: "aborted" } as const;
      const answer = await id.poll(clientId, code.deviceCode);
      if (answer.kind === "tokens" || answer.kind === "refused") return answer;
      // Twitch has been seen to answer so while the code was pending:
      // https://github.com/twitchdev/issues/issues/971
      if (answer.kind === "invalid" && before === "invalid") return { kind: "expired" } as const;
      if (answer.kind === "uncertain") everyMs += SLOWER_MS;
      before = answer.kind;
    }
    return { kind: "expired" } as const;
  };

  const validate = async (accessToken: string, signal: AbortSignal) => {
    for (const pauseMs of VALIDATE_AGAIN_MS) {
      const answer = await id.validate(accessToken);
      if (answer.kind !== "uncertain") return answer;
      await clock.sleep(pauseMs, signal);
    }
    return id.validate(accessToken);
  };

  /** What is to be stored of a granted code. */
  const settingsOf = async (
    { clientId, channel }: { readonly clientId: string; readonly channel?: string },
    tokens: TwitchTokens,
    signal: AbortSignal,
  ): Promise<LinkOutcome | { readonly kind: "found"; readonly found: Found }> => {
    const answer = await validate(tokens.accessToken, signal);
    if (answer.kind !== "valid") return { kind: "uncertain" };
    const { login, userId, scopes, clientId: grantedTo } = answer.validation;
    const isWhole = CHAT_SCOPES.every((scope) => scopes.includes(scope));
    if (grantedTo !== clientId || !isWhole) return { kind: "incomplete" };
    const settings = { clientId, userId, channelId: userId, ...tokens };
    const name = (channel ?? login).toLowerCase();
    if (name === login) return { kind: "found", found: { login, channel: login, settings } };
    const channelId = await channelIdOf(deps.helix, settings, name);
    if (channelId === undefined) return { kind: "unknown channel" };
    return { kind: "found", found: { login, channel: name, settings: { ...settings, channelId } } };
  };

  return {
    async clientId() {
      return (
        config.twitchClientId ?? OWN_CLIENT_ID ?? (await deps.upstreams.appOf("twitch"))?.clientId
      );
    },
    begin: id.askForCode,
    async finish(user, { clientId, code, ...choice }, signal) {
      const granted = await poll(clientId, code, signal);
      if (granted.kind !== "tokens") return granted;
      const { tokens } = granted;
      try {
        const outcome = await settingsOf({ clientId, ...choice }, tokens, signal);
        if (outcome.kind === "found") {
          const account = await chat.link(user, { service: "twitch", ...outcome.found });
          return { kind: "linked", account };
        }
        // Nobody would ever use them.
        await id.revoke(clientId, tokens.accessToken);
        return outcome;
      } catch (error) {
        await id.revoke(clientId, tokens.accessToken);
        throw error;
      }
    },
    async unlink(user, login) {
      const settings = readSettings(await chat.unlink(user, "twitch", login));
      return settings !== undefined && (await id.revoke(settings.clientId, settings.accessToken));
    },
  };
}

interface Found {
  readonly login: string;
  readonly channel: string;
  readonly settings: TwitchSettings;
}

/** The id of a channel; `undefined` if there is no such channel. */
async function channelIdOf(
  helix: Helix,
  settings: TwitchSettings,
  name: string,
): Promise<string | undefined> {
  if (!/^\w+$/.test(name) || name.length > LONGEST_LOGIN) return undefined;
  const [user] = dataIn(await helix(settings, `/users?login=${name}`)) ?? [];
  return isRecord(user) ? textOf(user["id"]) : undefined;
}
