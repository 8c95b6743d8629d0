import type { Accounts } from "./accounts/accounts.ts";
import type { ApiStreams } from "./api/api.ts";
import type { Vault } from "./vault/secrets.ts";
import type { ArtworkStore } from "./artwork/artwork-store.ts";
import type { Clock } from "./clock.ts";
import type { ResolvedConfig } from "./config.ts";
import type { Language } from "./languages.ts";
import type { Log } from "./log.ts";
import type { Hub } from "./channels/hub.ts";
import type { Sources } from "./sources/index.ts";
import { createArt } from "./artwork/serve-cover.ts";
import { createBusy } from "./html/busy.ts";
import { assetResponse } from "./html/assets.ts";
import { createConnect } from "./linking/connect.ts";
import { createCovers } from "./overlay/covers.ts";
import type { Dashboard } from "./dashboard/dashboard.ts";
import type { DashboardRoutes } from "./dashboard/routes.ts";
import { pathTo } from "./html/section-paths.ts";
import type { Docs, Reader } from "./docs/docs.tsx";
import { createHome, createLanguageRedirect } from "./home/home.tsx";
import { createLauncher } from "./overlay/launcher.tsx";
import { createFormTokens } from "./http/csrf.ts";
import { createLinkingFlow } from "./linking/linking.ts";
import { fontFaces } from "./overlay/font-faces.ts";
import { createLive, type OverlayRelay } from "./overlay/live.ts";
import { createStreams } from "./overlay/streams.ts";
import { createFont } from "./overlay/uploaded-font.ts";
import { createNotFound } from "./html/not-found.tsx";
import { inLanguage, type Page, type SocketPage } from "./html/page.ts";
import { createSessionCookie } from "./http/session-cookie.ts";
import { createSignIn } from "./sign-in/sign-in.tsx";
import type { Inbox } from "./ingest/inbox.ts";
import type { Outputs } from "./outputs/outputs.ts";
import type { WebNowPlayingSockets } from "./ingest/webnowplaying-sockets.ts";
import { createSockets, type Sockets } from "./sockets.ts";
import { createWidget } from "./overlay/widget.tsx";
import type { CardPage } from "./outputs/card-page.tsx";

/** All pages, files and sockets that browsers open. */
export interface Pages {
  readonly languageRedirect: Page;
  readonly asset: Page;
  readonly art: Page;
  /** A font that a user has uploaded. */
  readonly font: Page;
  readonly home: Page;
  readonly docs: Page;
  readonly docsPage: Page;
  readonly docsPicture: Page;
  readonly widget: Page;
  /** The public overlay, which plays the demo. */
  readonly demo: Page;
  readonly demoSocket: SocketPage;
  readonly launcher: Page;
  /** One line for chat bots. */
  readonly text: Page;
  /** A card, when the address ends in `.svg`, and the page for sharing it. */
  readonly card: Page;
  readonly socket: SocketPage;
  readonly connect: Page;
  readonly enterApp: Page;
  readonly startLinking: Page;
  readonly linkingCallback: Page;
  readonly signIn: Readonly<Record<"ask" | "confirm" | "enter" | "withSource", Page>>;
  readonly dashboard: DashboardRoutes;
  readonly notFound: (path: string) => Promise<Response>;
  /** The page for a database that another program locked for too long. */
  readonly busy: ReturnType<typeof createBusy>;
  readonly sockets: Sockets;
  /**
   * Brings the sockets, of one user or of all, up to date: closes those whose token or session no
   * longer works, and sends overlays a changed look.
   */
  followChanges(userId?: number): Promise<void>;
  /** Sends the new state to the dashboards, of one user or of all, if it has changed. */
  redraw(userId: number | undefined): void;
}

export interface PagesDeps {
  readonly accounts: Accounts;
  readonly hub: Hub;
  readonly sources: Sources;
  readonly clock: Clock;
  readonly log: Log;
  readonly artworks: ArtworkStore;
  readonly settings: ResolvedConfig;
  /** The server's base URL, without a slash at the end, and its path alone. */
  readonly baseUrl: string;
  readonly basePath: string;
  /** Host and port for programs on the same machine. */
  readonly listeningAddress: string;
  /** Called with the time from an observation to its delivery to the overlays. */
  onDelivered(latencyMs: number): void;
  /** Signs the tokens of forms, and seals the data that we store in cookies. */
  readonly vault: Pick<Vault, "formSecret" | "seal" | "open">;
  /** What other programs have pushed. */
  readonly inbox: Inbox;
  /** The sockets of programs that push what they play. */
  readonly pushing: WebNowPlayingSockets;
  /** What chat bots and websites read. */
  readonly outputs: Outputs;
  /** The streams of the API. */
  readonly streams: ApiStreams;
  /** A consistent copy of the database as the bytes of a file, if it is one. */
  readonly snapshot: (() => Uint8Array<ArrayBuffer>) | undefined;
  /** Whether a page from this origin is one of ours. */
  isOwnOrigin(origin: string, host: string | null): boolean;
  /** The overlays on other nodes, where there are any. */
  readonly relay?: OverlayRelay;
}

export function createPages(deps: PagesDeps): Pages {
  const { accounts, hub, sources, clock, log, vault, artworks, settings } = deps;
  const { baseUrl, basePath, listeningAddress, isOwnOrigin, onDelivered } = deps;
  const { widgets } = accounts;
  const formTokens = createFormTokens(vault.formSecret);
  const covers = createCovers(artworks, basePath, clock);
  const notFound = createNotFound(basePath);
  // Loaded on first use, so that unread documentation takes no memory.
  let docs: Promise<Docs> | undefined;
  const loadDocs = () => {
    docs ??= import("./docs/docs.tsx").then(({ createDocs }) =>
      createDocs({ sources, config: settings.config, baseUrl, basePath, listeningAddress }),
    );
    return docs;
  };
  const readerOf = async (language: Language, request: Request): Promise<Reader | undefined> => {
    const signedIn = await sessionCookie.signedIn(request);
    if (!signedIn) return undefined;
    const path = pathTo({ basePath, language }, "keys");
    return {
      keyOffer: { path, formToken: formTokens.issue(signedIn.session) },
      widgetToken: () => widgets.tokenOf(signedIn.user),
    };
  };
  const home = createHome({ baseUrl, basePath });
  const fontFacesOf = async (userId: number) =>
    fontFaces(await accounts.fonts.allOf({ id: userId }), basePath);
  const widget = createWidget({ widgets, fontFacesOf, hub, clock, covers, basePath });
  const launcher = createLauncher({ widgets, baseUrl });
  // Loaded on first use, like the outputs themselves.
  let cardPage: Promise<CardPage> | undefined;
  const loadCardPage = () => {
    cardPage ??= import("./outputs/card-page.tsx").then(({ createCardPage }) =>
      createCardPage({ ...deps, door: deps.outputs.door }),
    );
    return cardPage;
  };
  const art = createArt(artworks);
  const font = createFont(accounts.fonts);
  const live = createLive({
    ...(deps.relay && { relay: deps.relay }),
    widgets,
    fontFacesOf,
    hub,
    clock,
    covers,
    isOwnOrigin,
    notFound,
    onDelivered,
    streams: createStreams({ history: accounts.history, clock, log }),
  });
  const sessionCookie = createSessionCookie({
    accounts,
    baseUrl,
    basePath,
  });
  const linkingFlow = createLinkingFlow({
    accounts,
    sources,
    sessionCookie,
    clock,
    log,
    vault,
    baseUrl,
    basePath,
  });
  const connect = createConnect({
    accounts,
    sources,
    linkingFlow,
    baseUrl,
    basePath,
    isOwnOrigin,
  });
  const signIn = createSignIn({
    accounts,
    sources,
    linkingFlow,
    sessionCookie,
    basePath,
    isOwnOrigin,
  });
  // The dashboard is loaded on first use too.
  let openDashboard: Dashboard | undefined;
  let loading: Promise<Dashboard> | undefined;
  const loadDashboard = () => {
    loading ??= import("./dashboard/dashboard.ts").then(async ({ createDashboard }) => {
      openDashboard = await createDashboard({
        ...deps,
        formTokens,
        live,
        covers,
        sessionCookie,
        linkingFlow,
      });
      return openDashboard;
    });
    return loading;
  };
  const followChanges = async (userId?: number) => {
    await live.followWidgets(userId);
    await openDashboard?.live.dropEndedSessions(accounts.sessions.isOpen, userId);
  };

  return {
    languageRedirect: createLanguageRedirect(basePath),
    asset: ({ params }) => assetResponse(params["file"] ?? ""),
    art: ({ params }) => art(params["id"] ?? "", params["rendition"] ?? ""),
    font: ({ params }) => font(params["file"] ?? ""),
    home: inLanguage((language) => home(language)),
    docs: inLanguage(async (language) => (await loadDocs()).index(language)),
    docsPage: inLanguage(async (language, { params, request }) =>
      (await loadDocs()).page(language, params["page"] ?? "", () => readerOf(language, request)),
    ),
    docsPicture: async ({ params }) => (await loadDocs()).picture(params["file"] ?? ""),
    widget: inLanguage((language, { params, request }) =>
      widget.show(language, params["token"] ?? "", new URL(request.url).searchParams),
    ),
    demo: inLanguage((language, { request }) =>
      widget.demo(language, new URL(request.url).searchParams),
    ),
    demoSocket: ({ request }, upgrader) => live.upgradeDemo(request, upgrader),
    launcher: inLanguage((language, { params, request }) =>
      launcher(language, params["token"] ?? "", new URL(request.url).search),
    ),
    text: inLanguage((language, { params, request }) =>
      deps.outputs.text(language, params["token"] ?? "", request),
    ),
    card: inLanguage(async (language, { params, request }) => {
      const name = params["token"] ?? "";
      return name.endsWith(".svg")
        ? deps.outputs.card(language, name.slice(0, -".svg".length), request)
        : (await loadCardPage())(language, name, request);
    }),
    socket: ({ params, request }, upgrader) =>
      live.upgrade(request, params["token"] ?? "", upgrader),
    connect: inLanguage(connect.show),
    enterApp: inLanguage(connect.enterApp),
    startLinking: inLanguage(connect.start),
    linkingCallback: linkingFlow.callback,
    signIn: {
      ask: inLanguage(signIn.ask),
      confirm: inLanguage(signIn.confirm),
      enter: inLanguage(signIn.enter),
      withSource: inLanguage(signIn.withSource),
    },
    dashboard: loadedLater(async () => (await loadDashboard()).routes),
    notFound,
    busy: createBusy(basePath),
    sockets: createSockets(live, () => openDashboard?.live, deps.pushing, deps.streams, clock),
    followChanges,
    redraw: (userId) => openDashboard?.live.redraw(userId),
  };
}

/** The dashboard's routes, which load the dashboard on the first request. */
function loadedLater(load: () => Promise<DashboardRoutes>): DashboardRoutes {
  const later =
    (pick: (routes: DashboardRoutes) => Page): Page =>
    async (context) =>
      pick(await load())(context);
  return {
    show: (section) => later(({ show }) => show(section)),
    act: (section) => later(({ act }) => act(section)),
    link: later(({ link }) => link),
    export: later((routes) => routes.export),
    setList: later(({ setList }) => setList),
    backup: later(({ backup }) => backup),
    socket: async (context, upgrader) => (await load()).socket(context, upgrader),
  };
}
