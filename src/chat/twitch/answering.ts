import { createBoundedMap } from "../../bounded-map.ts";
import type { ChatAccount, ChatAccountNews, ChatAccounts } from "../store.ts";
import type { Clock } from "../../clock.ts";
import { describeError, type Log } from "../../log.ts";
import { type ChatMessage, hasPrivileges, mayAsk, type Question, questionIn } from "../commands.ts";
import type { ChatOptions } from "../options.ts";
import { type Quiet, quietMsOf } from "../quiet.ts";
import type { SongLine } from "../song-line.ts";
import type { Notification } from "./eventsub.ts";
import type { Helix } from "./helix.ts";
import { createFirstSight, readChatMessage } from "./chat-messages.ts";
import { createSend, type Line, type Sent } from "./send.ts";
import type { TwitchSettings } from "./settings.ts";
import { isChatShared } from "./state-of-channel.ts";
import { CHAT_MESSAGES } from "./subscribe.ts";

export interface AnsweringDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "error">;
  readonly helix: Helix;
  readonly chat: Pick<ChatAccounts, "end">;
  readonly songLine: SongLine;
  quietOf(channelId: string): Quiet;
  /** Shows the overlays of a user that wait to be asked. */
  showOverlays(userId: number): void;
}

/** Older messages are not answered: Twitch may deliver late. */
const OLDEST_MESSAGE_MS = 30_000;
/** An answer that comes later would puzzle a chat. */
const ANSWER_WITHIN_MS = 5_000;
const LAST_OWN_MESSAGES = 100;

export interface AnsweringParts {
  readonly account: ChatAccount;
  readonly options: ChatOptions;
  settings(): TwitchSettings;
  renew(): Promise<boolean>;
  note(news: ChatAccountNews): void;
  /** Ends reading and answering. */
  readonly end: AbortController;
}

/** Says a line in one chat. */
export type SayOnce = ReturnType<typeof createAnswering>["sayOnce"];

/** Answers the questions among the messages of one chat. */
export function createAnswering(deps: AnsweringDeps, parts: AnsweringParts) {
  const { clock, chat, log, helix } = deps;
  const { account, options, settings, end, note } = parts;
  const send = createSend(helix, clock.wallMs);
  const quiet = deps.quietOf(settings().channelId);
  const isFirstDelivery = createFirstSight();
  const isFirstMessage = createFirstSight();
  /** Ids of our own lines, which come back as events. */
  const own = createBoundedMap<string, true>(LAST_OWN_MESSAGES);
  let isModerator = false;

  const mayMore = () => isModerator || settings().userId === settings().channelId;
  const mayAnswer = () => !end.signal.aborted;

  const take = async (sent: Sent): Promise<void> => {
    if (sent.kind === "sent") {
      own.set(sent.messageId, true);
      return note({ answeredAt: clock.wallMs() });
    }
    if (sent.kind === "forbidden") {
      end.abort();
      return chat.end(account.id, "stopped", sent.message);
    }
    if (sent.kind === "limited") quiet.pause(clock.monotonicMs() + sent.waitMs);
    if ("message" in sent) note({ refusal: sent.message, refusedAt: clock.wallMs() });
  };

  const say = async (line: Line, isInTime: () => boolean): Promise<Sent> => {
    let sent = await send(settings(), line);
    if (sent.kind === "unauthorized" && isInTime() && (await parts.renew()) && isInTime()) {
      sent = await send(settings(), line);
    }
    await take(sent);
    return sent;
  };
  const inTime = () => {
    const giveUpAtMs = clock.monotonicMs() + ANSWER_WITHIN_MS;
    return () => mayAnswer() && clock.monotonicMs() < giveUpAtMs;
  };

  const answer = async (question: Question, message: ChatMessage) => {
    const isInTime = inTime();
    const text = await deps.songLine(account.userId, question);
    if (text === undefined || !isInTime()) return;
    if (options.shows) deps.showOverlays(account.userId);
    await say({ text, ...(options.replies && { replyTo: message.id }) }, isInTime);
  };

  const announce = async () => {
    const isInTime = inTime();
    if (!mayAnswer() || (await isChatShared(helix, settings()))) return;
    const text = await deps.songLine(account.userId, "announcement");
    if (text === undefined || !isInTime() || !quiet.admitLine(clock.monotonicMs())) return;
    await say({ text }, isInTime);
  };
  const logFailure = (error: unknown) =>
    log.error("a song could not be sent to a chat", { reason: describeError(error) });

  return {
    /** Says what plays, without being asked; nothing while the chat is shared with others. */
    announce: () => void announce().catch(logFailure),
    /** Says a line that the user has asked for; `undefined` where this chat has had too many. */
    async sayOnce(text: string) {
      return quiet.admitLine(clock.monotonicMs()) ? say({ text }, inTime()) : undefined;
    },
    /** @param ageMs how old the message is */
    receive({ id, type, event }: Notification, ageMs: number) {
      if (type !== CHAT_MESSAGES || !isFirstDelivery(id)) return;
      const message = readChatMessage(event);
      if (!message || message.channelId !== settings().channelId) return;
      if (own.get(message.id)) {
        isModerator = hasPrivileges(message);
        return;
      }
      if (!isFirstMessage(message.id) || ageMs > OLDEST_MESSAGE_MS) return;
      // In shared chats, other channels' messages are theirs to answer.
      if (message.sourceId !== undefined && message.sourceId !== message.channelId) return;
      const question = questionIn(message, options);
      if (question === undefined || !mayAsk(message, options) || !mayAnswer()) return;
      const { personId } = message;
      const quietMs = quietMsOf(options, mayMore());
      const asking = { personId, isPrivileged: hasPrivileges(message), quietMs };
      if (!quiet.admit(asking, clock.monotonicMs())) return;
      void answer(question, message).catch(logFailure);
    },
  };
}
