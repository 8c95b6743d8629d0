import { replaceBrackets } from "./brackets.ts";
import { orElse } from "./text.ts";

/** A phrase that a user wants gone: literal, in any case, where it stands as words of its own. */
export interface Phrase {
  /** 2 to 50 characters. */
  readonly text: string;
  /** A whole bracket, a whole last part behind a dash, or anywhere in the title. */
  readonly place: PhrasePlace;
}

export const PHRASE_PLACES = ["brackets", "dash", "anywhere"] as const;
export type PhrasePlace = (typeof PHRASE_PLACES)[number];

export const MOST_PHRASES = 50;
export const SHORTEST_PHRASE = 2;
export const LONGEST_PHRASE = 50;

/** Whether something is a phrase, as one is stored or entered. */
export function isPhrase(value: unknown): value is Phrase {
  if (typeof value !== "object" || value === null) return false;
  const { text, place } = value as Partial<Record<keyof Phrase, unknown>>;
  return (
    typeof text === "string" &&
    text.trim().length >= SHORTEST_PHRASE &&
    text.length <= LONGEST_PHRASE &&
    PHRASE_PLACES.some((one) => one === place)
  );
}

/** The title without these phrases. */
export const withoutPhrases = (title: string, phrases: readonly Phrase[]): string =>
  phrases.reduce(withoutPhrase, title);

function withoutPhrase(title: string, { text, place }: Phrase): string {
  const isIt = (part: string) => part.trim().toLowerCase() === text.trim().toLowerCase();
  if (place === "brackets") {
    return replaceBrackets(title, (inside) => (isIt(inside) ? null : inside));
  }
  if (place === "dash") {
    const at = title.lastIndexOf(" - ");
    return at !== -1 && isIt(title.slice(at + 3)) ? orElse(title.slice(0, at), title) : title;
  }
  const literal = RegExp.escape(text.trim());
  const words = new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "giu");
  return orElse(title.replace(words, " ").replace(/\s+/gu, " ").trim(), title);
}
