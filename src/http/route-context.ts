/** What handlers are given of a request. */
export interface RouteContext {
  readonly request: Request;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** At once where nothing has to be waited for. `undefined` when nothing exists at this address. */
export type RouteAnswer = Promise<Response | undefined> | Response | undefined;
