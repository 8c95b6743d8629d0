import type { Accounts } from "../accounts/accounts.ts";
import type { ServerPlace } from "../addresses.ts";
import type { ArtworkStore } from "../artwork/artwork-store.ts";
import { createArt } from "../artwork/serve-cover.ts";
import type { Hub } from "../channels/hub.ts";
import type { Clock } from "../clock.ts";
import { pagesOf } from "../html/page.ts";
import { all, type Feature, get, once, type Route, socket, socketsOf } from "../http/feature.ts";
import type { ProcessorBudget } from "../http/processor-budget.ts";
import type { Hosts } from "../http/hosts.ts";
import type { Log } from "../log.ts";
import { type Covers, createCovers } from "./covers.ts";
import { fontFaces } from "./font-faces.ts";
import { createLive, type Live } from "./live.ts";
import { createOnDemand, type OnDemand } from "./on-demand.ts";
import { createStreams } from "./streams.ts";
import type { LiveTicket } from "./ticket.ts";
import { createFont } from "./uploaded-font.ts";

export interface OverlayFeatureDeps
  extends ServerPlace, Pick<Hosts, "isFromOwnPage" | "openedElsewhere"> {
  readonly accounts: Accounts;
  readonly hub: Pick<Hub, "read" | "subscribe" | "peek" | "rawPlayback">;
  readonly artworks: ArtworkStore;
  readonly clock: Clock;
  readonly budget: ProcessorBudget;
  readonly log: Log;
  /** Called with the time from an observation to its delivery to the overlays. */
  onDelivered(latencyMs: number): void;
  /** The client address of a request. */
  addressOf(request: Request): string;
}

/** What the dashboard shows and does of overlays, too. */
export interface OverlayFeature extends Feature {
  readonly live: Live;
  readonly covers: Covers;
  /** Shows all overlays of a user for a while. */
  readonly showAll: OnDemand["showAll"];
}

/** The overlay's page, which is loaded on first use, its sockets, and the covers and fonts that it loads. */
export function createOverlayFeature(deps: OverlayFeatureDeps): OverlayFeature {
  const { accounts, artworks, clock, log, basePath } = deps;
  const { widgets } = accounts;
  const covers = createCovers(artworks, basePath, clock);
  const fontFacesOf = async (userId: number) =>
    fontFaces(await accounts.fonts.allOf({ id: userId }), basePath);
  const live = createLive({
    ...deps,
    widgets,
    fontFacesOf,
    covers,
    notFound: async (path) => (await import("../html/not-found.tsx")).notFoundPage(path, basePath),
    streams: createStreams({ history: accounts.history, clock, log }),
  });
  const page = pagesOf(
    once(async () =>
      (await import("./widget.tsx")).createWidget({ ...deps, widgets, fontFacesOf, covers }),
    ),
  );
  const launcher = pagesOf(
    once(async () => (await import("./launcher.tsx")).createLauncher({ ...deps, widgets })),
  );
  const onDemand = createOnDemand({ ...deps, widgets, show: live.showOnDemand });
  const onDemandAt =
    (does: "show" | "hide"): Route["answer"] =>
    ({ params, request }) =>
      onDemand[does](params["token"] ?? "", request);
  const art = createArt(artworks);
  const font = createFont(accounts.fonts);

  return {
    live,
    covers,
    showAll: onDemand.showAll,
    routes: [
      get("/:lang/widget/:token", page("show")),
      get("/:lang/widget/:token/launcher", launcher("download")),
      socket("/:lang/widget/:token/live", ({ params, request }, upgrader) =>
        live.upgrade(request, params["token"] ?? "", upgrader),
      ),
      get("/:lang/demo", page("demo")),
      socket("/:lang/demo/live", ({ request }, upgrader) => live.upgradeDemo(request, upgrader)),
      all("/show/:token", onDemandAt("show")),
      all("/hide/:token", onDemandAt("hide")),
      get("/art/:id/:rendition", ({ params }) =>
        art(params["id"] ?? "", params["rendition"] ?? ""),
      ),
      get("/fonts/:file", ({ params }) => font(params["file"] ?? "")),
    ],
    sockets: socketsOf<LiveTicket>("overlay", live),
    gauges: { overlays: live.connected },
    async follow({ userId, concerns }) {
      if (concerns("users", "widgets", "fonts", "history")) await live.followWidgets(userId);
    },
    stop: live.stop,
  };
}
