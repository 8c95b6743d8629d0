import { dashboardPage } from "./frame.tsx";
import { Html } from "../../jsx.ts";
import type { DashboardRequest, Section } from "./request.ts";
import { createEditor, type WidgetEditorDeps } from "./widget-editor.tsx";
import { createGallery, type WidgetGalleryDeps } from "./widget-gallery.tsx";

/** The user's widgets, or the editor of the one that the address names: `?id=1`. */
export function createSection(deps: WidgetEditorDeps & WidgetGalleryDeps): Section {
  const editor = createEditor(deps);
  const gallery = createGallery(deps);

  return {
    async show(request) {
      const id = request.query.get("id");
      if (id === null) return gallery.show(request);
      const widget = await editor.find(request.user, id);
      return widget ? editor.show(request, widget) : noOverlay(request);
    },
    async act(request, form) {
      const id = editor.idIn(form);
      if (id === "") return gallery.act(request, form);
      const widget = await editor.find(request.user, id);
      return widget ? editor.act(request, form, widget) : noOverlay(request);
    },
  };
}

function noOverlay(request: DashboardRequest): Promise<Response> {
  const { editor } = request.words.dashboard.widget;
  const children = <p safe>{editor.gone}</p>;
  return dashboardPage({ request, title: request.words.dashboard.sections.widget, children }, 404);
}
