import type { ServerWebSocket } from "bun";
import { Elysia } from "elysia";
import { basePathOf } from "./addresses.ts";
import * as envelope from "./api/envelope.ts";
import type { EventsServer } from "./api/events.ts";
import type { Clock } from "./clock.ts";
import type { Change } from "./db/change.ts";
import { isBusy, isPassing } from "./db/errors.ts";
import { createFeatures, type FeaturesDeps } from "./features.ts";
import { createBusy } from "./html/busy.ts";
import { createNotFound } from "./html/not-found.tsx";
import { createBasePath } from "./http/base-path.ts";
import { createClientAddress } from "./http/client-address.ts";
import {
  type Feature,
  get,
  type Route,
  type RouteContext,
  type SocketHandlers,
} from "./http/feature.ts";
import { createHealth } from "./http/health.ts";
import { createHosts } from "./http/hosts.ts";
import { createMessageLimit } from "./http/message-limit.ts";
import { createMetricsFeature } from "./http/metrics-endpoint.ts";
import { plainText } from "./http/plain-text.ts";
import type { SocketTicket, Upgrader } from "./http/upgrader.ts";
import { LARGEST_BODY_BYTES } from "./ingest/http.ts";
import { isLanguage } from "./languages.ts";
import { describeError, type Log } from "./log.ts";
import type { GaugeName, Metrics } from "./metrics.ts";
import { SecretError } from "./vault/secrets.ts";

export interface AppDeps extends Omit<
  FeaturesDeps,
  "addressOf" | "server" | "isOwnOrigin" | "onDelivered"
> {
  /** Counts events for `/metrics`, which exists where the settings have a token for it. */
  readonly metrics: Metrics;
  /** Writes to the database without waiting. @throws when the database accepts no writes now */
  probeWrite(): void | Promise<void>;
}

/** What `Bun.serve` knows about a request. */
export interface RequestServer extends Upgrader, Pick<EventsServer, "timeout"> {
  requestIP(request: Request): { address: string } | null;
}

/** At once where nothing has to be waited for; `undefined` when it was upgraded to a WebSocket. */
export type Answered = Promise<Response | undefined> | Response | undefined;

export interface App {
  handle(request: Request): Answered;
  /** Hot routes by path, for Bun's own router: a GET of them is answered by the same functions. */
  readonly direct: Readonly<Record<string, (request: Request) => Answered>>;
  /** Answers on the port for WebNowPlaying. */
  upgradeLocally(request: Request, upgrader: Upgrader): Promise<Response | undefined>;
  /** Gives access to client addresses and WebSockets. Before this call, neither is available. */
  attach(server: RequestServer): void;
  /** The sockets of all features. */
  readonly sockets: Required<Omit<SocketHandlers, "limitsMessages">>;
  /** Current counts, by the names of the metrics. */
  readonly gauges: Readonly<Partial<Record<GaugeName, () => number>>>;
  /** Begins what features do by themselves. */
  start(): Promise<void>;
  /** Brings what is open up to date with a change of stored data. */
  followChange(change: Change): Promise<void>;
  /** `/readyz` says no from now on, sockets are closed, and what was started ends. */
  stop(): Promise<void>;
  /** Every route as `METHOD /path`. */
  readonly routes: readonly string[];
}

/** Hosts, then routes, then features. It does not use network or disk by itself. */
export function createApp(deps: AppDeps): App {
  const { accounts, hub, clock, log, settings, baseUrl, metrics } = deps;
  const { config } = settings;
  const basePath = basePathOf(baseUrl);
  const hosts = createHosts({ ...config, baseUrl });
  const clientAddress = createClientAddress(config.trustedProxies);
  const health = createHealth(deps);
  const isWithinLimit = createMessageLimit(clock);
  let server: RequestServer | undefined;

  const { all, upgradeLocally } = createFeatures({
    ...deps,
    addressOf: (request) =>
      clientAddress(server?.requestIP(request)?.address, request.headers.get("x-forwarded-for")),
    server: () => server,
    isOwnOrigin: hosts.allowsOrigin,
    onDelivered: metrics.delivered,
  });
  const features: readonly Feature[] = [
    { routes: [get("/livez", health.live), get("/readyz", health.ready)], stop: health.drain },
    ...(config.metricsToken === null ? [] : [createMetricsFeature(metrics, config.metricsToken)]),
    ...all,
  ];
  const gauges: App["gauges"] = Object.assign(
    { channels: hub.running },
    ...features.map((feature) => feature.gauges),
  );
  metrics.watch(gauges);

  const followers: readonly NonNullable<Feature["follow"]>[] = [
    async ({ userId, concerns }) => {
      if (concerns("users", "privacy")) hub.notify(userId);
      if (concerns("users", "connections", "upstreams")) await hub.followConnections(userId);
    },
    ...features.flatMap(({ follow }) => follow ?? []),
  ];
  const followChange = async (change: Change) => {
    for (const follow of followers) {
      try {
        await follow(change);
      } catch (error) {
        log.error("a change could not be followed", { reason: describeError(error) });
      }
    }
  };
  accounts.onChange(followChange);

  const notFound = createNotFound(basePath);
  const failed = createFailed(log, basePath);
  const measured = createMeasured({ clock, log, ...(deps.metrics && { metrics }) });
  const lost = (request: Request): Promise<Response> | Response => {
    const { pathname } = new URL(request.url);
    return isBelowApi(pathname) ? envelope.notFound() : notFound(pathname);
  };
  const answerOf = (route: Route) =>
    measured(route.path, ({ request, params }) => {
      if (!route.limitsBody && isTooLarge(request)) return refuseBody();
      // `:lang` matches other words too.
      if (!isLanguage(params["lang"] ?? "en")) return lost(request);
      const orLost = (response: Response | undefined) =>
        response ?? (route.isSocket ? undefined : lost(request));
      try {
        const answered = route.answer({ request, params }, server);
        return answered instanceof Promise
          ? answered.then(orLost).catch((error: unknown) => failed(error, request))
          : orLost(answered);
      } catch (error) {
        return failed(error, request);
      }
    });
  const lostMeasured = measured("other", ({ request }) =>
    isTooLarge(request) ? refuseBody() : lost(request),
  );
  const refused = measured("other", ({ request }) => refuseHost(request));

  // Without this option Elysia looks for the path's slash at a fixed offset (its src/utils.ts). A
  // very short host name would then give a wrong path.
  const router = new Elysia({ handler: { standardHostname: false } }).onError(
    ({ code, error, request }) =>
      (code === "NOT_FOUND"
        ? lostMeasured({ request, params: {} })
        : failed(error, request)) as Promise<Response>,
  );
  const direct: Record<string, (request: Request) => Answered> = {};
  for (const route of features.flatMap(({ routes }) => routes)) {
    const answer = answerOf(route);
    // Elysia parses the source of handlers, so each is a plain arrow function.
    router.route(
      route.method,
      route.path,
      ({ request, params = {} }: RouteOfElysia) => answer({ request, params }),
      { parse: "none" },
    );
    if (!route.isHot) continue;
    const answerAt = (request: Request) => {
      const context = { request, params: {} };
      return hosts.allows(request.headers.get("host")) ? answer(context) : refused(context);
    };
    for (const at of [route.path, basePath + route.path]) direct[at] = answerAt;
  }

  const route = router.fetch as (request: Request) => Answered;
  const takeBasePathOff = createBasePath(
    basePath,
    router.routes.map(({ path }) => path),
  );
  const handlers: Readonly<Record<string, SocketHandlers>> = Object.assign(
    {},
    ...features.map(({ sockets }) => sockets),
  );
  const handlersOf = ({ data }: ServerWebSocket<SocketTicket>) => handlers[data.kind];

  return {
    handle(request) {
      if (!hosts.allows(request.headers.get("host"))) return refused({ request, params: {} });
      takeBasePathOff(request);
      return route(request);
    },
    direct,
    upgradeLocally,
    attach(started) {
      server = started;
    },
    sockets: {
      opened: (socket) => handlersOf(socket)?.opened(socket),
      received(socket, message) {
        const { received, limitsMessages } = handlersOf(socket) ?? {};
        if (limitsMessages || isWithinLimit(socket, message)) received?.(socket, message);
      },
      closed: (socket) => handlersOf(socket)?.closed(socket),
    },
    gauges,
    async start() {
      for (const { start } of features) await start?.();
    },
    followChange,
    async stop() {
      await Promise.all(features.map(({ stop }) => stop?.()));
    },
    routes: router.routes.map(({ method, path }) => `${method} ${path}`),
  };
}

/** What Elysia gives a handler: there are no `params` where the path has none. */
type RouteOfElysia = Pick<RouteContext, "request"> & Partial<Pick<RouteContext, "params">>;

type Answer = (context: RouteContext) => Answered;

/** Counts and logs answers, where somebody wants that. */
function createMeasured({
  clock,
  log,
  metrics,
}: {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Pick<Metrics, "request">;
}) {
  const isLogged = log.enabled("debug");
  return (path: string, answer: Answer): Answer => {
    if (!metrics && !isLogged) return answer;
    return async (context) => {
      const startedAtMs = clock.monotonicMs();
      const { request, params } = context;
      const response = await answer(context);
      const status = response?.status ?? 101;
      // Words that are no language find no page.
      metrics?.request(isLanguage(params["lang"] ?? "en") ? path : "other", status);
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
  const busy = createBusy(basePath);
  return (error: unknown, { method, url }: Request): Promise<Response> | Response => {
    const { pathname } = new URL(url);
    if (isBusy(error)) {
      log.warn("a request met a database that takes no requests now", { method, path: pathname });
      return isBelowApi(pathname) ? envelope.busy() : busy(pathname, "busy");
    }
    if (isPassing(error)) {
      log.error("the database cannot be used", { path: pathname, reason: describeError(error) });
      return isBelowApi(pathname) ? envelope.busy() : busy(pathname, "unstored");
    }
    log.error("a request failed", { method, path: pathname, reason: describeError(error) });
    if (isBelowApi(pathname)) return envelope.internalError();
    // Only the operator can fix this. The answer must say clearly that nothing was stored.
    return error instanceof SecretError && error.needsOtherKey
      ? plainText(503, KEY_REPLACED, { "Retry-After": "60" })
      : plainText(500, "Internal server error");
  };
}

/** Only form bodies are read, and people fill in their fields. */
const isTooLarge = ({ method, headers }: Request): boolean =>
  method !== "GET" && Number(headers.get("content-length") ?? 0) > LARGEST_BODY_BYTES;

const refuseBody = (): Response => plainText(413, "The body is larger than 64 KiB.");

const KEY_REPLACED =
  "The server's secret key was replaced: it has to be started again with the new one. Nothing was stored. Try again then.";

const isBelowApi = (path: string): boolean => path.startsWith("/api/");

/** The URL of a request with a foreign host may be malformed, so it is not parsed. */
function refuseHost({ url }: Request): Response {
  const sentence =
    "This server does not answer to that name. Use its base URL, or list the name in MARQUEE_ALLOWED_HOSTS.";
  return url.includes("/api/") ? envelope.failure(421, sentence) : plainText(421, sentence);
}
