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
  /** The channel where it was written, if chats are shared; else `undefined`. */
  readonly sourceId: string | undefined;
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
  const message = isReply ? visible.replace(/^@\S+\s+/u, "") : visible;
  const [first = ""] = message.split(/\s/u, 1);
  const word = comparableWord(first);
  if (words.includes(word)) return "song";
  return answersLast && word === LAST_SONG_WORD ? "last song" : undefined;
}
