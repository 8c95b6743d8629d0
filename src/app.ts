import { Elysia } from "elysia";
import type { Accounts } from "./accounts/accounts.ts";
import type { Vault } from "./accounts/secrets.ts";
import { createAuthenticate } from "./api/authenticate.ts";
import * as envelope from "./api/envelope.ts";
import { createNowPlaying } from "./api/now-playing.ts";
import { openApiDocument } from "./api/openapi.ts";
import { createRateLimit } from "./api/rate-limit.ts";
import { createReadEndpoint } from "./api/read-endpoint.ts";
import { createUser } from "./api/user.ts";
import { createArtworkStore } from "./artwork/artwork-store.ts";
import type { DiskCache } from "./artwork/disk-cache.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import { createClientAddress } from "./http/client-address.ts";
import { createHealth } from "./http/health.ts";
import { createHosts } from "./http/hosts.ts";
import { plainText } from "./http/plain-text.ts";
import { isLanguage, type Language } from "./i18n/index.ts";
import { describeError, type Log } from "./log.ts";
import { createArt } from "./pages/art.ts";
import { assetResponse } from "./pages/assets.ts";
import { createCovers } from "./pages/covers.ts";
import { createHome, createLanguageRedirect } from "./pages/home.tsx";
import { createLauncher } from "./pages/launcher.tsx";
import { createLive, type Live, type Upgrader } from "./pages/live.ts";
import { createNotFound } from "./pages/not-found.tsx";
import { createWidget } from "./pages/widget.tsx";
import type { Hub } from "./playback/hub.ts";
import type { Artwork } from "./playback/playback.ts";

export interface AppDeps {
  readonly accounts: Accounts;
  readonly hub: Hub;
  readonly vault: Pick<Vault, "opaqueName">;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Config;
  /** Where the server is reached, without a slash at the end. */
  readonly baseUrl: string;
  /** Keeps drawn covers over restarts. */
  readonly artworkCache?: DiskCache;
  /** Writes to the database. @throws when it takes no writes */
  probeWrite(): void;
}

/** What `Bun.serve` knows of a request. */
export interface RequestServer extends Upgrader {
  requestIP(request: Request): { address: string } | null;
}

export interface App {
  /** Answers a request; `undefined` once it has become a socket. */
  handle(request: Request): Promise<Response | undefined> | Response;
  /** Makes addresses and sockets available; without it there are none. */
  attach(server: RequestServer): void;
  readonly live: Live;
  /** From now on `/readyz` says that no more requests should come. */
  drain(): void;
  /** Every route as `METHOD /path`. */
  readonly routes: readonly string[];
}

/** Builds the whole server from its parts; nothing here touches network or disk by itself. */
export function createApp(deps: AppDeps): App {
  const { accounts, hub, vault, clock, log, config, baseUrl } = deps;
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, "");
  const hosts = createHosts({ ...config, baseUrl });
  const clientAddress = createClientAddress(config.trustedProxies);
  let server: RequestServer | undefined;

  const artworks = createArtworkStore({
    opaqueName: vault.opaqueName,
    ...(deps.artworkCache && { disk: deps.artworkCache }),
    onUnreadable: (error) => log.warn("a cover cannot be read", { reason: describeError(error) }),
  });
  const covers = createCovers(artworks, basePath, clock);
  const artworkUrl = (artwork: Artwork) => baseUrl + artworks.pathOf(artwork, "640.jpg");

  const addressOf = (request: Request) =>
    clientAddress(server?.requestIP(request)?.address, request.headers.get("x-forwarded-for"));
  const readEndpoint = createReadEndpoint({
    authenticate: createAuthenticate({ keys: accounts.keys, clock, addressOf }),
    clock,
    rateLimit: config.rateLimitSeconds > 0 ? createRateLimit(config.rateLimitSeconds) : undefined,
  });
  const nowPlaying = readEndpoint(
    "now-playing",
    createNowPlaying({ hub, clock, artworkUrl, rateLimitSeconds: config.rateLimitSeconds }),
  );
  const user = readEndpoint(
    "user",
    createUser({
      connections: accounts.connections,
      musicPrefix: config.musicPrefix,
      demoForAll: config.demo,
    }),
  );
  const openApi = JSON.stringify(openApiDocument({ ...config, baseUrl }));

  const notFoundPage = createNotFound(basePath);
  const home = createHome({ baseUrl, basePath });
  const widget = createWidget({ ...accounts, hub, clock, covers, basePath });
  const launcher = createLauncher({ ...accounts, baseUrl });
  const art = createArt(artworks);
  const health = createHealth({ probeWrite: deps.probeWrite, clock });
  const live = createLive({
    ...accounts,
    hub,
    clock,
    covers,
    isOwnOrigin: hosts.allowsOrigin,
    notFound: notFoundPage,
  });

  /** Runs a page in the language its path names; the page may know nothing under its address. */
  const page =
    (render: (language: Language, context: PageContext) => PageAnswer) =>
    async (context: PageContext): Promise<Response> => {
      const { lang = "" } = context.params;
      if (!isLanguage(lang)) return lost(context.request);
      const response = await render(lang, context);
      return response ?? notFoundPage(new URL(context.request.url).pathname);
    };

  const routes = (prefix: string) =>
    new Elysia({ prefix })
      // Who is playing what, by API key.
      .get("/api/v1/now-playing", nowPlaying)
      .head("/api/v1/now-playing", nowPlaying)
      .options("/api/v1/now-playing", envelope.preflight)
      .all("/api/v1/now-playing", envelope.methodNotAllowed)
      .get("/api/v1/user", user)
      .head("/api/v1/user", user)
      .options("/api/v1/user", envelope.preflight)
      .all("/api/v1/user", envelope.methodNotAllowed)
      // Public.
      .get("/api/v1/openapi.json", () => envelope.document(openApi))
      .head("/api/v1/openapi.json", () => envelope.document(openApi))
      .options("/api/v1/openapi.json", envelope.preflight)
      .all("/api/v1/openapi.json", envelope.methodNotAllowed)
      .get("/", createLanguageRedirect(basePath))
      .get("/livez", health.live)
      .get("/readyz", health.ready)
      .get("/assets/:file", ({ params, request }) => assetResponse(params.file) ?? lost(request))
      .get("/art/:id/:rendition", async ({ params, request }) => {
        return (await art(params.id, params.rendition)) ?? lost(request);
      })
      .get(
        "/:lang",
        page((language) => home(language)),
      )
      // The overlay, by widget token.
      .get(
        "/:lang/widget/:token",
        page((language, { params, request }) =>
          widget(language, params["token"] ?? "", new URL(request.url).searchParams),
        ),
      )
      .get(
        "/:lang/widget/:token/launcher",
        page((language, { params, request }) =>
          launcher(language, params["token"] ?? "", new URL(request.url).search),
        ),
      )
      .get("/:lang/widget/:token/live", ({ params, request }) =>
        isLanguage(params.lang) ? live.upgrade(request, params.token ?? "", server) : lost(request),
      );

  const lost = (request: Request): Promise<Response> | Response => {
    const { pathname } = new URL(request.url);
    const below = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname;
    return below.startsWith("/api/") || pathname.startsWith("/api/")
      ? envelope.notFound()
      : notFoundPage(pathname);
  };

  const fail = (error: unknown, request: Request): Response => {
    const { pathname } = new URL(request.url);
    log.error("a request failed", {
      method: request.method,
      path: pathname,
      reason: describeError(error),
    });
    return pathname.includes("/api/")
      ? envelope.internalError()
      : plainText(500, "Internal server error");
  };

  // A host of few letters would otherwise change which path Elysia sees: it looks for the path's
  // slash at a fixed place (its src/utils.ts).
  const elysia = new Elysia({ handler: { standardHostname: false } })
    .onError(({ code, error, request }) =>
      code === "NOT_FOUND" ? lost(request) : fail(error, request),
    )
    .use(routes(""));
  if (basePath !== "") elysia.use(routes(basePath));

  const refuseHost = (request: Request): Response => {
    const sentence =
      "This server does not answer to that name. Use its base URL, or list the name in MARQUEE_ALLOWED_HOSTS.";
    return request.url.includes("/api/")
      ? envelope.failure(421, sentence)
      : plainText(421, sentence);
  };

  const route = elysia.fetch as (request: Request) => Promise<Response> | Response;
  const answer = (request: Request) =>
    hosts.allows(request.headers.get("host")) ? route(request) : refuseHost(request);
  const answerAndLog = async (request: Request) => {
    const startedAtMs = clock.monotonicMs();
    const response = await answer(request);
    log.debug("request", {
      method: request.method,
      // Without its query, which may hold a key in a spelling that no pattern finds.
      url: request.url.split("?", 1)[0],
      status: response?.status ?? 101,
      ms: Math.round(clock.monotonicMs() - startedAtMs),
    });
    return response;
  };

  return {
    handle: log.enabled("debug") ? answerAndLog : answer,
    attach(started) {
      server = started;
    },
    live,
    drain: health.drain,
    routes: elysia.routes.map(({ method, path }) => `${method} ${path}`),
  };
}

interface PageContext {
  readonly request: Request;
  readonly params: Readonly<Record<string, string | undefined>>;
}

type PageAnswer = Promise<Response | undefined> | Response | undefined;
