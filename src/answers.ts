import * as envelope from "./api/envelope.ts";
import type { Clock } from "./clock.ts";
import { isPassing } from "./db/errors.ts";
import type { Route, RouteAnswer, RouteContext } from "./http/feature.ts";
import { FOREIGN_HOST } from "./http/hosts.ts";
import { plainText } from "./http/plain-text.ts";
import type { Upgrader } from "./http/upgrader.ts";
import { LARGEST_BODY_BYTES } from "./ingest/http.ts";
import { isLanguage } from "./languages.ts";
import { describeError, type Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

/** `undefined` when it was upgraded to a WebSocket. */
export type Answer = (context: RouteContext) => RouteAnswer;

export interface AnswersDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "request">;
  /** Whether anybody reads the metrics. */
  readonly isMeasured: boolean;
  /** The path of the server's base URL. */
  readonly basePath: string;
  upgrader(): Upgrader | undefined;
}

/** What surrounds the answers of all routes: limits, languages, failures, counting and logging. */
export interface Answers {
  answerOf(route: Route): Answer;
  /** The answer to other methods than those of a path's routes. @param allowed the header's value */
  refusalOf(path: string, allowed: string): Answer;
  /** No route leads to this address. */
  readonly lost: Answer;
  /** The request names a host that is not ours. */
  readonly refused: Answer;
  failed(error: unknown, request: Request): Promise<Response> | Response;
}

export function createAnswers(deps: AnswersDeps): Answers {
  const failed = createFailed(deps.log, deps.basePath);
  const measured = createMeasured(deps);
  const lost = async (path: string) => {
    if (isBelowApi(path)) return envelope.notFound();
    const { notFoundPage } = await import("./html/not-found.tsx");
    return notFoundPage(path, deps.basePath);
  };
  const answerOf = (route: Route): Answer => {
    const limitsBody = route.method !== "GET" && !route.limitsBody;
    const hasLanguage = route.path.includes(":lang");
    const orLost = (response: Response | undefined, request: Request) =>
      response ?? (route.isSocket ? undefined : lost(pathOf(request)));
    return measured(route.path, (context) => {
      const { request } = context;
      if (limitsBody && isTooLarge(request, route.path)) return refuseBody();
      // `:lang` matches other words too.
      if (hasLanguage && !isLanguage(context.params["lang"] ?? "")) return lost(pathOf(request));
      try {
        const answered = route.answer(context, deps.upgrader());
        return answered instanceof Promise
          ? answered
              .then((response) => orLost(response, request))
              .catch((error: unknown) => failed(error, request))
          : orLost(answered, request);
      } catch (error) {
        return failed(error, request);
      }
    });
  };

  return {
    answerOf,
    refusalOf: (path, allowed) =>
      answerOf({ method: "ALL", path, answer: () => refuseMethod(path, allowed) }),
    lost: measured("other", ({ request }) => {
      const path = pathOf(request);
      return isTooLarge(request, path) ? refuseBody() : lost(path);
    }),
    refused: measured("other", ({ request }) => refuseHost(request)),
    failed,
  };
}

/** Counts and logs answers, where somebody wants that. */
function createMeasured({ clock, log, metrics, isMeasured }: AnswersDeps) {
  const isWanted = isMeasured || log.enabled("debug");
  return (path: string, answer: Answer): Answer => {
    if (!isWanted) return answer;
    return async (context) => {
      const startedAtMs = clock.monotonicMs();
      const { request, params } = context;
      const response = await answer(context);
      const status = response?.status ?? 101;
      // `:lang` also matches words that are no language, of which there is no end.
      metrics.request(isLanguage(params["lang"] ?? "en") ? path : "other", status);
      log.debug("request", {
        method: request.method,
        // Without the query: it may hold a key in a spelling that the redaction patterns miss.
        url: request.url.split("?", 1)[0],
        status,
        ms: Math.round(clock.monotonicMs() - startedAtMs),
      });
      return response;
    };
  };
}

/** The answers to requests that failed. */
function createFailed(log: Log, basePath: string) {
  const unstored = async (path: string) => {
    if (isBelowApi(path)) return envelope.busy();
    const { unstoredPage } = await import("./html/unstored.ts");
    return unstoredPage(path, basePath);
  };
  return (error: unknown, request: Request): Promise<Response> | Response => {
    const { method } = request;
    const path = pathOf(request);
    if (isPassing(error)) {
      log.error("the database cannot be used", { path, reason: describeError(error) });
      return unstored(path);
    }
    log.error("a request failed", { method, path, reason: describeError(error) });
    if (isBelowApi(path)) return envelope.internalError();
    return plainText(500, "Internal server error");
  };
}

/** Only form bodies are read, and people fill in their fields. The API reads none, whatever their size. */
const isTooLarge = ({ method, headers }: Request, path: string): boolean =>
  method !== "GET" &&
  Number(headers.get("content-length") ?? 0) > LARGEST_BODY_BYTES &&
  !isBelowApi(path);

const refuseMethod = (path: string, allowed: string): Response =>
  isBelowApi(path)
    ? envelope.methodNotAllowed(allowed)
    : plainText(405, "Method not allowed", { Allow: allowed });

const refuseBody = (): Response => plainText(413, "The body is larger than 64 KiB.");

const pathOf = ({ url }: Request): string => new URL(url).pathname;

const isBelowApi = (path: string): boolean => path.startsWith("/api/");

/** The URL of a request with a foreign host may be malformed, so it is not parsed. */
function refuseHost({ url }: Request): Response {
  return url.includes("/api/") ? envelope.failure(421, FOREIGN_HOST) : plainText(421, FOREIGN_HOST);
}
