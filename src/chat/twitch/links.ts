import type { Upstreams } from "../../accounts/upstreams.ts";
import type { User } from "../../accounts/users.ts";
import type { Clock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { Refused } from "../../i18n/refused.ts";
import { isRecord, textOf } from "../../upstream/json.ts";
import type { DeviceCode, TwitchTokens } from "./answers.ts";
import type { ChatAccount, ChatAccounts, NewChatAccount } from "../store.ts";
import { dataIn, type Helix } from "./helix.ts";
import { CHAT_SCOPES, type PollAnswer, type TwitchId } from "./id.ts";
import { readSettings, type TwitchSettings } from "./settings.ts";

/** Why Twitch says no, in its own words, which may be empty. */
const refusedWith = (words: string) =>
  words === "" ? new Refused("chat.refused") : new Refused("chat.refusedWith", { words });

/** The id of Marquee's own application at Twitch; `null` as long as there is none. */
const OWN_CLIENT_ID: string | null = null;

/** A link that the user has to agree to at Twitch. */
export interface BegunLink extends Pick<DeviceCode, "userCode" | "link"> {
  /**
   * Waits until the user has agreed, and stores the link.
   * @param isWatched whether somebody looks now; Twitch is only asked then
   * @throws {Refused} when it comes to nothing, or the signal aborts
   */
  wait(signal: AbortSignal, isWatched: () => boolean): Promise<ChatAccount>;
}

/** Links and unlinks accounts. */
export type TwitchLinks = ReturnType<typeof createTwitchLinks>;

export interface TwitchLinksDeps {
  readonly clock: Pick<Clock, "after" | "sleep" | "monotonicMs">;
  readonly id: TwitchId;
  readonly helix: Helix;
  readonly chat: ChatAccounts;
  readonly upstreams: Pick<Upstreams, "appOf">;
  readonly config: Pick<Config, "twitchClientId">;
}

/** The least time between two codes for a user. */
const PAUSE_MS = 10_000;
/** Added to the interval after a poll without an answer. */
const SLOWER_MS = 5_000;
const VALIDATE_AGAIN_MS = [1_000, 3_000, 5_000] as const;

export function createTwitchLinks(deps: TwitchLinksDeps) {
  const { clock, id, chat, config } = deps;

  /** What Twitch has answered a moment ago. */
  const codes = new Map<string, Promise<DeviceCode>>();

  const askForCode = async (clientId: string): Promise<DeviceCode> => {
    const answer = await id.askForCode(clientId);
    if (answer.kind === "code") return answer.code;
    throw answer.kind === "refused" ? refusedWith(answer.message) : new Refused("chat.uncertain");
  };

  /** Asks as often as Twitch wants it, until there is a decision. */
  const poll = async (
    clientId: string,
    code: DeviceCode,
    signal: AbortSignal,
    isWatched: () => boolean,
  ): Promise<TwitchTokens> => {
    const endsAtMs = clock.monotonicMs() + code.expiresInMs;
    let everyMs = code.intervalMs;
    let before: PollAnswer["kind"] = "pending";
    while (clock.monotonicMs() < endsAtMs) {
      await clock.sleep(everyMs, signal);
      if (signal.aborted) break;
      if (!isWatched()) continue;
      const answer = await id.poll(clientId, code.deviceCode);
      if (answer.kind === "tokens") return answer.tokens;
      if (answer.kind === "refused") throw refusedWith(answer.message);
      // Twitch has been seen to answer so while the code was pending:
      // https://github.com/twitchdev/issues/issues/971
      if (answer.kind === "invalid" && before === "invalid") break;
      if (answer.kind === "uncertain") everyMs += SLOWER_MS;
      before = answer.kind;
    }
    throw new Refused("chat.expired");
  };

  const validate = async (accessToken: string, signal: AbortSignal) => {
    for (const pauseMs of VALIDATE_AGAIN_MS) {
      const answer = await id.validate(accessToken);
      if (answer.kind !== "uncertain") return answer;
      await clock.sleep(pauseMs, signal);
    }
    return id.validate(accessToken);
  };

  /** What is to be stored of a granted code. @throws {Refused} */
  const accountOf = async (
    clientId: string,
    chosen: string | null,
    tokens: TwitchTokens,
    signal: AbortSignal,
  ): Promise<NewChatAccount> => {
    const answer = await validate(tokens.accessToken, signal);
    if (answer.kind !== "valid") throw new Refused("chat.uncertain");
    const { login, userId, scopes, clientId: grantedTo } = answer.validation;
    const isWhole = CHAT_SCOPES.every((scope) => scopes.includes(scope));
    // The user has not agreed to all that was asked for, or to another application.
    if (grantedTo !== clientId || !isWhole) throw new Refused("chat.incomplete");
    const own = { clientId, userId, channelId: userId, ...tokens };
    const channel = chosen ?? login;
    const channelId = channel === login ? userId : await channelIdOf(deps.helix, own, channel);
    return { service: "twitch", login, channel, settings: { ...own, channelId } };
  };

  /** The application to link through; `undefined` as long as nobody has registered one. */
  const clientId = () =>
    config.twitchClientId ?? OWN_CLIENT_ID ?? deps.upstreams.appOf("twitch")?.clientId;

  return {
    clientId,
    /**
     * Asks Twitch for a code. Whoever asks again within a moment gets the same one.
     * @param channel the name of the channel to answer in; `null` for the account's own
     * @throws {Refused} without an application, and when Twitch gives none
     */
    async begin(user: Pick<User, "id" | "name">, channel: string | null): Promise<BegunLink> {
      const through = clientId();
      if (through === undefined) throw new Refused("chat.noApplication");
      const key = `${user.id} ${through}`;
      const asked = codes.get(key) ?? askForCode(through);
      if (!codes.has(key)) clock.after(PAUSE_MS, () => codes.delete(key));
      codes.set(key, asked);
      const code = await asked;
      return {
        userCode: code.userCode,
        link: code.link,
        async wait(signal, isWatched) {
          const tokens = await poll(through, code, signal, isWatched).finally(() => {
            // It is used up, unless nobody waits any more.
            if (!signal.aborted) codes.delete(key);
          });
          try {
            return await chat.link(user, await accountOf(through, channel, tokens, signal));
          } catch (error) {
            // Nobody would ever use them.
            await id.revoke(through, tokens.accessToken);
            throw error;
          }
        },
      };
    },
    /**
     * Removes a link here, then at Twitch. Resolves with whether Twitch has confirmed it.
     * @throws {Refused} when the user has no such account
     */
    async unlink(user: Pick<User, "id">, login: string) {
      const settings = readSettings(await chat.unlink(user, login));
      return settings !== undefined && (await id.revoke(settings.clientId, settings.accessToken));
    },
  };
}

/** The id of a channel. @throws {Refused} if there is no such channel */
async function channelIdOf(helix: Helix, settings: TwitchSettings, name: string): Promise<string> {
  const [user] = dataIn(await helix(settings, `/users?login=${name}`)) ?? [];
  const id = isRecord(user) ? textOf(user["id"]) : undefined;
  if (id === undefined) throw new Refused("chat.unknownChannel");
  return id;
}
