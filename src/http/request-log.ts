import type { Clock } from "../clock.ts";
import { isLanguage } from "../languages.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { pathOf } from "./request-path.ts";

export interface RequestLogDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly log: Pick<Log, "debug">;
  readonly metrics: Pick<Metrics, "request">;
}

const UPGRADED = 101;

/** Counts and logs the answers to all requests. */
export function createRequestLog({ clock, log, metrics }: RequestLogDeps) {
  const begunAtMs = new WeakMap<Request, number>();
  return {
    begin: (request: Request) => void begunAtMs.set(request, clock.monotonicMs()),
    /**
     * Counts once for each request.
     * @param route the pattern of its route; `undefined` when no route was looked for or found
     * @param answer `undefined` when the request was upgraded to a WebSocket
     */
    end(request: Request, route: string | undefined, answer: Response | undefined) {
      const atMs = begunAtMs.get(request);
      if (atMs === undefined) return;
      begunAtMs.delete(request);
      const status = answer?.status ?? UPGRADED;
      metrics.request(isKnown(route, pathOf(request)) ? route : "other", status);
      log.debug("request", {
        method: request.method,
        // Without the query: it may hold a key in a spelling that the redaction patterns miss.
        url: request.url.split("?", 1)[0],
        status,
        ms: Math.round(clock.monotonicMs() - atMs),
      });
    },
  };
}

/** `:lang` also matches words that are no language, of which there is no end. */
const isKnown = (route: string | undefined, path: string): route is string =>
  route !== undefined && (!route.startsWith("/:lang") || isLanguage(path.split("/")[1] ?? ""));
