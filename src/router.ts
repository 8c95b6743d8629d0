import { Elysia } from "elysia";
import type { Answer, Answers } from "./answers.ts";
import type { Route, RouteAnswer, RouteContext } from "./http/feature.ts";

/** A route and what answers its requests. */
export interface AnsweredRoute extends Pick<Route, "method" | "path"> {
  readonly answer: Answer;
}

/** Finds the route of a request among all of them, and answers it. */
export function createRouter(
  routes: readonly AnsweredRoute[],
  { lost, failed, refusalOf }: Pick<Answers, "lost" | "failed" | "refusalOf">,
): (request: Request) => RouteAnswer {
  // Without this option Elysia looks for the path's slash at a fixed offset (its src/utils.ts). A
  // very short host name would then give a wrong path.
  const router = new Elysia({ handler: { standardHostname: false } }).onError(
    ({ code, error, request }) =>
      (code === "NOT_FOUND"
        ? lost({ request, params: {} })
        : failed(error, request)) as Promise<Response>,
  );
  for (const { method, path, answer } of [...routes, ...otherMethods(routes, refusalOf)]) {
    // Elysia parses the source of handlers, so each is a plain arrow function.
    router.route(
      method,
      path,
      ({ request, params = {} }: RouteOfElysia) => answer({ request, params }),
      { parse: "none" },
    );
  }
  return router.fetch as (request: Request) => RouteAnswer;
}

/** `HEAD` where there is a `GET`, and at each path the refusal of what it has no route for. */
function* otherMethods(
  routes: readonly AnsweredRoute[],
  refusalOf: Answers["refusalOf"],
): Generator<Omit<AnsweredRoute, "method"> & { readonly method: "HEAD" | "ALL" }> {
  for (const [path, own] of Map.groupBy(routes, (route) => route.path)) {
    const methods = own.map(({ method }) => method);
    if (methods.includes("ALL")) continue;
    const got = own.find(({ method }) => method === "GET");
    if (got) yield { method: "HEAD", path, answer: got.answer };
    const allowed = methods.flatMap((method) => (method === "GET" ? [method, "HEAD"] : method));
    yield { method: "ALL", path, answer: refusalOf(path, allowed.join(", ")) };
  }
}

/** What Elysia gives a handler: there are no `params` where the path has none. */
type RouteOfElysia = Pick<RouteContext, "request"> & Partial<Pick<RouteContext, "params">>;
