import type { ResolvedConfig } from "../../config.ts";
import type { Log } from "../../log.ts";
import type { Hub } from "../../channels/hub.ts";
import type { Covers } from "../overlay/covers.ts";
import type { Live } from "../overlay/live.ts";
import { createAccount } from "./account.tsx";
import { createKeys } from "./keys.tsx";
import { createDashboardLive, type DashboardLive } from "./live.ts";
import { createMusic } from "./music.tsx";
import { createNowPlaying } from "./now-playing.tsx";
import { createPrivacySection } from "./privacy.tsx";
import { createDashboardRoutes, type DashboardRoutes, type DashboardRoutesDeps } from "./routes.ts";
import { createServerSection } from "./server.tsx";
import { createPresenter } from "./state.ts";
import type { Section, SectionName } from "./request.ts";
import { createWidgetEditor } from "./widget.tsx";

export interface DashboardDeps extends Omit<DashboardRoutesDeps, "sections" | "dashboardLive"> {
  readonly hub: Hub;
  readonly live: Live;
  readonly covers: Covers;
  readonly log: Log;
  /** The settings in force and where each came from. */
  readonly settings: ResolvedConfig;
}

/** The pages of somebody who is signed in. */
export interface Dashboard {
  readonly routes: DashboardRoutes;
  readonly live: DashboardLive;
}

export function createDashboard(deps: DashboardDeps): Dashboard {
  const { accounts, hub, sources, live, covers, clock, settings } = deps;
  const presenter = createPresenter({ accounts, sources, hub, live, covers, clock });
  const { config } = settings;
  const sections: Readonly<Record<SectionName, Section>> = {
    nowPlaying: createNowPlaying({ accounts, hub, presenter }),
    music: createMusic({ accounts, sources, clock, config }),
    widget: createWidgetEditor({ accounts, live, clock }),
    keys: createKeys({ accounts, clock }),
    privacy: createPrivacySection({ accounts, clock }),
    account: createAccount(deps),
    server: createServerSection(deps),
  };
  const dashboardLive = createDashboardLive({ hub, presenter, log: deps.log });
  live.onStreamChange(dashboardLive.redraw);
  accounts.connections.onStatus(dashboardLive.redraw);
  return {
    routes: createDashboardRoutes({ ...deps, sections, dashboardLive }),
    live: dashboardLive,
  };
}
