import type { ActionParts } from "./actions/action.ts";
import { basePathOf } from "./addresses.ts";
import { createApiFeature } from "./api/api.ts";
import type { EventsServer } from "./api/events.ts";
import { createPlayingBody } from "./api/now-playing.ts";
import { createArtworkStore } from "./artwork/artwork-store.ts";
import { createLooks } from "./artwork/looks.ts";
import type { DiskCache } from "./artwork/disk-cache.ts";
import { createHooksFeature } from "./hooks/feature.ts";
import { createChatFeature } from "./chat/feature.ts";
import { createDashboardFeature } from "./dashboard/feature.ts";
import type { CommandDescription } from "./docs/commands-table.ts";
import type { Store } from "./db/store.ts";
import { createDocsFeature } from "./docs/feature.ts";
import { createHomeFeature } from "./home/feature.ts";
import { createCookies } from "./http/cookies.ts";
import { createFormTokens } from "./http/csrf.ts";
import type { Feature } from "./http/plugin.ts";
import type { Parts } from "./http/parts.ts";
import { createProcessorBudget } from "./http/processor-budget.ts";
import { createSessionCookie } from "./http/session-cookie.ts";
import type { Inbox } from "./ingest/inbox.ts";
import { createIngestFeature } from "./ingest/ingest.ts";
import { createLinkingFeature } from "./linking/feature.ts";
import { describeError } from "./log.ts";
import { createOutputsFeature } from "./outputs/feature.ts";
import { createOverlayFeature } from "./overlay/feature.ts";
import type { Artwork } from "./playback.ts";
import { createSignInFeature } from "./sign-in/feature.ts";
import type { BroadcastPlace } from "./sources/pushed.ts";
import type { Vault } from "./vault/vault.ts";

export interface FeaturesDeps extends Omit<
  Parts,
  | "vault"
  | "config"
  | "basePath"
  | "budget"
  | "artworks"
  | "formTokens"
  | "cookies"
  | "sessionCookie"
> {
  readonly store: Store;
  readonly vault: Vault;
  /** The program's commands, for the documentation. They are loaded when they are needed. */
  readonly commands: () => Promise<readonly CommandDescription[]>;
  /** Keeps resized covers across restarts. */
  readonly artworkCache: DiskCache;
  /** What other programs have pushed. */
  readonly inbox: Inbox;
  /** Where programs broadcast to. */
  readonly broadcasts: BroadcastPlace;
  /** For streams of the API. */
  server(): EventsServer | undefined;
}

/** The one list of features, with what they share. */
export function createFeatures(deps: FeaturesDeps) {
  const { accounts, hub, clock, log, settings, baseUrl, vault } = deps;
  const { config } = settings;
  const basePath = basePathOf(baseUrl);
  const artworks = createArtworkStore({
    opaqueName: vault.opaqueName,
    isCurrent({ key }, userId) {
      const playback = hub.rawPlayback(userId);
      // While too little is known, it may be.
      return playback === undefined || !!playback?.album.artworks.some((one) => one.key === key);
    },
    disk: deps.artworkCache,
    onFailed: hub.coverFailed,
    onUnreadable: (error, origin) =>
      log.warn("a cover cannot be read", { origin, reason: describeError(error) }),
  });
  // Whoever is told of a cover may load it, so it is looked at first.
  hub.onCover(createLooks(artworks));
  const artworkUrl = (artwork: Artwork, userId: number) =>
    artwork.url ?? baseUrl + artworks.pathOf(artwork, "640.jpg", userId);
  const playingBody = createPlayingBody(clock, artworkUrl);
  const formTokens = createFormTokens(vault.formSecret);
  const cookies = createCookies(deps);
  const sessionCookie = createSessionCookie({ accounts, cookies, basePath });
  const parts = {
    ...deps,
    budget: createProcessorBudget(clock),
    config,
    basePath,
    artworks,
    playingBody,
    formTokens,
    cookies,
    sessionCookie,
  };
  const linking = createLinkingFeature(parts);
  const linkingFlow = linking.flow;

  const api = createApiFeature(parts);
  const ingest = createIngestFeature({
    ...parts,
    inboxes: accounts.connections,
    userNameOf: (userId) => accounts.users.withId(userId)?.name,
  });
  const outputs = createOutputsFeature(parts);
  const hooks = createHooksFeature({ ...parts, artworkUrl });
  const overlay = createOverlayFeature(parts);
  const { live, covers } = overlay;
  const chat = createChatFeature({
    ...parts,
    showOverlays(userId) {
      const user = accounts.users.withId(userId);
      if (user) overlay.showAll(user);
    },
  });
  const running = { hub, live, hooks, chat: chat.service, stop: deps.stopServer };
  const actionParts: ActionParts = { ...parts, running };
  const dashboard = createDashboardFeature({
    ...parts,
    actionParts,
    loadSections: async () => (await import("./dashboard/pages.ts")).createSections,
    live,
    covers,
    hooks,
    linkingFlow,
    chat: chat.service,
  });
  /** A change is followed in this order: the dashboards show what the others have made of it. */
  const all: readonly Feature[] = [
    api,
    ingest,
    outputs,
    hooks,
    overlay,
    chat,
    createHomeFeature(parts),
    createDocsFeature({ ...parts, endpoints: api.endpoints }),
    createSignInFeature({ ...parts, linkingFlow }),
    linking,
    dashboard,
  ];
  return { all, upgradeLocally: ingest.upgradeLocally, actionParts };
}
