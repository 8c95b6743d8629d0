import { fieldOf } from "../../../http/form-field.ts";
import { outputEditorScript } from "../../../html/assets.ts";
import { Html } from "../../../jsx.ts";
import { Refused } from "../../../i18n/refused.ts";
import type { Widget } from "../../widgets.ts";
import { dashboardPage } from "../../../dashboard/frame.tsx";
import type { DashboardRequest, Notice } from "../../../dashboard/request.ts";
import { editedRevision } from "./draft.tsx";
import { galleryOf } from "../gallery/gallery-link.ts";
import { ReplaceAddress, WidgetId } from "./output-parts.tsx";
import type { Parts } from "../../../http/parts.ts";

export type OutputEditorDeps = Pick<Parts, "accounts">;

/** A widget that is a text or a card. */
export type OutputWidget = Widget & { readonly kind: "text" | "card" };

/** The editor of a text or a card, on the page of widgets. */
export interface OutputEditor {
  show(request: DashboardRequest, widget: OutputWidget): Promise<Response>;
  act(request: DashboardRequest, form: FormData, widget: OutputWidget): Promise<Notice | Response>;
}

/** What is in the form, by option. */
export type Typed = Readonly<Record<string, string>>;

/** What the page of an editor is drawn from. */
export interface EditorView {
  readonly request: DashboardRequest;
  readonly widget: OutputWidget;
  readonly typed: Typed;
  readonly token: string;
  /** The revision that is edited. */
  readonly basedOn: number;
}

/** What is special about the editor of one kind of widget. */
export interface EditorKind {
  readForm(form: FormData): Typed;
  /** The options to save; `undefined` when a field is wrong. */
  optionsOf(request: DashboardRequest, widget: OutputWidget, typed: Typed): Typed | undefined;
  /** The page above the part that replaces the address. */
  draw(view: EditorView): Promise<JSX.Element> | JSX.Element;
}

/** How an editor is drawn after a form. */
interface Answer {
  readonly status?: number;
  readonly notice?: Notice;
}

/** An editor that draws, saves and replaces the address as all of them do. */
export function createOutputEditor({ accounts }: OutputEditorDeps, kind: EditorKind): OutputEditor {
  const draw = async (
    view: Omit<EditorView, "token">,
    { status = 200, notice }: Answer = {},
  ): Promise<Response> => {
    const { request, widget } = view;
    const { lead, rotateText } = request.words.outputs[widget.kind];
    const token = await accounts.widgets.tokenOf(request.user, widget.id);
    const drawn = await kind.draw({ ...view, token });
    const page = {
      request,
      title: widget.name,
      parent: galleryOf(request),
      lead,
      scripts: [outputEditorScript.path],
      notice,
      children: (
        <>
          {drawn as "safe"}
          <ReplaceAddress request={request} consequence={rotateText}>
            <WidgetId widget={widget} />
          </ReplaceAddress>
        </>
      ),
    };
    return dashboardPage(page, status);
  };
  const drawSaved = (request: DashboardRequest, widget: OutputWidget) =>
    draw({ request, widget, typed: widget.options, basedOn: widget.revision });

  /** What was typed, over what somebody else has saved: saving again replaces that. */
  const drawOutdated = (
    request: DashboardRequest,
    widget: OutputWidget,
    typed: Typed,
    status: number,
  ) => {
    const notice = { tone: "bad", text: request.words.dashboard.widget.editor.newer } as const;
    return draw({ request, widget, typed, basedOn: widget.revision }, { status, notice });
  };

  /** Saves options of a widget unless somebody else saved meanwhile. */
  const save = async (
    { request, widget, typed, basedOn }: Omit<EditorView, "token">,
    options: Typed,
  ): Promise<Notice | Response> => {
    const { widgets } = accounts;
    const { id, css, size } = widget;
    try {
      await widgets.save(request.user, id, { options, css, size }, { basedOn });
      return noticeOf(request, widget, "saved");
    } catch (error) {
      if (!(error instanceof Refused) || error.reason !== "widget.changed") throw error;
      const newest = { ...(await widgets.byId(request.user, id)), kind: widget.kind };
      return drawOutdated(request, newest, typed, 409);
    }
  };

  return {
    show: drawSaved,
    async act(request, form, widget) {
      const action = fieldOf(form, "do");
      if (action === "rotate") {
        await accounts.widgets.rotate(request.user, widget.id);
        return noticeOf(request, widget, "rotated");
      }
      const typed = kind.readForm(form);
      const basedOn = editedRevision(form, widget);
      // The form has edited a revision that the widget never had.
      if (basedOn === undefined) return drawOutdated(request, widget, typed, 422);
      const view = { request, widget, typed, basedOn };
      const options = kind.optionsOf(request, widget, typed);
      if (action === "save" && options) return save(view, options);
      return draw(view, { status: action === "save" ? 422 : 200 });
    },
  };
}

type Outcome = "saved" | "rotated";

/** An outcome in the words of the widget's kind, shown on the page of the widget. */
const noticeOf = (
  { words }: DashboardRequest,
  { id, kind }: OutputWidget,
  outcome: Outcome,
): Notice => ({
  tone: "good",
  text: words.outputs[kind][outcome],
  at: `id=${id}`,
});
