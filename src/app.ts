import { Elysia } from "elysia";
import type { Accounts } from "./accounts/accounts.ts";
import { SecretError, type Vault } from "./vault/secrets.ts";
import { basePathOf } from "./addresses.ts";
import { createApi } from "./api/api.ts";
import { failure } from "./api/envelope.ts";
import type { EventsServer } from "./api/events.ts";
import type { Endpoint } from "./api/guard.ts";
import { createPlayingBody } from "./api/now-playing.ts";
import type { Admissions } from "./http/rate-limit.ts";
import { createArtworkStore } from "./artwork/artwork-store.ts";
import type { DiskCache } from "./artwork/disk-cache.ts";
import type { Clock } from "./clock.ts";
import { type Metrics, noMetrics } from "./metrics.ts";
import type { ResolvedConfig } from "./config.ts";
import { createBasePath } from "./http/base-path.ts";
import { createClientAddress } from "./http/client-address.ts";
import { createHealth } from "./http/health.ts";
import { createMetricsEndpoint } from "./http/metrics-endpoint.ts";
import { createHosts } from "./http/hosts.ts";
import { LARGEST_BODY_BYTES } from "./ingest/http.ts";
import type { Inbox } from "./ingest/inbox.ts";
import { createIngest } from "./ingest/ingest.ts";
import type { WebNowPlayingSockets } from "./ingest/webnowplaying-sockets.ts";
import { keepHeardSongs } from "./outputs/heard.ts";
import { createOutputs } from "./outputs/outputs.ts";
import { isBusy, isPassing } from "./db/errors.ts";
import { plainText } from "./http/plain-text.ts";
import { isLanguage } from "./languages.ts";
import { describeError, type Log } from "./log.ts";
import type { Files } from "./outputs/files.ts";
import type { Upgrader } from "./http/upgrader.ts";
import type { Sockets } from "./sockets.ts";
import type { Page, PageContext, SocketPage } from "./html/page.ts";
import { SECTION_NAMES, sectionPath } from "./html/section-paths.ts";
import type { OverlayRelay } from "./overlay/live.ts";
import { createPages } from "./pages.ts";
import type { Artwork } from "./playback.ts";
import type { Hub } from "./channels/hub.ts";
import type { Sources } from "./sources/index.ts";
import type { Fetch } from "./sources/upstream/index.ts";

export interface AppDeps {
  readonly accounts: Accounts;
  readonly hub: Hub;
  readonly sources: Sources;
  readonly vault: Pick<Vault, "opaqueName" | "formSecret" | "seal" | "open">;
  readonly clock: Clock;
  readonly log: Log;
  /** The settings in force and where each came from. */
  readonly settings: ResolvedConfig;
  /** The server's base URL, without a slash at the end. */
  readonly baseUrl: string;
  /** Host and port where programs on this machine reach the server. */
  readonly listeningAddress: string;
  /** Keeps resized covers across restarts. */
  readonly artworkCache?: DiskCache;
  /** Counts events for `/metrics`. Without it, nothing is counted and `/metrics` does not exist. */
  readonly metrics?: Metrics;
  /** What other programs have pushed. */
  readonly inbox: Inbox;
  /** Replaces the network. */
  readonly fetch?: Fetch;
  /** What several nodes share; absent where this server is alone. */
  readonly shared?: SharedParts;
  /** Writes to the database without waiting. @throws when the database accepts no writes now */
  probeWrite(): void | Promise<void>;
  /** A consistent copy of the database as the bytes of a file, if it is one. */
  readonly snapshot: (() => Uint8Array<ArrayBuffer>) | undefined;
}

/** What an app does together with those of other nodes. */
export interface SharedParts {
  readonly relay: OverlayRelay;
  readonly admissions: Admissions;
  /** Finds a cover by the name under which it is served. */
  findArtwork(id: string): Promise<Artwork | undefined>;
}

/** A request with its route. `params` is missing when the route's path has no parameters. */
type RoutedContext = Pick<PageContext, "request"> &
  Partial<Pick<PageContext, "params">> & { readonly route: string };

/** What `Bun.serve` knows about a request. */
export interface RequestServer extends Upgrader, Pick<EventsServer, "timeout"> {
  requestIP(request: Request): { address: string } | null;
}

export interface App {
  /** Answers a request; `undefined` when it was upgraded to a WebSocket. */
  handle(request: Request): Promise<Response | undefined> | Response | undefined;
  /**
   * What is asked most, by path: `handle` answers a GET of it the same, but Bun's own router finds
   * these faster than Elysia's.
   */
  readonly direct: Readonly<
    Record<string, (request: Request) => Promise<Response | undefined> | Response | undefined>
  >;
  /** Gives access to client addresses and WebSockets. Before this call, neither is available. */
  attach(server: RequestServer): void;
  readonly sockets: Sockets;
  /** Answers on the port for WebNowPlaying; `undefined` when it was upgraded to a WebSocket. */
  readonly webNowPlaying: WebNowPlayingSockets["upgradeLocally"];
  /**
   * Brings one user's sockets, or all users', up to date: closes those whose token or session is no
   * longer valid, and sends overlays a changed look.
   */
  followChanges(userId?: number): Promise<void>;
  /** The users' text and cover files, if the settings ask for any. */
  readonly files: {
    start(): Promise<void>;
    /** Makes them idle, as the music is not known any more. */
    stop(): Promise<void>;
  };
  /** From now on `/readyz` answers that the server takes no more requests. */
  drain(): void;
  /** Every route as `METHOD /path`. */
  readonly routes: readonly string[];
}

/** Builds the whole server from its parts. It does not use network or disk by itself. */
export function createApp(deps: AppDeps): App {
  const { accounts, hub, sources, vault, clock, log, settings, baseUrl, metrics, shared } = deps;
  const { config } = settings;
  const basePath = basePathOf(baseUrl);
  const hosts = createHosts({ ...config, baseUrl });
  const clientAddress = createClientAddress(config.trustedProxies);
  const health = createHealth({ probeWrite: deps.probeWrite, clock });
  let server: RequestServer | undefined;

  const artworks = createArtworkStore({
    opaqueName: vault.opaqueName,
    isCurrent({ key }, userId) {
      const playback = hub.rawPlayback(userId);
      // While too little is known, it may be.
      return playback === undefined || !!playback?.album.artworks.some((one) => one.key === key);
    },
    ...(shared && { elsewhere: shared.findArtwork }),
    ...(deps.artworkCache && { disk: deps.artworkCache }),
    onUnreadable: (error, origin) =>
      log.warn("a cover cannot be read", { origin, reason: describeError(error) }),
  });
  const addressOf = (request: Request) =>
    clientAddress(server?.requestIP(request)?.address, request.headers.get("x-forwarded-for"));
  const playingBody = createPlayingBody(
    clock,
    (artwork, userId) => artwork.url ?? baseUrl + artworks.pathOf(artwork, "640.jpg", userId),
  );
  const api = createApi({
    ...(shared && { admissions: shared.admissions }),
    accounts,
    hub,
    sources,
    clock,
    config,
    baseUrl,
    playingBody,
    addressOf,
    server: () => server,
  });
  const ingest = createIngest({
    ...(deps.fetch && { fetch: deps.fetch }),
    clock,
    config,
    baseUrl,
    inbox: deps.inbox,
    inboxes: accounts.connections,
    addressOf,
    userNameOf: async (userId) => (await accounts.users.withId(userId))?.name,
  });
  keepHeardSongs({ history: accounts.history, hub, artworks, log });
  const outputs = createOutputs({ accounts, hub, artworks, clock, addressOf });
  const pages = createPages({
    ...(shared && { relay: shared.relay }),
    accounts,
    hub,
    sources,
    clock,
    log,
    artworks,
    settings,
    baseUrl,
    basePath,
    listeningAddress: deps.listeningAddress,
    onDelivered: (metrics ?? noMetrics).delivered,
    vault,
    inbox: deps.inbox,
    pushing: ingest.webNowPlaying,
    outputs,
    streams: api.streams,
    snapshot: deps.snapshot,
    isOwnOrigin: hosts.allowsOrigin,
  });

  // Loaded only where files are wanted.
  let files: Files | undefined;
  const startFiles = async (folder: string) => {
    const { createFiles } = await import("./outputs/files.ts");
    files = createFiles({
      folder,
      users: accounts.users,
      hub,
      clock,
      log,
      playingBody,
      pictureOf: async (artwork, userId) =>
        (await artworks.pictureOf(artwork, "640.jpg", userId))?.bytes,
    });
    await files.followUsers();
  };

  accounts.onChange(async (userId) => {
    hub.notify(userId);
    for (const follow of [
      hub.followConnections,
      pages.followChanges,
      ingest.webNowPlaying.followChanges,
      api.streams.followChanges,
      async (changed?: number) => files?.followUsers(changed),
    ]) {
      await follow(userId).catch((error: unknown) =>
        log.error("a change could not be followed", { reason: describeError(error) }),
      );
    }
    pages.redraw(userId);
  });

  const { metricsToken } = config;
  const metricsEndpoint =
    metrics && metricsToken !== null && createMetricsEndpoint(metrics, metricsToken);
  metrics?.watch({ channels: hub.running, overlays: pages.sockets.overlays });

  const lost = (request: Request): Promise<Response> | Response => {
    const { pathname } = new URL(request.url);
    return isBelowApi(pathname) ? api.notFound() : pages.notFound(pathname);
  };
  const open = (page: Page) => async (context: PageContext) =>
    (await page(context)) ?? lost(context.request);
  const upgrade = (socket: SocketPage) => (context: PageContext) =>
    isLanguage(context.params["lang"] ?? "") ? socket(context, server) : lost(context.request);

  const fail = (error: unknown, { method, url }: Request): Promise<Response> | Response => {
    const { pathname } = new URL(url);
    if (isBusy(error)) {
      log.warn("a request met a database that takes no requests now", { method, path: pathname });
      return isBelowApi(pathname) ? api.busy() : pages.busy(pathname, "busy");
    }
    if (isPassing(error)) {
      log.error("the database cannot be used", { path: pathname, reason: describeError(error) });
      return isBelowApi(pathname) ? api.busy() : pages.busy(pathname, "unstored");
    }
    log.error("a request failed", { method, path: pathname, reason: describeError(error) });
    if (isBelowApi(pathname)) return api.internalError();
    // Only the operator can fix this. The answer must say clearly that nothing was stored.
    return error instanceof SecretError && error.needsOtherKey
      ? plainText(503, KEY_REPLACED, { "Retry-After": "60" })
      : plainText(500, "Internal server error");
  };

  // Without this option Elysia looks for the path's slash at a fixed offset (its src/utils.ts). A
  // very short host name would then give a wrong path.
  const router = new Elysia({ handler: { standardHostname: false } }).onError(
    ({ code, error, request }) => (code === "NOT_FOUND" ? lost(request) : fail(error, request)),
  );
  /** The route of each request in progress, for the metrics. */
  const routed = new WeakMap<Request, string>();
  if (metrics) {
    router.onTransform(({ request, route, params }: RoutedContext) => {
      // `:lang` also matches words that are not a language. Such requests find no page.
      if (isLanguage(params?.["lang"] ?? "en")) routed.set(request, route);
    });
  }

  // All routes. Those without a key check are public or protected by a secret in the path or state.
  // Elysia parses the source of handlers and fails on methods, so methods are wrapped in arrows.
  router
    .get("/", open(pages.languageRedirect))
    .get("/livez", () => health.live())
    .get("/readyz", () => health.ready())
    .get("/assets/:file", open(pages.asset))
    .get("/art/:id/:rendition", open(pages.art))
    .get("/fonts/:file", open(pages.font))
    .head("/fonts/:file", open(pages.font))
    .get("/:lang", open(pages.home))
    .get("/:lang/docs", open(pages.docs))
    .get("/:lang/docs/:page", open(pages.docsPage))
    .get("/docs-pictures/:file", open(pages.docsPicture))
    .get("/:lang/widget/:token", open(pages.widget))
    .get("/:lang/widget/:token/launcher", open(pages.launcher))
    .get("/:lang/widget/:token/live", upgrade(pages.socket))
    .get("/:lang/text/:token", open(pages.text))
    .head("/:lang/text/:token", open(pages.text))
    .get("/:lang/card/:token", open(pages.card))
    .head("/:lang/card/:token", open(pages.card))
    .get("/:lang/demo", open(pages.demo))
    .get("/:lang/demo/live", upgrade(pages.demoSocket))
    .get("/:lang/connect/:source/:secret", open(pages.connect))
    .post("/:lang/connect/:source/:secret", open(pages.enterApp), { parse: "none" })
    .get("/:lang/connect/:source/:secret/start", open(pages.startLinking))
    .get("/callback/:source", open(pages.linkingCallback))
    .get("/:lang/sign-in", open(pages.signIn.ask))
    .get("/:lang/sign-in/with/:source", open(pages.signIn.withSource))
    .get("/:lang/sign-in/:secret", open(pages.signIn.confirm))
    .post("/:lang/sign-in/:secret", open(pages.signIn.enter), { parse: "none" })
    .get("/:lang/dashboard/live", (context) => pages.dashboard.socket(context, server))
    .get("/:lang/dashboard/music/link/:source", open(pages.dashboard.link))
    .get(FONT_UPLOAD, open(pages.dashboard.show("widget")))
    .post(FONT_UPLOAD, open(pages.dashboard.act("widget")), { parse: "none" })
    .get("/:lang/dashboard/account/export", open(pages.dashboard.export))
    .get("/:lang/dashboard/history/set-list", open(pages.dashboard.setList))
    .get("/:lang/dashboard/server/backup", open(pages.dashboard.backup));
  if (metricsEndpoint) router.get("/metrics", ({ request }) => metricsEndpoint(request));
  for (const section of SECTION_NAMES) {
    router
      .get(`/:lang/${sectionPath(section)}`, open(pages.dashboard.show(section)))
      .post(`/:lang/${sectionPath(section)}`, open(pages.dashboard.act(section)), {
        parse: "none",
      });
  }
  for (const [path, push] of Object.entries(ingest.routes)) {
    router.all(path, (context) => push(context), { parse: "none" });
  }
  router.get("/in/:secret/webnowplaying", (context) =>
    ingest.webNowPlaying.upgrade(context, server),
  );
  for (const [path, endpoint] of Object.entries(api.endpoints)) {
    router
      .get(path, endpoint)
      .head(path, endpoint)
      .options(path, api.preflight)
      .all(path, api.methodNotAllowed);
  }

  const route = router.fetch as (request: Request) => Promise<Response> | Response;
  const paths = router.routes.map(({ path }) => path);
  const takeBasePathOff = createBasePath(basePath, paths);
  const answer = (request: Request) => {
    if (!hosts.allows(request.headers.get("host"))) return refuseHost(request);
    takeBasePathOff(request);
    // Programs that push are answered in the form of their protocol.
    if (isTooLarge(request) && !ingest.isFor(request) && !isFontUpload(request)) {
      return plainText(413, "The body is larger than 64 KiB.");
    }
    return route(request);
  };
  const answerAndLog = async (request: Request) => {
    const startedAtMs = clock.monotonicMs();
    const { method, url } = request;
    const response = await answer(request);
    log.debug("request", {
      method,
      // Without the query: it may hold a key in a spelling that the redaction patterns miss.
      url: url.split("?", 1)[0],
      status: response?.status ?? 101,
      ms: Math.round(clock.monotonicMs() - startedAtMs),
    });
    return response;
  };

  const handle = log.enabled("debug") ? answerAndLog : answer;
  const handleAndCount = async (request: Request) => {
    const response = await handle(request);
    metrics?.request(routed.get(request) ?? "other", response?.status ?? 101);
    return response;
  };

  const answerDirectly = (endpoint: Endpoint) => (request: Request) => {
    if (!hosts.allows(request.headers.get("host"))) return refuseHost(request);
    try {
      const answered = endpoint({ request });
      return answered instanceof Promise
        ? answered.catch((error: unknown) => fail(error, request))
        : answered;
    } catch (error) {
      return fail(error, request);
    }
  };
  const directly = Object.entries(api.endpoints).flatMap(([path, endpoint]) =>
    [path, basePath + path].map((at) => [at, answerDirectly(endpoint)] as const),
  );
  // Requests that are counted or logged have to pass `handle`, which does that.
  const isDirect = !metrics && handle === answer;

  return {
    handle: metrics ? handleAndCount : handle,
    direct: Object.fromEntries(isDirect ? directly : []),
    attach(started) {
      server = started;
    },
    sockets: pages.sockets,
    webNowPlaying: ingest.webNowPlaying.upgradeLocally,
    followChanges: pages.followChanges,
    files: {
      start: async () => {
        if (config.files !== null) await startFiles(config.files);
      },
      stop: async () => files?.stop(),
    },
    drain: health.drain,
    routes: router.routes.map(({ method, path }) => `${method} ${path}`),
  };
}

/** Only form bodies are read, and people fill in their fields. */
const isTooLarge = ({ method, headers }: Request): boolean =>
  method !== "GET" && Number(headers.get("content-length") ?? 0) > LARGEST_BODY_BYTES;

/** Who uploads a font has to be signed in before the body is read. Bun's own limit still counts. */
const FONT_UPLOAD = "/:lang/dashboard/widget/fonts";
const isFontUpload = ({ method, url }: Request): boolean =>
  method === "POST" && /^https?:\/\/[^/]*\/[^/]+\/dashboard\/widget\/fonts$/.test(url);

const KEY_REPLACED =
  "The server's secret key was replaced: it has to be started again with the new one. Nothing was stored. Try again then.";

const isBelowApi = (path: string): boolean => path.startsWith("/api/");

/** The URL of a request with a foreign host may be malformed, so it is not parsed. */
function refuseHost({ url }: Request): Response {
  const sentence =
    "This server does not answer to that name. Use its base URL, or list the name in MARQUEE_ALLOWED_HOSTS.";
  return url.includes("/api/") ? failure(421, sentence) : plainText(421, sentence);
}
