import { type AnyElysia, Elysia, type MaybePromise } from "elysia";
import { basePathOf } from "./addresses.ts";
import type { EventsServer } from "./api/events.ts";
import {
  answerOtherMethods,
  createFailures,
  foreignHost,
  isTooLarge,
  tooLarge,
} from "./failures.ts";
import type { Feature } from "./http/plugin.ts";
import { createFeatures, type FeaturesDeps } from "./features.ts";
import { createClientAddress } from "./http/client-address.ts";
import { createHealthFeature, isHealthCheck } from "./http/health.ts";
import { createHosts } from "./http/hosts.ts";
import { createMetricsFeature } from "./http/metrics-endpoint.ts";
import { createRequestLog } from "./http/request-log.ts";
import { createRequestPath, pathOf } from "./http/request-path.ts";
import { createSocketEvents, isUpgraded } from "./http/socket.ts";
import { createTurns } from "./http/turns.ts";
import { LARGEST_FRAME_BYTES } from "./ingest/webnowplaying-sockets.ts";
import { createLifecycle } from "./lifecycle.ts";
import type { Metrics } from "./metrics.ts";
import { nextTurn } from "./next-turn.ts";

export interface AppDeps extends Omit<
  FeaturesDeps,
  "addressOf" | "server" | "isFromOwnPage" | "openedElsewhere" | "onDelivered"
> {
  /** Counts events for `/metrics`, which exists where the settings have a token for it. */
  readonly metrics: Metrics;
  /** Writes to the database without waiting. @throws when the database accepts no writes now */
  probeWrite(): void;
}

/** What `Bun.serve` knows about a request. */
export interface RequestServer extends EventsServer {
  requestIP(request: Request): { address: string } | null;
}

/** Sockets that are idle for 30 s are pinged. A client that does not read is disconnected. */
export const SOCKETS = {
  idleTimeout: 30,
  // The largest message that any feature takes. Others close sockets that send more than theirs.
  maxPayloadLength: LARGEST_FRAME_BYTES,
  backpressureLimit: 256 * 1024,
  closeOnBackpressureLimit: true,
  perMessageDeflate: false,
} as const;

/** What is true for all requests, then the features. It does not use network or disk by itself. */
export function createApp(deps: AppDeps) {
  const { log, settings, baseUrl, metrics } = deps;
  const { config } = settings;
  const basePath = basePathOf(baseUrl);
  const hosts = createHosts({ ...config, baseUrl });
  const clientAddress = createClientAddress(config.trustedProxies);
  const failures = createFailures(log, basePath);
  let server: RequestServer | undefined;

  const { all, upgradeLocally, actionParts } = createFeatures({
    ...deps,
    addressOf: (request) =>
      clientAddress(server?.requestIP(request)?.address, request.headers.get("x-forwarded-for")),
    server: () => server,
    isFromOwnPage: hosts.isFromOwnPage,
    openedElsewhere: hosts.openedElsewhere,
    onDelivered: metrics.delivered,
  });
  const features: readonly Feature[] = [
    createHealthFeature(deps),
    ...(config.metricsToken === null ? [] : [createMetricsFeature(metrics, config.metricsToken)]),
    ...all,
  ];

  const limitsBodies = features.flatMap((feature) => feature.limitsBodies ?? []);
  const app: AnyElysia = new Elysia({
    // Without this option Elysia looks for the path's slash at a fixed place, which a short host shifts.
    handler: { standardHostname: false },
    normalize: false,
  });
  const routes = features.flatMap(({ plugin }) => plugin?.routes.map(({ path }) => path) ?? []);
  const requestPath = createRequestPath(basePath, routes);
  const isLogged = config.metricsToken !== null || log.enabled("debug");
  const requestLog = isLogged ? createRequestLog(deps) : undefined;
  const refusalOf = (request: Request): MaybePromise<Response> | undefined => {
    const isForeign = !hosts.allows(request.headers.get("host"));
    const isForAnyHost = isForeign && isHealthCheck(pathOf(request));
    if (isForAnyHost && requestPath.forgetHost(request)) return app.fetch(request);
    requestLog?.begin(request);
    const refusal =
      isForeign && !isForAnyHost
        ? foreignHost(request)
        : isTooLarge(request) && !limitsBodies.some((paths) => paths.test(pathOf(request)))
          ? tooLarge()
          : undefined;
    if (refusal) requestLog?.end(request, undefined, refusal);
    return refusal;
  };
  const turns = createTurns(deps.clock);
  const answerInLaterTurn = async (request: Request): Promise<Response> => {
    do await nextTurn();
    while (turns.isLong());
    return app.fetch(request);
  };
  /** What is not left to the routes. */
  const answerOf = (request: Request): MaybePromise<Response> | undefined => {
    if (turns.isLong()) return answerInLaterTurn(request);
    if (requestPath.respell(request)) return app.fetch(request);
    return refusalOf(request);
  };
  app
    .onRequest(({ request }) => {
      // Elysia waits for the result of hooks whose text has "return" before a call.
      const answer = answerOf(request);
      return answer;
    })
    .onError(async ({ error, request, route }) => {
      const answer = await failures.answer(error, request);
      requestLog?.end(request, route, answer);
      return answer;
    })
    .mapResponse(({ request, route, responseValue }) => {
      const isAnswer = responseValue instanceof Response;
      if (!isAnswer && !isUpgraded(request)) {
        const answer = failures.unanswered(request);
        requestLog?.end(request, route, answer);
        return answer;
      }
      requestLog?.end(request, route, isAnswer ? responseValue : undefined);
      return undefined;
    });
  for (const { plugin } of features) if (plugin) app.use(plugin);
  answerOtherMethods(app);

  return {
    /** All routes. */
    elysia: app,
    /** What happens on the sockets of all features. */
    sockets: createSocketEvents(log),
    /** The answer where Elysia itself has failed. */
    lastAnswer: failures.last,
    /** Answers on the port for WebNowPlaying. */
    upgradeLocally,
    /** What actions are carried out with. */
    actionParts,
    /** Gives access to client addresses. Before this call they are not available. */
    attach(started: RequestServer) {
      server = started;
    },
    ...createLifecycle(features, deps),
  };
}

export type App = ReturnType<typeof createApp>;
