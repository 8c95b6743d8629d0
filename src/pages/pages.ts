import type { Accounts } from "../accounts/accounts.ts";
import type { ArtworkStore } from "../artwork/artwork-store.ts";
import type { Clock } from "../clock.ts";
import { isLanguage, type Language } from "../i18n/index.ts";
import type { Log } from "../log.ts";
import type { Hub } from "../playback/hub.ts";
import type { Sources } from "../sources/index.ts";
import { createArt } from "./art.ts";
import { assetResponse } from "./assets.ts";
import { createConnect } from "./connect.ts";
import { createCovers } from "./covers.ts";
import { createHome, createLanguageRedirect } from "./home.tsx";
import { createLauncher } from "./launcher.tsx";
import { createLive, type Live, type Upgrader } from "./live.ts";
import { createNotFound } from "./not-found.tsx";
import type { Page, PageAnswer, PageContext } from "./page.ts";
import { createWidget } from "./widget.tsx";

/** Everything that people and their browsers open. */
export interface Pages {
  readonly languageRedirect: Page;
  readonly asset: Page;
  readonly art: Page;
  readonly home: Page;
  readonly widget: Page;
  readonly launcher: Page;
  /** `undefined` once it has become a socket: {@link Live.upgrade}. */
  readonly socket: (context: PageContext, upgrader: Upgrader | undefined) => PageAnswer;
  readonly connect: Page;
  readonly enterApp: Page;
  readonly startLinking: Page;
  readonly linkingCallback: Page;
  readonly notFound: (path: string) => Promise<Response>;
  readonly live: Live;
}

export interface PagesDeps {
  readonly accounts: Pick<Accounts, "widgets" | "connections" | "links" | "upstreams">;
  readonly hub: Hub;
  readonly sources: Pick<Sources, "byId">;
  readonly clock: Clock;
  readonly log: Log;
  readonly artworks: ArtworkStore;
  /** Where the server is reached, without a slash at the end, and its path alone. */
  readonly baseUrl: string;
  readonly basePath: string;
  /** Whether a page from this origin may listen. */
  isOwnOrigin(origin: string, host: string | null): boolean;
}

export function createPages(deps: PagesDeps): Pages {
  const { accounts, hub, sources, clock, log, artworks, baseUrl, basePath, isOwnOrigin } = deps;
  const { widgets } = accounts;
  const covers = createCovers(artworks, basePath, clock);
  const notFound = createNotFound(basePath);
  const home = createHome({ baseUrl, basePath });
  const widget = createWidget({ widgets, hub, clock, covers, basePath });
  const launcher = createLauncher({ widgets, baseUrl });
  const art = createArt(artworks);
  const live = createLive({ widgets, hub, clock, covers, isOwnOrigin, notFound });

  const connect = createConnect({
    accounts,
    sources,
    clock,
    log,
    baseUrl,
    basePath,
    isOwnOrigin,
    onConnected: hub.followConnections,
  });

  return {
    languageRedirect: createLanguageRedirect(basePath),
    asset: ({ params }) => assetResponse(params["file"] ?? ""),
    art: ({ params }) => art(params["id"] ?? "", params["rendition"] ?? ""),
    home: inLanguage((language) => home(language)),
    widget: inLanguage((language, { params, request }) =>
      widget(language, params["token"] ?? "", new URL(request.url).searchParams),
    ),
    launcher: inLanguage((language, { params, request }) =>
      launcher(language, params["token"] ?? "", new URL(request.url).search),
    ),
    socket: ({ params, request }, upgrader) =>
      live.upgrade(request, params["token"] ?? "", upgrader),
    connect: inLanguage(connect.show),
    enterApp: inLanguage(connect.enterApp),
    startLinking: inLanguage(connect.start),
    linkingCallback: connect.callback,
    notFound,
    live,
  };
}

/** A page in the language that its path names; another first word of a path is no page of ours. */
function inLanguage(render: (language: Language, context: PageContext) => PageAnswer): Page {
  return (context) => {
    const { lang = "" } = context.params;
    return isLanguage(lang) ? render(lang, context) : undefined;
  };
}
