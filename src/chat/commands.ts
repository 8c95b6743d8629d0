/** Which chat messages ask for a song, and how often they are answered. */
import { createBoundedMap } from "../bounded-map.ts";
import { isRecord, textOf } from "../upstream/json.ts";
import { type ChatOptions, comparableWord } from "./options.ts";

/** What a command asks for. */
export type Question = "song" | "last song";

const LAST_SONG_WORD = "!lastsong";

/** A chat message, as far as it matters. */
export interface ChatMessage {
  readonly id: string;
  readonly channelId: string;
  readonly personId: string;
  readonly text: string;
  readonly isReply: boolean;
  /** Twitch's names of the person's badges. */
  readonly badges: readonly string[];
  /** The channel where it was said, if chats are shared; else `undefined`. */
  readonly sourceId: string | undefined;
}

/** Much longer than any message: more of a text is not read. */
const LONGEST_READ = 2_000;
const MOST_BADGES = 50;

/** Reads an event of `channel.chat.message`, version 1; `undefined` when it is none. */
export function readChatMessage(event: Readonly<Record<string, unknown>>): ChatMessage | undefined {
  const message = isRecord(event["message"]) ? event["message"] : {};
  const id = textOf(event["message_id"]);
  const channelId = textOf(event["broadcaster_user_id"]);
  const personId = textOf(event["chatter_user_id"]);
  const text = textOf(message["text"]);
  if (!id || !channelId || !personId || text === undefined) return undefined;
  const badges = Array.isArray(event["badges"]) ? event["badges"].filter(isRecord) : [];
  const names = badges.map(({ set_id }) => textOf(set_id) ?? "");
  return {
    id,
    channelId,
    personId,
    text: text.slice(0, LONGEST_READ),
    isReply: isRecord(event["reply"]),
    badges: names.slice(0, MOST_BADGES),
    sourceId: textOf(event["source_broadcaster_user_id"]),
  };
}

/** Whether the person is the broadcaster or a moderator. */
export const hasPrivileges = ({ badges }: Pick<ChatMessage, "badges">): boolean =>
  badges.includes("broadcaster") || badges.includes("moderator");

/** Whether a person may ask. The broadcaster always may, and founders have subscribed. */
export function mayAsk({ badges }: Pick<ChatMessage, "badges">, options: ChatOptions): boolean {
  const wanted: readonly string[] = options.badges;
  if (wanted.length === 0 || badges.includes("broadcaster")) return true;
  return badges.some((badge) => wanted.includes(badge === "founder" ? "subscriber" : badge));
}

/** What a message asks for; `undefined` if it is no command. */
export function questionIn(
  { text, isReply }: Pick<ChatMessage, "text" | "isReply">,
  { words, answersLast }: Pick<ChatOptions, "words" | "answersLast">,
): Question | undefined {
  // Chatterino adds U+E0000 to a repeated message: https://github.com/Chatterino/chatterino2/issues/1933
  const visible = text.replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}]/gu, "").trimStart();
  // Twitch puts the name of the one replied to before a reply.
  const said = isReply ? visible.replace(/^@\S+\s+/u, "") : visible;
  const [first = ""] = said.split(/\s/u, 1);
  const word = comparableWord(first);
  if (words.includes(word)) return "song";
  return answersLast && word === LAST_SONG_WORD ? "last song" : undefined;
}

/** Drops what is delivered again. */
export interface Repeats {
  /** Whether this id is new. */
  isFirst(id: string): boolean;
}

const MOST_IDS = 1_000;

export function createRepeats(): Repeats {
  const seen = createBoundedMap<string, true>(MOST_IDS);
  return {
    isFirst(id) {
      const isFirst = seen.get(id) === undefined;
      if (isFirst) seen.set(id, true);
      return isFirst;
    },
  };
}

/** Who asks, and who would answer. */
export interface Asking {
  readonly personId: string;
  /** Whether the person is the broadcaster or a moderator, who wait only for the chat's quiet time. */
  readonly isPrivileged: boolean;
  /** How long the chat has to be quiet between two answers. */
  readonly quietMs: number;
}

/** The quiet times of one chat. All times are monotonic, in milliseconds. */
export interface Quiet {
  /** Decides on an answer to a question, and counts it if it may be given. */
  admit(asking: Asking, nowMs: number): boolean;
  /** The same for a line that nobody has asked for in chat. */
  admitLine(nowMs: number): boolean;
  /** Nothing may be sent until then. */
  pause(untilMs: number): void;
}

/** Twitch lets others than broadcasters and moderators send 20 messages in 30 s. */
const QUIET_OF_VIEWER_MS = 30_000;
const QUIET_OF_PERSON_MS = 30_000;
const MOST_PEOPLE = 1_000;
/** At most so many messages in so long, whatever happens: then Twitch ignores an account for half an hour. */
const MOST_MESSAGES = 15;
const MESSAGES_WITHIN_MS = 30_000;

/**
 * How long a chat has to be quiet between two answers, in milliseconds.
 * @param mayMore whether the answering account is the broadcaster or a moderator, who may send more
 */
export const quietMsOf = ({ quietS }: Pick<ChatOptions, "quietS">, mayMore: boolean): number =>
  Math.max(quietS * 1_000, mayMore ? 0 : QUIET_OF_VIEWER_MS);

export function createQuiet(): Quiet {
  const people = createBoundedMap<string, number>(MOST_PEOPLE);
  let sentAtMs: readonly number[] = [];
  let answeredAtMs = -Infinity;
  let pausedUntilMs = -Infinity;

  const admitLine = (nowMs: number): boolean => {
    sentAtMs = sentAtMs.filter((atMs) => nowMs - atMs < MESSAGES_WITHIN_MS);
    if (nowMs < pausedUntilMs || sentAtMs.length >= MOST_MESSAGES) return false;
    sentAtMs = [...sentAtMs, nowMs];
    return true;
  };

  return {
    admitLine,
    admit({ personId, isPrivileged, quietMs }, nowMs) {
      if (nowMs - answeredAtMs < quietMs) return false;
      const before = people.get(personId) ?? -Infinity;
      if (!isPrivileged && nowMs - before < QUIET_OF_PERSON_MS) return false;
      if (!admitLine(nowMs)) return false;
      answeredAtMs = nowMs;
      people.set(personId, nowMs);
      return true;
    },
    pause(untilMs) {
      pausedUntilMs = Math.max(pausedUntilMs, untilMs);
    },
  };
}
