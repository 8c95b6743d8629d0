import { found } from "../http/turned-away.ts";
import type { RouteAnswer, RouteContext } from "../http/route-context.ts";
import { type Language, languageOr } from "../languages.ts";

type LanguagePage = (language: Language, context: RouteContext) => RouteAnswer;

/** Pages of a feature by the names that its routes use. */
export type Pages<Name extends string> = Readonly<Record<Name, LanguagePage>>;

/** What the handler of a page's route is given. */
export interface PageContext extends RouteContext {
  readonly language: Language;
}

/** Pages whose code is loaded with the first visit. */
export const pagesOf =
  <Name extends string>(load: () => Promise<Pages<Name>>) =>
  (name: Name) =>
  async ({ language, request, params }: PageContext): Promise<Response> =>
    found(await (await load())[name](language, { request, params }));

/** The language that a path starts with; English when it starts with none. */
export function languageOf(path: string): Language {
  return languageOr(path.split("/")[1], "en");
}
