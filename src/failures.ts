import { type AnyElysia, NotFoundError, ParseError, ValidationError } from "elysia";
import * as envelope from "./api/envelope.ts";
import { isPassing } from "./db/errors.ts";
import { FOREIGN_HOST } from "./http/hosts.ts";
import { methodNotAllowed, plainText } from "./http/plain-text.ts";
import { pathOf } from "./http/request-path.ts";
import { TurnedAway } from "./http/turned-away.ts";
import type { RouteContext } from "./http/route-context.ts";
import { LARGEST_BODY_BYTES } from "./ingest/http.ts";
import { isLanguage } from "./languages.ts";
import { describeError, type Log } from "./log.ts";

/**
 * The answers to requests that came to no answer of their own, in the API's form and in the pages'.
 * @param basePath the path of the server's base URL
 */
export function createFailures(log: Pick<Log, "error">, basePath: string) {
  const lost = async (path: string): Promise<Response> => {
    if (isBelowApi(path)) return envelope.notFound();
    const { notFoundPage } = await import("./html/not-found.tsx");
    return notFoundPage(path, basePath);
  };
  const unstored = async (path: string): Promise<Response> => {
    if (isBelowApi(path)) return envelope.busy();
    const { unstoredPage } = await import("./html/unstored.ts");
    return unstoredPage(path, basePath);
  };
  const failed = (error: unknown, request: Request): Response => {
    const { method } = request;
    const path = pathOf(request);
    log.error("a request failed", { method, path, reason: describeError(error) });
    return isBelowApi(path) ? envelope.internalError() : plainText(500, "Internal server error");
  };
  return {
    /** The answer to a request whose handler or guard has thrown. */
    answer(error: unknown, request: Request) {
      if (error instanceof TurnedAway) return error.response;
      const path = pathOf(request);
      if (error instanceof NotFoundError) return lost(path);
      // Their messages quote what was sent.
      if (error instanceof ValidationError || error instanceof ParseError) {
        return isBelowApi(path) ? envelope.failure(400, UNREADABLE) : plainText(400, UNREADABLE);
      }
      if (isPassing(error)) {
        log.error("the database cannot be used", { path, reason: describeError(error) });
        return unstored(path);
      }
      return failed(error, request);
    },
    /** The answer to a request whose handler has returned none: Elysia would send what it did return. */
    unanswered: (request: Request) =>
      failed(new Error("Its handler returned no Response."), request),
    /** The answer where Elysia itself has failed. */
    last(error: unknown) {
      log.error("a request failed", { reason: describeError(error) });
      return plainText(500, "Internal server error");
    },
  };
}

const UNREADABLE = "The request is not of the form that this address reads";

/**
 * Gives each path the methods that it has no route for: `HEAD` where there is a `GET`, and 405 for the
 * others. A route for all methods gets these two by name: otherwise Bun's router, to which Elysia gives
 * no such route, would find `/:lang` there.
 */
export function answerOtherMethods(app: AnyElysia): void {
  for (const [path, routes] of Map.groupBy([...app.routes], (route) => route.path)) {
    const methods = routes.map(({ method }) => method);
    const forAll = routes.find(({ method }) => method === "ALL");
    if (forAll) {
      for (const method of ["GET", "HEAD"]) {
        app.route(method, path, forAll.handler as never, forAll.hooks);
      }
      continue;
    }
    const got = routes.find(({ method }) => method === "GET");
    if (got) app.route("HEAD", path, got.handler as never, got.hooks);
    const allowed = methods.flatMap((method) => (method === "GET" ? [method, "HEAD"] : method));
    const Allow = allowed.join(", ");
    app.all(
      path,
      // There are no `params` where the path has none.
      ({ params = {} }: { params?: RouteContext["params"] }) => {
        if (!isLanguage(params["lang"] ?? "en")) throw new NotFoundError();
        return isBelowApi(path) ? envelope.methodNotAllowed(Allow) : methodNotAllowed(Allow);
      },
      { parse: "none", detail: { security: [] } },
    );
  }
}

/** The answer to a host that is none of ours. Its URL may be malformed, so it is not parsed. */
export const foreignHost = ({ url }: Request): Response =>
  url.includes("/api/") ? envelope.failure(421, FOREIGN_HOST) : plainText(421, FOREIGN_HOST);

/** Only form bodies are read, and people fill in their fields. The API reads none, whatever their size. */
export const isTooLarge = (request: Request): boolean =>
  request.method !== "GET" &&
  Number(request.headers.get("content-length") ?? 0) > LARGEST_BODY_BYTES &&
  !isBelowApi(pathOf(request));

export const tooLarge = (): Response => plainText(413, "The body is larger than 64 KiB.");

const isBelowApi = (path: string): boolean => path.startsWith("/api/");
