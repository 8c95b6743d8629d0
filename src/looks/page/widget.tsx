import type { Accounts } from "../../accounts/accounts.ts";
import type { User } from "../../accounts/users.ts";
import type { Widget } from "../widgets.ts";
import { Html } from "../../jsx.ts";
import { createCardEditor } from "./editor/card-editor.tsx";
import { dashboardPage } from "../../dashboard/frame.tsx";
import type { DashboardRequest, Section } from "../../dashboard/request.ts";
import { createTextEditor, type TextEditorDeps } from "./editor/text-editor.tsx";
import { createEditor } from "./editor/editor.ts";
import type { WidgetEditorDeps } from "./editor/editor-page.tsx";
import { SHOW_LOOK } from "./gallery/gallery-looks.tsx";
import { galleryPage, pastedLookPage, type WidgetGalleryDeps } from "./gallery/gallery-page.tsx";
import { fieldOf } from "../../http/form-field.ts";

type WidgetSectionDeps = WidgetEditorDeps & WidgetGalleryDeps & TextEditorDeps;

/** The user's widgets, or the editor of the one that the address names: `?id=1`. */
export function createSection(deps: WidgetSectionDeps): Section {
  const editor = createEditor(deps);
  const editors = { text: createTextEditor(deps), card: createCardEditor(deps) };

  return {
    longFields: ["css", "look", "editorQuery"],
    async show(request) {
      const id = request.query.get("id");
      if (id === null) return galleryPage(deps, request);
      const widget = await widgetOf(deps, request.user, id);
      if (!widget) return noWidget(request);
      const { kind } = widget;
      return kind === "overlay"
        ? editor.show(request, widget)
        : editors[kind].show(request, { ...widget, kind });
    },
    async act(request, form) {
      const id = editor.idIn(form) || (request.query.get("id") ?? "");
      if (fieldOf(form, "do") === SHOW_LOOK.name) return pastedLookPage(deps, request, form);
      if (id === "") return galleryPage(deps, request);
      const widget = await widgetOf(deps, request.user, id);
      if (!widget) return noWidget(request);
      const { kind } = widget;
      return kind === "overlay"
        ? editor.act(request, form, widget)
        : editors[kind].act(request, form, { ...widget, kind });
    },
  };
}

async function widgetOf(
  { accounts }: { readonly accounts: Pick<Accounts, "widgets"> },
  user: User,
  typedId: string,
): Promise<Widget | undefined> {
  const all = accounts.widgets.allOf(user);
  return all.find(({ id }) => String(id) === typedId);
}

function noWidget(request: DashboardRequest): Promise<Response> {
  const { editor } = request.words.dashboard.widget;
  const children = <p safe>{editor.gone}</p>;
  return dashboardPage({ request, title: request.words.dashboard.sections.widget, children }, 404);
}
