import type { Covers } from "../overlay/covers.ts";
import { createDashboardLive } from "./live.ts";
import { createDashboardRoutes, type DashboardRoutesDeps } from "./routes.ts";
import type { CreateSections, SectionParts } from "./section-parts.ts";
import { createPresenter } from "./state.ts";

export interface DashboardDeps
  extends Omit<DashboardRoutesDeps, "sections" | "dashboardLive">, Omit<SectionParts, "present"> {
  readonly covers: Covers;
  /** Loads the list of pages. */
  readonly loadSections: () => Promise<CreateSections>;
}

/** The pages of a signed-in user. */
export type Dashboard = Awaited<ReturnType<typeof createDashboard>>;

export async function createDashboard(deps: DashboardDeps) {
  const present = createPresenter(deps);
  const createSections = await deps.loadSections();
  const sections = await createSections({ ...deps, present });
  const dashboardLive = createDashboardLive({ ...deps, present });
  deps.live.onStreamChange(dashboardLive.redraw);
  deps.accounts.connections.onStatus(dashboardLive.redraw);
  deps.inbox.onPost(dashboardLive.redrawConnection);
  return {
    routes: createDashboardRoutes({ ...deps, sections, dashboardLive }),
    live: dashboardLive,
  };
}
