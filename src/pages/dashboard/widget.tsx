import { dashboardPage } from "./frame.tsx";
import { Html } from "../../jsx.ts";
import type { DashboardRequest, Section } from "./request.ts";
import { createEditor, type WidgetEditorDeps } from "./widget-editor.tsx";

/** A user's widgets: how each looks, its address and how to add it to OBS. */
export function createSection(deps: WidgetEditorDeps): Section {
  const editor = createEditor(deps);

  return {
    async show(request) {
      const widget = await editor.find(request.user, request.query.get("id") ?? "");
      return widget ? editor.show(request, widget) : noOverlay(request);
    },
    async act(request, form) {
      const widget = await editor.find(request.user, editor.idIn(form));
      return widget ? editor.act(request, form, widget) : noOverlay(request);
    },
  };
}

function noOverlay(request: DashboardRequest): Promise<Response> {
  const { editor } = request.words.dashboard.widget;
  const children = <p safe>{editor.gone}</p>;
  return dashboardPage({ request, title: request.words.dashboard.sections.widget, children }, 404);
}
