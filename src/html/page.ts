import type { RouteAnswer, RouteContext } from "../http/feature.ts";
import type { Upgrader } from "../http/upgrader.ts";
import { isLanguage, type Language, languageOr } from "../languages.ts";

export type Page = (context: RouteContext) => RouteAnswer;

/** Upgrades a request to a socket and then returns `undefined`. */
export type SocketPage = (context: RouteContext, upgrader: Upgrader | undefined) => RouteAnswer;

/** A page in the language of its path; `undefined` if the path has no known language. */
export function inLanguage(
  render: (language: Language, context: RouteContext) => RouteAnswer,
): Page {
  return (context) => {
    const { lang = "" } = context.params;
    return isLanguage(lang) ? render(lang, context) : undefined;
  };
}

/** The language that a path starts with; English when it starts with none. */
export function languageOf(path: string): Language {
  return languageOr(path.split("/")[1], "en");
}
