import { isRecord, numberOf } from "../upstream/json.ts";

/** Whom an account answers; a viewer needs one of the badges. Without any it answers everybody. */
export const ASKING_BADGES = ["subscriber", "vip", "moderator"] as const;
export type AskingBadge = (typeof ASKING_BADGES)[number];

/** How a linked account answers. */
export interface ChatOptions {
  /** What viewers write to ask for the song, in the form in which words are compared. */
  readonly words: readonly string[];
  /** Whether it answers `!lastsong`, too. */
  readonly answersLast: boolean;
  readonly badges: readonly AskingBadge[];
  /** Whether its answers are replies. */
  readonly replies: boolean;
  /** The shortest time between two answers, in seconds. */
  readonly quietS: number;
  /** Whether an answer shows the overlays that wait to be asked. */
  readonly shows: boolean;
  /** Whether it names each new song while the stream is live. */
  readonly announces: boolean;
  /** The shortest time between two such lines, in seconds. */
  readonly announceEveryS: number;
}

export const QUIET_S = { least: 5, most: 300, usual: 10 } as const;
export const ANNOUNCE_EVERY_S = { least: 30, most: 600, usual: 60 } as const;
export const MOST_WORDS = 5;
/** Of the words that are typed together, in UTF-16 units. */
export const LONGEST_WORDS = 150;
/** An exclamation mark, and letters or digits of any script. */
const WORD = /^![\p{L}\p{M}\p{N}]{1,24}$/u;

/** A word in the form in which words are compared. */
export const comparableWord = (text: string): string => text.normalize("NFKC").toLowerCase();

/** The words in a text, which may have their exclamation mark; `undefined` unless all are allowed. */
export function wordsIn(text: string): readonly string[] | undefined {
  const given = text.split(/[\s,]+/u).filter((word) => word !== "");
  const words = new Set(
    given.map((word) => comparableWord(word.startsWith("!") ? word : `!${word}`)),
  );
  const areAllowed = words.size > 0 && words.size <= MOST_WORDS;
  return areAllowed && [...words].every(isWord) ? [...words] : undefined;
}

const isWord = (word: unknown): word is string => typeof word === "string" && WORD.test(word);

export interface Range {
  readonly least: number;
  readonly most: number;
}

/** What is stored; what is not is as it is at first. */
export function readChatOptions(stored: unknown): ChatOptions {
  const saved = isRecord(stored) ? stored : {};
  const words = Array.isArray(saved["words"]) ? saved["words"].filter(isWord) : [];
  const badges = Array.isArray(saved["badges"]) ? saved["badges"] : [];
  return {
    words: words.length > 0 ? words.slice(0, MOST_WORDS) : ["!song"],
    answersLast: saved["answersLast"] !== false,
    badges: ASKING_BADGES.filter((badge) => badges.includes(badge)),
    replies: saved["replies"] !== false,
    quietS: within(saved["quietS"], QUIET_S),
    shows: saved["shows"] === true,
    announces: saved["announces"] === true,
    announceEveryS: within(saved["announceEveryS"], ANNOUNCE_EVERY_S),
  };
}

function within(value: unknown, { least, most, usual }: Range & { readonly usual: number }) {
  const seconds = numberOf(value) ?? usual;
  return seconds >= least && seconds <= most ? seconds : usual;
}
