import type { RouteAnswer, RouteContext } from "../http/feature.ts";
import { isLanguage, type Language, languageOr } from "../languages.ts";

export type Page = (context: RouteContext) => RouteAnswer;

type LanguagePage = (language: Language, context: RouteContext) => RouteAnswer;

/** Pages of a feature by the names that its routes use. */
export type Pages<Name extends string> = Readonly<Record<Name, LanguagePage>>;

/** Pages whose code is loaded with the first visit. */
export const pagesOf =
  <Name extends string>(load: () => Promise<Pages<Name>>) =>
  (name: Name): Page =>
    inLanguage(async (language, context) => (await load())[name](language, context));

/** A page in the language of its path; `undefined` if the path has no known language. */
export function inLanguage(render: LanguagePage): Page {
  return (context) => {
    const { lang = "" } = context.params;
    return isLanguage(lang) ? render(lang, context) : undefined;
  };
}

/** The language that a path starts with; English when it starts with none. */
export function languageOf(path: string): Language {
  return languageOr(path.split("/")[1], "en");
}
