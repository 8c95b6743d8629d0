import { dashboardPage } from "../../dashboard/frame.tsx";
import type { DashboardRequest, Section } from "../../dashboard/request.ts";
import { fieldOf } from "../../http/form-field.ts";
import { Html } from "../../jsx.ts";
import { readSharedLook, type SharedLook } from "../../overlay/looks/shared-look.ts";
import { isShippedLookName, shippedLook } from "../../overlay/looks/shipped.ts";
import type { Widget } from "../widgets.ts";
import { UnreadableAddress } from "./unreadable-address.tsx";
import { cardEditor } from "./editor/card-editor.tsx";
import { overlayEditor, type OverlayEditorDeps } from "./editor/overlay-editor.tsx";
import { textEditor, type TextEditorDeps } from "./editor/text-editor.tsx";
import { SHOW_LOOK } from "./gallery/gallery-looks.tsx";
import { queryOf, tabOf } from "./editor/tabs.tsx";
import { galleryPage, pastedLookPage, type WidgetGalleryDeps } from "./gallery/gallery-page.tsx";

type WidgetSectionDeps = OverlayEditorDeps & WidgetGalleryDeps & TextEditorDeps;

/**
 * The user's widgets, or the editor of the one that the address names: `?id=1`, with one of our looks
 * as a draft: `?id=1&look=cosy`.
 */
export function createSection(deps: WidgetSectionDeps): Section {
  const show = async (request: DashboardRequest, tried = lookIn(request)): Promise<Response> => {
    const { user, query } = request;
    const id = query.get("id");
    if (id === null) return galleryPage(deps, request);
    const widget = deps.accounts.widgets.allOf(user).find((one) => String(one.id) === id);
    if (!widget) return noWidget(request);
    const token = deps.accounts.widgets.readableTokenOf(user, widget.id);
    if (token === undefined) return unreadable(request, widget);
    const edited = { request, widget, token };
    switch (widget.kind) {
      case "overlay":
        return overlayEditor(deps, edited, tried);
      case "text":
        return textEditor(deps, edited);
      case "card":
        return cardEditor(edited);
    }
  };

  return {
    longFields: ["look"],
    show: (request) => show(request),
    act(request, form) {
      if (fieldOf(form, "do") !== SHOW_LOOK.name) return show(request);
      const text = fieldOf(form, "look");
      const read = readSharedLook(text);
      const id = fieldOf(form, "id");
      if (id === "" || !("look" in read)) return pastedLookPage(deps, request, read, text);
      return show({ ...request, query: new URLSearchParams({ id }) }, read.look);
    },
  };
}

/** The look that the address names. */
function lookIn({ query, words }: DashboardRequest): SharedLook | undefined {
  const name = query.get("look") ?? "";
  return isShippedLookName(name) ? shippedLook(name, words) : undefined;
}

/** No editor: its preview is the page at the address. */
function unreadable(request: DashboardRequest, widget: Widget): Promise<Response> {
  const children = (
    <UnreadableAddress request={request} widget={widget} at={queryOf(widget.id, tabOf(request))} />
  );
  return dashboardPage({ request, title: widget.name, children });
}

function noWidget(request: DashboardRequest): Promise<Response> {
  const { editor } = request.words.dashboard.widget;
  const children = <p safe>{editor.gone}</p>;
  return dashboardPage({ request, title: request.words.dashboard.sections.widget, children }, 404);
}
