import type { DashboardRequest } from "../../dashboard/request.ts";
import type { DashboardState } from "../../dashboard/state.ts";
import type { StagedOverlay } from "./staged-overlay.ts";

/** What the parts of the page are drawn from. */
export interface HomeView {
  readonly request: DashboardRequest;
  readonly state: DashboardState;
  /** `undefined` for somebody who has removed all overlays. */
  readonly overlay: StagedOverlay | undefined;
}

export interface ViewProps {
  readonly view: HomeView;
}
