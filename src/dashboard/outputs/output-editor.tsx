import type { Accounts } from "../../accounts/accounts.ts";
import { fieldOf } from "../../http/form-field.ts";
import { outputEditorScript } from "../../html/assets.ts";
import { Html } from "../../jsx.ts";
import { WidgetError } from "../../looks/widget-error.ts";
import type { Widget } from "../../looks/widgets.ts";
import { dashboardPage } from "../frame.tsx";
import type { DashboardRequest, Notice } from "../request.ts";
import { editedRevision } from "../widgets/draft.tsx";
import { galleryOf } from "../widgets/gallery-link.ts";
import { ReplaceAddress } from "./output-parts.tsx";

export interface OutputEditorDeps {
  readonly accounts: Pick<Accounts, "widgets">;
}

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
          <ReplaceAddress request={request} widget={widget} consequence={rotateText} />
        </>
      ),
    };
    return dashboardPage(page, status);
  };
  const drawSaved = (request: DashboardRequest, widget: OutputWidget, answer?: Answer) =>
    draw({ request, widget, typed: widget.options, basedOn: widget.revision }, answer);

  /** Saves options of a widget unless somebody else saved meanwhile. */
  const save = async (
    request: DashboardRequest,
    widget: OutputWidget,
    options: Typed,
    basedOn: number,
  ): Promise<Notice> => {
    const { id, css, size } = widget;
    try {
      await accounts.widgets.save(request.user, id, { options, css, size }, { basedOn });
      return noticeOf(request, widget, "saved");
    } catch (error) {
      if (!(error instanceof WidgetError) || error.reason !== "changed meanwhile") throw error;
      return noticeOf(request, widget, "changed");
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
      const basedOn = editedRevision(form, widget);
      if (basedOn === undefined) {
        // The form has edited a revision that the widget never had: the page shows what is saved.
        const notice = noticeOf(request, widget, "changed");
        return drawSaved(request, widget, { status: 422, notice });
      }
      const typed = kind.readForm(form);
      const options = kind.optionsOf(request, widget, typed);
      if (action === "save" && options) return save(request, widget, options, basedOn);
      const status = action === "save" ? 400 : 200;
      return draw({ request, widget, typed, basedOn }, { status });
    },
  };
}

type Outcome = "saved" | "changed" | "rotated";

/** An outcome in the words of the widget's kind, shown on the page of the widget. */
const noticeOf = (
  { words }: DashboardRequest,
  { id, kind }: OutputWidget,
  outcome: Outcome,
): Notice => ({
  tone: outcome === "changed" ? "bad" : "good",
  text: words.outputs[kind][outcome],
  at: `id=${id}`,
});
