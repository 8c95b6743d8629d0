import { outputEditorScript, widgetEditorScript } from "../../../html/assets.ts";
import { attribute } from "../../../html/attribute.ts";
import { pathTo } from "../../../html/section-paths.ts";
import type { Parts } from "../../../http/parts.ts";
import { Html } from "../../../jsx.ts";
import { ActionForm, ConfirmedAction, formOf, TextInput } from "../../../dashboard/action-form.tsx";
import { dashboardPage, type FrameProps } from "../../../dashboard/frame.tsx";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import { renameWidget, rotateWidget } from "../../actions.ts";
import { draftOf } from "../../draft.ts";
import type { Widget } from "../../widgets.ts";
import { galleryOf } from "../gallery/gallery-link.ts";
import type { EditorSetup } from "./setup.ts";
import { queryOf, tabOf } from "./tabs.tsx";
import { Submit, Titled } from "../../../html/parts.tsx";

export type EditorDeps = Pick<Parts, "accounts">;

/** A widget that is edited, and its token. */
export interface Edited {
  readonly request: DashboardRequest;
  readonly widget: Widget;
  readonly token: string;
}

export interface EditorPageProps extends Pick<FrameProps, "connections"> {
  readonly edited: Edited;
  readonly lead?: string;
  /** What its kind's script gets besides. */
  readonly setup: object;
  readonly scripts?: readonly string[];
  /** What needs the script. */
  readonly editor: JSX.Element;
  readonly tabs?: JSX.Element;
  /** What works without the script. */
  readonly children: JSX.Element;
}

/** The page of a widget: the editor, which its script runs, and what is made of its address. */
export function editorPage(props: EditorPageProps): Promise<Response> {
  const { edited, lead, setup, scripts = [], connections, editor, children } = props;
  const { request, widget } = edited;
  const { id, revision, kind } = widget;
  const { editor: t } = request.words.dashboard.widget;
  const given: EditorSetup = {
    id,
    revision,
    saved: draftOf(widget),
    page: pathTo(request, "widget"),
    formToken: request.formToken,
    ...setup,
  };
  const script = kind === "overlay" ? widgetEditorScript : outputEditorScript;
  return dashboardPage({
    request,
    title: widget.name,
    parent: galleryOf(request),
    ...(lead !== undefined && { lead }),
    scripts: [script.path, ...scripts],
    ...(connections !== undefined && { connections }),
    children: (
      <>
        {(props.tabs ?? "") as "safe"}
        <noscript>
          <div class="notice bad">
            <p safe>{t.needsScript}</p>
          </div>
          <Rename edited={edited} />
        </noscript>
        <div class="editor" data-editor={attribute(JSON.stringify(given))}>
          {editor as "safe"}
        </div>
        {children as "safe"}
      </>
    ),
  });
}

/** The name, which the editor's own form has too. */
function Rename({ edited: { request, widget } }: Pick<EditorPageProps, "edited">): JSX.Element {
  const { editor } = request.words.dashboard.widget;
  const form = formOf(request, renameWidget, { id: widget.id });
  return (
    <section>
      <ActionForm form={form} at={`id=${widget.id}`}>
        <TextInput form={form} name="name" label={editor.name} value={widget.name} />
        <Submit label={editor.save} />
      </ActionForm>
    </section>
  );
}

/** Replaces a widget's token after a question. */
export function ReplaceAddress(props: {
  readonly edited: Edited;
  readonly consequence: string;
}): JSX.Element {
  const { request, widget } = props.edited;
  const { widget: t } = request.words.dashboard;
  return (
    <Titled title={t.rotateTitle}>
      <ConfirmedAction
        form={formOf(request, rotateWidget, { id: widget.id })}
        at={queryOf(widget.id, tabOf(request))}
        label={t.rotate}
        consequence={props.consequence}
        go={t.rotateGo}
      />
    </Titled>
  );
}
