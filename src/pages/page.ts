import { isLanguage, type Language } from "../i18n/index.ts";

/** What a route hands to a page. */
export interface PageContext {
  readonly request: Request;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** A page's answer; `undefined` when there is nothing under its address. */
export type PageAnswer = Promise<Response | undefined> | Response | undefined;

export type Page = (context: PageContext) => PageAnswer;

/** A page in the language that its path names; another first word of a path is no page of ours. */
export function inLanguage(render: (language: Language, context: PageContext) => PageAnswer): Page {
  return (context) => {
    const { lang = "" } = context.params;
    return isLanguage(lang) ? render(lang, context) : undefined;
  };
}

/** The words of a path below the base URL's. */
export function wordsOf(path: string, basePath: string): string[] {
  const below = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
  return below.split("/").slice(1);
}

/** The language that a path starts with; English when it starts with none. */
export function languageOf(path: string, basePath: string): Language {
  const [first = ""] = wordsOf(path, basePath);
  return isLanguage(first) ? first : "en";
}
