import { Elysia } from "elysia";
import { createArt } from "../artwork/serve-cover.ts";
import type { Feature } from "../http/plugin.ts";
import { pagesOf } from "../html/page.ts";
import { guards } from "../http/guards.ts";
import { found } from "../http/turned-away.ts";
import { upgraderFor, withMessageLimit } from "../http/socket.ts";
import { once } from "../once.ts";
import { standInCoverAddress } from "../addresses.ts";
import { type Covers, createCovers } from "./covers.ts";
import { createFont } from "./fonts/serve-font.ts";
import { createLive, type Live } from "./live.ts";
import { createOnDemand, type OnDemand } from "./on-demand.ts";
import { createStandIn } from "./serve-stand-in.ts";
import { createStreams } from "./streams.ts";
import type { LiveTicket } from "./ticket.ts";
import type { Parts } from "../http/parts.ts";

/** What the dashboard shows and does of overlays, too. */
export interface OverlayFeature extends Feature {
  readonly live: Live;
  readonly covers: Covers;
  /** Shows all overlays of a user for a while. */
  readonly showAll: OnDemand["showAll"];
}

/** What a client sends is not read. Elysia changes the object. */
const forShowing = () => ({ secret: "show token", parse: "none" }) as const;

/** The overlay's page, which is loaded on first use, its sockets, and the covers and fonts that it loads. */
export function createOverlayFeature(deps: Parts): OverlayFeature {
  const { accounts, artworks, clock, log, basePath } = deps;
  const { widgets } = accounts;
  const covers = createCovers(artworks, basePath, clock);
  const fontsOf = (userId: number) => ({
    own: accounts.fonts.allOf({ id: userId }),
    basePath,
  });
  const standInOf = (userId: number) => {
    const id = accounts.standInCovers.idOf(userId);
    return id === undefined ? null : standInCoverAddress(basePath, id);
  };
  const live = createLive({
    ...deps,
    widgets,
    fontsOf,
    covers,
    standInOf,
    notFound: async (path) => (await import("../html/not-found.tsx")).notFoundPage(path, basePath),
    streams: createStreams({ history: accounts.history, clock, log }),
  });
  const page = pagesOf(
    once(async () =>
      (await import("./widget.tsx")).createWidget({ ...deps, widgets, fontsOf, covers, standInOf }),
    ),
  );
  const launcher = pagesOf(
    once(async () => (await import("./launcher.tsx")).createLauncher({ ...deps, widgets })),
  );
  const onDemand = createOnDemand({ ...deps, widgets, show: live.showOnDemand });
  const art = createArt(artworks);
  const font = createFont(accounts.fonts);
  const standIn = createStandIn(accounts.standInCovers);

  const sockets = withMessageLimit<LiveTicket>(live, clock);
  const plugin = new Elysia({ name: "overlay" })
    .use(guards)
    .get("/:lang/widget/:token", page("show"), { secret: "widget token", language: true })
    .get("/:lang/widget/:token/launcher", launcher("download"), {
      secret: "widget token",
      language: true,
    })
    .get(
      "/:lang/widget/:token/live",
      async ({ params, request, server }) =>
        live.upgrade(request, params.token, upgraderFor(sockets, server)),
      { secret: "widget token", language: true },
    )
    .get("/:lang/demo", page("demo"), { open: true, language: true })
    .get(
      "/:lang/demo/live",
      ({ request, server }) => live.upgradeDemo(request, upgraderFor(sockets, server)),
      { open: true, language: true },
    )
    .all(
      "/show/:token",
      ({ params, request }) => onDemand.show(params.token, request),
      forShowing(),
    )
    .all(
      "/hide/:token",
      ({ params, request }) => onDemand.hide(params.token, request),
      forShowing(),
    )
    .get(
      "/art/:id/:rendition",
      async ({ params }) => found(await art(params.id, params.rendition)),
      { open: true },
    )
    .get("/fonts/:file", async ({ params }) => found(await font(params.file)), { open: true })
    .get("/covers/:file", ({ params }) => found(standIn(params.file)), { open: true });

  return {
    live,
    covers,
    showAll: onDemand.showAll,
    plugin,
    gauges: { overlays: live.connected },
    follow({ userId, concerns }) {
      if (concerns("users", "widgets", "fonts", "history")) live.followWidgets(userId);
      if (concerns("standInCovers")) live.followStandIns(userId);
    },
    stop: live.stop,
  };
}
