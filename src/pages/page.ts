import { isLanguage, type Language, languageOr } from "../languages.ts";
import type { Upgrader } from "./socket-ticket.ts";

/** What a route hands to a page. */
export interface PageContext {
  readonly request: Request;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** A page's answer; `undefined` when there is nothing under its address. */
export type PageAnswer = Promise<Response | undefined> | Response | undefined;

export type Page = (context: PageContext) => PageAnswer;

/** Makes a socket of a request: `undefined` once it has become one. */
export type SocketPage = (context: PageContext, upgrader: Upgrader | undefined) => PageAnswer;

/** A page in the language that its path names; another first word of a path is no page of ours. */
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
