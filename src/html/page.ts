import { isLanguage, type Language, languageOr } from "../languages.ts";
import type { Upgrader } from "../http/upgrader.ts";

/** What a route passes to a page. */
export interface PageContext {
  readonly request: Request;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** A page's response; `undefined` when nothing exists at its address. */
export type PageAnswer = Promise<Response | undefined> | Response | undefined;

export type Page = (context: PageContext) => PageAnswer;

/** Upgrades a request to a socket and then returns `undefined`. */
export type SocketPage = (context: PageContext, upgrader: Upgrader | undefined) => PageAnswer;

/** A page in the language of its path; `undefined` if the path has no known language. */
export function inLanguage(render: (language: Language, context: PageContext) => PageAnswer): Page {
  return (context) => {
    const { lang = "" } = context.params;
    return isLanguage(lang) ? render(lang, context) : undefined;
  };
}

/** The language that a path starts with; English when it starts with none. */
export function languageOf(path: string): Language {
  return languageOr(path.split("/")[1], "en");
}
