import type { DashboardRequest } from "../../../dashboard/request.ts";
import { pathTo } from "../../../html/section-paths.ts";

/** The hyperlink from an editor back to all widgets. */
export const galleryOf = (request: DashboardRequest) => ({
  path: pathTo(request, "widget"),
  label: request.words.dashboard.gallery.import.back,
});
