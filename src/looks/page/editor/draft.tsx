import type { Look } from "../../look.ts";
import type { WidgetRevision } from "../../revisions.ts";
import type { Widget } from "../../widgets.ts";
import { fieldOf } from "../../../http/form-field.ts";
import { Html } from "../../../jsx.ts";
import { attribute } from "../../../html/attribute.ts";
import {
  type EditorQuery,
  optionsToSave,
  pageQuery,
  readEditorQuery,
  savedQuery,
} from "./editor-query.ts";
import type { DashboardRequest } from "../../../dashboard/request.ts";

/** What the user is editing, which is not saved yet. */
export interface Draft {
  readonly editorQuery: EditorQuery;
  readonly name: string;
  readonly css: string;
  /** The revision that it is based on. */
  readonly basedOn: number;
}

/** What is wrong with a draft, beside options that are not valid. */
export interface DraftMistakes {
  readonly name?: string | undefined;
  readonly css?: string | undefined;
}

/** An answer for the editor's script. */
export type SaveAnswer =
  | { readonly kind: "saved"; readonly revision: number }
  /** Another look was saved meanwhile, as this revision. */
  | { readonly kind: "newer"; readonly revision: number }
  | { readonly kind: "refused"; readonly text: string };

/** The ID of the editor's form. */
export const FORM = "widget-options";

/** The widget as it is saved. */
export const savedDraft = (widget: Widget): Draft => ({
  editorQuery: readEditorQuery(savedQuery(widget)),
  name: widget.name,
  css: widget.css,
  basedOn: widget.revision,
});

/** A look that the widget had, as a draft. */
export const draftOfVersion = (
  widget: Widget,
  { options, css, size }: WidgetRevision,
  query: URLSearchParams,
): Draft => ({
  ...savedDraft(widget),
  css,
  editorQuery: readEditorQuery(
    withDemo(savedQuery({ options, size, language: widget.language }), query),
  ),
});

/** Choices, with the music that a page's query chooses for the preview. */
export function withDemo(choices: URLSearchParams, query: URLSearchParams): URLSearchParams {
  const chosen = new URLSearchParams(choices);
  const demo = query.getAll("demo").at(-1);
  if (demo !== undefined) chosen.set("demo", demo);
  return chosen;
}

/** What the editor's form has; what it lacks is as saved. */
export function readDraft(form: FormData, widget: Widget): Draft {
  const fields = new URLSearchParams();
  for (const [name, value] of form) if (typeof value === "string") fields.append(name, value);
  const css = form.get("css");
  return {
    editorQuery: readEditorQuery(fields),
    name: form.has("name") ? fieldOf(form, "name") : widget.name,
    // Browsers send line breaks as CR LF.
    css: typeof css === "string" ? css.replaceAll("\r\n", "\n") : widget.css,
    basedOn: editedRevision(form, widget) ?? widget.revision,
  };
}

/** The revision that a form has edited; `undefined` for one that the widget never had. */
export function editedRevision(form: FormData, { revision }: Widget): number | undefined {
  const typed = fieldOf(form, "basedOn");
  const edited = /^[1-9]\d{0,14}$/.test(typed) ? Number(typed) : undefined;
  return edited !== undefined && edited <= revision ? edited : undefined;
}

/** The look that saving a draft stores. */
export const lookOf = (widget: Widget, { editorQuery, css }: Draft): Look => ({
  options: optionsToSave(widget.options, editorQuery),
  css,
  size: editorQuery.size,
});

export const isSameLook = (one: Look, other: Look): boolean =>
  Bun.deepEquals(one.options, other.options) &&
  one.css === other.css &&
  Bun.deepEquals(one.size, other.size);

export const isAsSaved = (widget: Widget, draft: Draft): boolean =>
  draft.editorQuery.invalid.size === 0 &&
  isSameLook(lookOf(widget, draft), widget) &&
  draft.name === widget.name &&
  draft.editorQuery.language === widget.language;

export interface EditorPartProps {
  readonly request: DashboardRequest;
  readonly widget: Widget;
  readonly draft: Draft;
}

/** A hidden field that keeps the draft when a form is sent. */
export function EditorQueryField({ widget, draft }: Omit<EditorPartProps, "request">): JSX.Element {
  const saved = savedDraft(widget).editorQuery;
  const query = pageQuery(draft.editorQuery, saved, widget.id).toString();
  return <input type="hidden" name="editorQuery" value={attribute(query)} data-editor-query />;
}
