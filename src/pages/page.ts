/** What a route hands to a page. */
export interface PageContext {
  readonly request: Request;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** A page's answer; `undefined` when there is nothing under its address. */
export type PageAnswer = Promise<Response | undefined> | Response | undefined;

export type Page = (context: PageContext) => PageAnswer;
