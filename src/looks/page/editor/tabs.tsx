import { attribute } from "../../../html/attribute.ts";
import { pathTo } from "../../../html/section-paths.ts";
import { Html } from "../../../jsx.ts";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import type { Widget } from "../../widgets.ts";

const TABS = ["design", "obs"] as const;
export type Tab = (typeof TABS)[number];

/** The tab that the page's address names: `&tab=obs`. */
export const tabOf = ({ query }: DashboardRequest): Tab =>
  query.get("tab") === "obs" ? "obs" : "design";

/** The query of a tab of a widget's page. */
export const queryOf = (id: number, tab: Tab): string =>
  tab === "design" ? `id=${id}` : `id=${id}&tab=${tab}`;

/** The tabs of an overlay's page. Without the script they are hyperlinks to the same page. */
export function Tabs({
  request,
  widget,
}: {
  readonly request: DashboardRequest;
  readonly widget: Pick<Widget, "id">;
}): JSX.Element {
  const { tabs } = request.words.dashboard.widget;
  const chosen = tabOf(request);
  return (
    <div class="tabs" role="tablist" data-tabs>
      {TABS.map((tab) => (
        <a
          id={`tab-${tab}`}
          role="tab"
          href={attribute(`${pathTo(request, "widget")}?${queryOf(widget.id, tab)}`)}
          aria-controls={tab}
          aria-selected={tab === chosen ? "true" : "false"}
          safe
        >
          {tabs[tab]}
        </a>
      ))}
    </div>
  );
}

/** The attributes of a tab's panel. */
export const panelOf = (request: DashboardRequest, tab: Tab) => ({
  id: tab,
  role: "tabpanel",
  "aria-labelledby": `tab-${tab}`,
  hidden: tabOf(request) !== tab,
});
