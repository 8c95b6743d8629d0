import type { ChatAccount, ChatAccountNews, ChatAccounts } from "../../accounts/chat-accounts.ts";
import type { Clock } from "../../clock.ts";
import type { Admissions } from "../../http/rate-limit.ts";
import { describeError, type Log } from "../../log.ts";
import type { Upstream } from "../../sources/upstream/index.ts";
import {
  type ChatMessage,
  createRepeats,
  type Question,
  questionIn,
  type Quiet,
  quietMs,
  readChatMessage,
} from "../commands.ts";
import type { SongLine } from "../song-line.ts";
import { type End, type Notification, readEvents } from "./eventsub.ts";
import type { TwitchId } from "./id.ts";
import { createSend, type Sent } from "./send.ts";
import type { TwitchSettings } from "./settings.ts";
import { type Subscribed, subscribeToChat } from "./subscribe.ts";
import { type AccountTokens, createAccountTokens } from "./tokens.ts";

export interface TwitchAccountDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly upstream: Upstream;
  readonly id: TwitchId;
  readonly chat: ChatAccounts;
  /** Such as `https://api.twitch.tv/helix` and `wss://eventsub.wss.twitch.tv/ws`. */
  readonly apiUrl: string;
  readonly eventsubUrl: string;
  /** A name of this start of the program. */
  readonly program: string;
  readonly songLine: SongLine;
  readonly admissions: Admissions;
  /** A number from 0 to 1. */
  random(): number;
  /** Whether this node, of all, answers for a user. */
  isOurs(userId: number): boolean;
  quietOf(channelId: string): Quiet;
}

const CHECK_EVERY_MS = 3_600_000;
/** Until an account without a working token is looked at again. */
const LATER_MS = 60_000;
/** Older messages are not answered: Twitch may deliver late. */
const OLDEST_MESSAGE_MS = 30_000;
/** An answer that comes later would puzzle a chat. */
const ANSWER_WITHIN_MS = 5_000;
const LAST_OWN_MESSAGES = 100;

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
        const reading = { account, tokens, settings: standing.settings };
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
    isOurs: () => deps.isOurs(account.userId),
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

interface Reading {
  readonly account: ChatAccount;
  readonly tokens: AccountTokens;
  readonly settings: TwitchSettings;
}

/** Reads and answers as long as the tokens work, which Twitch is asked every hour. */
async function readWhileValid(
  deps: TwitchAccountDeps,
  { account, tokens, settings: first }: Reading,
  signal: AbortSignal,
): Promise<End> {
  const { clock, chat, log } = deps;
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal.addEventListener("abort", onAbort);
  let settings = first;
  let isToldOfUnknown = false;
  let wasReading = false;

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
  const answering = createAnswering(deps, {
    ...{ account, note, renew },
    settings: () => settings,
    end: stop,
  });
  const subscribe = async (sessionId: string): Promise<Subscribed> => {
    const made = await subscribeToChat(deps, settings, sessionId);
    const mayTryAgain = made.kind === "unauthorized" && (await renew());
    return mayTryAgain ? subscribeToChat(deps, settings, sessionId) : made;
  };
  const keepValid = async () => {
    for (;;) {
      await clock.sleep(CHECK_EVERY_MS, stop.signal);
      if (stop.signal.aborted) return;
      const standing = await tokens.check();
      if (standing.kind === "ready") settings = standing.settings;
      else stop.abort();
    }
  };

  const validity = keepValid();
  try {
    return await readEvents(
      {
        ...{ ...deps, url: deps.eventsubUrl, subscribe },
        onNotification: answering.hear,
        onUnknown() {
          if (!isToldOfUnknown) log.warn("Twitch has sent something unknown, which is ignored");
          isToldOfUnknown = true;
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
    signal.removeEventListener("abort", onAbort);
    await validity;
  }
}

interface AnsweringParts {
  readonly account: ChatAccount;
  settings(): TwitchSettings;
  renew(): Promise<boolean>;
  note(news: ChatAccountNews): void;
  /** Ends reading and answering. */
  readonly end: AbortController;
}

/** Answers the questions among the messages of one chat. */
function createAnswering(deps: TwitchAccountDeps, parts: AnsweringParts) {
  const { clock, chat, log } = deps;
  const { account, settings, end, note } = parts;
  const send = createSend({ ...deps, wallMs: clock.wallMs });
  const quiet = deps.quietOf(settings().channelId);
  const deliveries = createRepeats();
  const messages = createRepeats();
  /** Ids of our own lines, which come back as events. */
  const own = new Set<string>();
  let isModerator = false;

  const mayMore = () => isModerator || settings().userId === settings().channelId;
  const mayAnswer = () => !end.signal.aborted && deps.isOurs(account.userId);

  const take = async (sent: Sent): Promise<void> => {
    if (sent.kind === "sent") {
      own.add(sent.messageId);
      for (const oldest of own) if (own.size > LAST_OWN_MESSAGES) own.delete(oldest);
      return note({ answeredAt: clock.wallMs() });
    }
    if (sent.kind === "forbidden") {
      end.abort();
      return chat.end(account.id, "stopped", sent.message);
    }
    if (sent.kind === "limited") quiet.pause(clock.monotonicMs() + sent.waitMs);
    if ("message" in sent) note({ refusal: sent.message, refusedAt: clock.wallMs() });
  };

  const answer = async (question: Question, message: ChatMessage) => {
    const giveUpAtMs = clock.monotonicMs() + ANSWER_WITHIN_MS;
    const isInTime = () => mayAnswer() && clock.monotonicMs() < giveUpAtMs;
    const name = `song ${message.channelId}`;
    // Another node may believe that the user is still its own.
    if ((await deps.admissions.admit(name, quietMs(mayMore()))) > 0) return;
    const text = await deps.songLine(account.userId, question);
    if (text === undefined || !isInTime()) return;
    const line = { text, replyTo: message.id };
    let sent = await send(settings(), line);
    if (sent.kind === "unauthorized" && isInTime() && (await parts.renew()) && isInTime()) {
      sent = await send(settings(), line);
    }
    await take(sent);
  };

  return {
    hear({ id, type, event }: Notification, ageMs: number): void {
      if (type !== "channel.chat.message" || !deliveries.isFirst(id)) return;
      const message = readChatMessage(event);
      if (!message || message.channelId !== settings().channelId) return;
      if (own.has(message.id)) {
        isModerator = message.isPrivileged;
        return;
      }
      if (!messages.isFirst(message.id) || ageMs > OLDEST_MESSAGE_MS) return;
      // In shared chats, other channels' messages are theirs to answer.
      if (message.sourceId !== undefined && message.sourceId !== message.channelId) return;
      const question = questionIn(message);
      if (question === undefined || !mayAnswer()) return;
      const { personId, isPrivileged } = message;
      const asking = { personId, isPrivileged, mayMore: mayMore() };
      if (!quiet.admit(asking, clock.monotonicMs())) return;
      void answer(question, message).catch((error: unknown) => {
        log.error("a question in chat could not be answered", { reason: describeError(error) });
      });
    },
  };
}
