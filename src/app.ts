import type { ServerWebSocket } from "bun";
import { basePathOf } from "./addresses.ts";
import { type Answers, createAnswers } from "./answers.ts";
import type { EventsServer } from "./api/events.ts";
import { attemptEach } from "./attempt-each.ts";
import type { Change, ChangeListener } from "./db/changes.ts";
import { createFeatures, type FeaturesDeps } from "./features.ts";
import { createClientAddress } from "./http/client-address.ts";
import {
  type Feature,
  forAnyHost,
  get,
  hot,
  once,
  type RouteAnswer,
  type SocketHandlers,
} from "./http/feature.ts";
import { createHealth } from "./http/health.ts";
import { createHosts, type Hosts } from "./http/hosts.ts";
import { createMessageLimit } from "./http/message-limit.ts";
import { createMetricsFeature } from "./http/metrics-endpoint.ts";
import { createRequestPath, moveTo, pathAndQueryOf } from "./http/request-path.ts";
import type { SocketTicket, Upgrader } from "./http/upgrader.ts";
import type { GaugeName, Metrics } from "./metrics.ts";

export interface AppDeps extends Omit<
  FeaturesDeps,
  "addressOf" | "server" | "isFromOwnPage" | "openedElsewhere" | "onDelivered"
> {
  /** Counts events for `/metrics`, which exists where the settings have a token for it. */
  readonly metrics: Metrics;
  /** Writes to the database without waiting. @throws when the database accepts no writes now */
  probeWrite(): void | Promise<void>;
}

/** What `Bun.serve` knows about a request. */
export interface RequestServer extends EventsServer {
  requestIP(request: Request): { address: string } | null;
}

export interface App {
  handle(request: Request): RouteAnswer;
  /** Hot routes by path, for Bun's own router: a GET of them is answered by the same functions. */
  readonly direct: Readonly<Record<string, (request: Request) => RouteAnswer>>;
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
  const { users } = accounts;
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
    isFromOwnPage: hosts.isFromOwnPage,
    openedElsewhere: hosts.openedElsewhere,
    onDelivered: metrics.delivered,
  });
  const features: readonly Feature[] = [
    {
      routes: [get("/livez", health.live), get("/readyz", health.ready)].map((route) =>
        hot(forAnyHost(route)),
      ),
      stop: health.drain,
    },
    ...(config.metricsToken === null ? [] : [createMetricsFeature(metrics, config.metricsToken)]),
    ...all,
  ];
  const gauges: App["gauges"] = Object.assign(
    { channels: hub.running },
    ...features.map((feature) => feature.gauges),
  );
  metrics.watch(gauges);

  const followers: readonly ChangeListener[] = [
    async ({ userId, concerns }) => {
      if (concerns("users", "privacy", "connections")) hub.notify(userId);
      if (concerns("users", "connections", "upstreams")) await hub.followConnections(userId);
      const isGone = userId !== undefined && concerns("users") && !(await users.withId(userId));
      if (isGone) hub.forget(userId);
    },
    ...features.flatMap(({ follow }) => follow ?? []),
  ];
  const followChange = (change: Change) => attemptEach(followers, (follow) => follow(change));
  accounts.onChange(followChange);

  const answers = createAnswers({
    clock,
    log,
    metrics,
    isMeasured: config.metricsToken !== null,
    basePath,
    upgrader: () => server,
  });
  const routed = createRoutes(features, { answers, hosts, basePath });
  const handlers: Readonly<Record<string, SocketHandlers>> = Object.assign(
    {},
    ...features.map(({ sockets }) => sockets),
  );
  const handlersOf = ({ data }: ServerWebSocket<SocketTicket>) => handlers[data.kind];

  return {
    ...routed,
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
      await Promise.all(features.map(async ({ stop }) => stop?.()));
    },
  };
}

interface RoutesDeps {
  readonly answers: Answers;
  readonly hosts: Hosts;
  readonly basePath: string;
}

/** Hosts, then the routes of all features. */
function createRoutes(
  features: readonly Feature[],
  { answers, hosts, basePath }: RoutesDeps,
): Pick<App, "handle" | "direct" | "routes"> {
  const routes = features.flatMap((feature) =>
    feature.routes.map((route) => ({ ...route, answer: answers.answerOf(route) })),
  );
  const { decodeUnreserved, takeBasePathOff } = createRequestPath(
    basePath,
    routes.map(({ path }) => path),
  );
  const forAnyHost = routes.filter(({ isForAnyHost }) => isForAnyHost).map(({ path }) => path);
  const isForAnyHost = (path: string) =>
    forAnyHost.some((own) => path === own || path === `${own}/`);
  const direct: Record<string, (request: Request) => RouteAnswer> = {};
  for (const { path, answer, isForAnyHost } of routes.filter(({ isHot }) => isHot)) {
    const answerAt = (request: Request) => {
      const context = { request, params: {} };
      if (!isForAnyHost && !hosts.allows(request.headers.get("host"))) {
        return answers.refused(context);
      }
      takeBasePathOff(request);
      return answer(context);
    };
    for (const at of [path, basePath + path]) direct[at] = answerAt;
  }

  const loadRouter = once(async () => (await import("./router.ts")).createRouter(routes, answers));
  /** The first requests wait for Elysia. */
  let route: (request: Request) => RouteAnswer = async (request) => {
    route = await loadRouter();
    return route(request);
  };
  return {
    handle(request) {
      decodeUnreserved(request);
      takeBasePathOff(request);
      if (!hosts.allows(request.headers.get("host"))) {
        const path = pathAndQueryOf(request);
        if (!isForAnyHost(path.split("?", 1)[0] ?? "")) {
          return answers.refused({ request, params: {} });
        }
        moveTo(request, path, "http://localhost");
      }
      return route(request);
    },
    direct,
    routes: routes.map(({ method, path }) => `${method} ${path}`),
  };
}
