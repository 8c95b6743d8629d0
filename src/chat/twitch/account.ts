import type { ChatAccount, ChatAccountNews, ChatAccounts } from "../store.ts";
import type { Clock } from "../../clock.ts";
import { describeError, type Log } from "../../log.ts";
import { readChatOptions } from "../options.ts";
import { type AnnouncingDeps, createAnnouncing } from "./announcing.ts";
import { type AnsweringDeps, createAnswering } from "./answering.ts";
import { type End, type EventSubDeps, readEvents } from "./eventsub.ts";
import type { TwitchId } from "./id.ts";
import { CHAT_MESSAGES, type Subscribed, subscribeTo } from "./subscribe.ts";
import { type AccountTokens, createAccountTokens, type ReadyTokens } from "./tokens.ts";
import type { Voices } from "./voices.ts";

export interface TwitchAccountDeps
  extends AnsweringDeps, Pick<AnnouncingDeps, "hub">, Pick<EventSubDeps, "upstream"> {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "error">;
  readonly id: TwitchId;
  readonly chat: ChatAccounts;
  /** Such as `wss://eventsub.wss.twitch.tv/ws`. */
  readonly eventsubUrl: string;
  readonly voices: Pick<Voices, "begin" | "end">;
  /** A number from 0 to 1. */
  random(): number;
}

const CHECK_EVERY_MS = 3_600_000;
/** Until tokens are checked again that did not work, or could not be read or checked. */
const LATER_MS = 60_000;

const nextCheckMs = ({ isUnchecked }: ReadyTokens): number =>
  isUnchecked ? LATER_MS : CHECK_EVERY_MS;

/** Subscriptions that end for these reasons need the user's consent again. */
const NEED_LINKING: readonly string[] = ["authorization_revoked", "user_removed"];

/**
 * Reads the chat of a linked account and answers there, until the signal aborts or the account has
 * come to an end, which is stored.
 */
export async function runTwitchAccount(
  deps: TwitchAccountDeps,
  account: ChatAccount,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, chat } = deps;
  const { login } = account;
  const tokens = tokensOf(deps, account, signal);
  while (!signal.aborted) {
    try {
      const standing = await tokens.check();
      if (standing.kind === "ended" || signal.aborted) return;
      if (standing.kind === "ready") {
        const reading = { account, tokens, standing };
        const ending = endingOf(await readWhileValid(deps, reading, signal));
        if (ending) {
          log.warn("a chat is not read any more", { login, reason: ending.reason });
          return await chat.end(account.id, ending.state, ending.reason);
        }
      }
    } catch (error) {
      log.error("a chat cannot be read", { login, reason: describeError(error) });
    }
    await clock.sleep(LATER_MS, signal);
  }
}

function tokensOf(deps: TwitchAccountDeps, account: ChatAccount, signal: AbortSignal) {
  const { login } = account;
  return createAccountTokens({
    ...deps,
    accountId: account.id,
    signal,
    onUnstored: (error) =>
      deps.log.error("renewed tokens cannot be stored", { login, reason: describeError(error) }),
  });
}

function endingOf(end: End) {
  if (end.kind === "refused") return { state: "stopped", reason: end.message } as const;
  if (end.kind !== "revoked") return undefined;
  const state = NEED_LINKING.includes(end.status) ? "refused" : "stopped";
  return { state, reason: end.status } as const;
}

interface LinkedAccount {
  readonly account: ChatAccount;
  readonly tokens: AccountTokens;
  readonly standing: ReadyTokens;
}

/** Reads and answers as long as the tokens work, which Twitch is asked every hour. */
async function readWhileValid(
  deps: TwitchAccountDeps,
  { account, tokens, standing: first }: LinkedAccount,
  signal: AbortSignal,
): Promise<End> {
  const { clock, chat, log } = deps;
  const stop = new AbortController();
  signal.addEventListener("abort", () => stop.abort(), { signal: stop.signal });
  let { settings } = first;
  let isUnknownLogged = false;
  /** Undefined until the first session: what was stored before a restart may not be true any more. */
  let wasReading: boolean | undefined;

  /** Renews after a refusal. Returns whether there is another token. */
  const renew = async (): Promise<boolean> => {
    const standing = await tokens.renew(settings.accessToken);
    if (standing.kind !== "ready") stop.abort();
    else settings = standing.settings;
    return standing.kind === "ready" && !stop.signal.aborted;
  };
  const note = (news: ChatAccountNews) =>
    void chat.note(account.id, news).catch((error: unknown) => {
      log.warn("a chat's state is not stored yet", { reason: describeError(error) });
    });
  const options = readChatOptions(account.options);
  const answering = createAnswering(deps, {
    account,
    options,
    note,
    renew,
    settings: () => settings,
    end: stop,
  });
  deps.voices.begin(account.id, answering.sayOnce);
  const announcing = createAnnouncing(deps, {
    userId: account.userId,
    options,
    announce: answering.announce,
    settings: () => settings,
  });
  const subscribeAll = async (sessionId: string): Promise<Subscribed> => {
    const made = await subscribeTo(CHAT_MESSAGES, deps.helix, settings, sessionId);
    return made.kind === "subscribed" ? announcing.follow(sessionId) : made;
  };
  const subscribe = async (sessionId: string): Promise<Subscribed> => {
    const made = await subscribeAll(sessionId);
    const mayTryAgain = made.kind === "unauthorized" && (await renew());
    return mayTryAgain ? subscribeAll(sessionId) : made;
  };
  const keepValid = async () => {
    let waitMs = nextCheckMs(first);
    for (;;) {
      await clock.sleep(waitMs, stop.signal);
      if (stop.signal.aborted) return;
      try {
        const standing = await tokens.check();
        if (standing.kind !== "ready") return stop.abort();
        ({ settings } = standing);
        waitMs = nextCheckMs(standing);
      } catch (error) {
        log.error("a chat's tokens cannot be checked", { reason: describeError(error) });
        waitMs = LATER_MS;
      }
    }
  };

  const validity = keepValid();
  try {
    return await readEvents(
      {
        ...deps,
        url: deps.eventsubUrl,
        subscribe,
        onNotification(notification, ageMs) {
          answering.receive(notification, ageMs);
          announcing.receive(notification);
        },
        onUnknown() {
          if (!isUnknownLogged) log.warn("Twitch has sent something unknown, which is ignored");
          isUnknownLogged = true;
        },
        onReading(isReading) {
          if (isReading !== wasReading) note({ readingSince: isReading ? clock.wallMs() : null });
          wasReading = isReading;
        },
      },
      stop.signal,
    );
  } finally {
    stop.abort();
    deps.voices.end(account.id);
    announcing.stop();
    await validity;
  }
}
