import { FontError } from "../../looks/fonts.ts";
import type { User } from "../../accounts/users.ts";
import type { Widget } from "../../looks/widgets.ts";
import { fieldOf } from "../../http/form-field.ts";
import { redirect } from "../../http/redirect.ts";
import { fill, formatTime } from "../../i18n/index.ts";
import { pathTo } from "../../html/section-paths.ts";
import type { DashboardRequest, Notice } from "../request.ts";
import { draftOfVersion, readDraft, savedDraft, withDemo } from "./draft.tsx";
import { noticeOf, type Outcome } from "./editor-outcome.ts";
import { editorPage, type WidgetEditorDeps } from "./editor-page.tsx";
import { pageQuery, readEditorQuery, savedQuery, withQuery } from "./editor-query.ts";
import { answerOf, saveForm } from "./save-widget.ts";
import { testTrack } from "./test-track.ts";

/** The page on which one overlay is edited. */
export interface WidgetEditor {
  /** The ID in a form of the editor. */
  idIn(form: FormData): string;
  show(request: DashboardRequest, widget: Widget): Promise<Response>;
  act(request: DashboardRequest, form: FormData, widget: Widget): Promise<Response>;
}

const TEST_TRACK_MS = 12_000;
/** The parameter of the page's address that carries an outcome, together with the draft. */
const OUTCOME = "told";

export function createEditor(deps: WidgetEditorDeps): WidgetEditor {
  const { accounts, live, clock } = deps;

  const save = async (request: DashboardRequest, form: FormData, widget: Widget) => {
    const { words } = request;
    const outcome = await saveForm(accounts.widgets, request, form, widget);
    if (fieldOf(form, "answer") === "json") return answerOf(outcome, words, widget);
    const { draft } = outcome;
    const page = { request, widget, draft };
    switch (outcome.kind) {
      case "saved":
        return redirectTo(
          request,
          pageQuery(draft.editorQuery, draft.editorQuery, widget.id),
          "saved",
        );
      case "refused": {
        const { mistakes } = outcome;
        const notice: Notice = { tone: "bad", text: words.dashboard.widget.editor.mistakes };
        return editorPage(deps, { ...page, mistakes, notice }, 422);
      }
      case "unknown revision":
        return editorPage(deps, { ...page, isOutdated: true }, 422);
      case "newer": {
        const { newest } = outcome;
        const rebased = { ...draft, basedOn: newest.revision };
        return editorPage(deps, { request, widget: newest, draft: rebased, isOutdated: true }, 409);
      }
    }
  };

  const addFont = async (user: User, form: FormData): Promise<Outcome> => {
    const file = form.get("fontFile");
    const bytes = file instanceof Blob ? await file.bytes() : new Uint8Array();
    try {
      await accounts.fonts.add(user, fieldOf(form, "fontName"), bytes);
      return "font added";
    } catch (error) {
      if (error instanceof FontError) return `font ${error.reason}`;
      throw error;
    }
  };

  return {
    idIn: (form) =>
      fieldOf(form, "id") || (new URLSearchParams(fieldOf(form, "editorQuery")).get("id") ?? ""),

    async show(request, widget) {
      const { query, words, user, language } = request;
      const version = query.get("version");
      const revisions = version === null ? [] : await accounts.widgets.revisionsOf(user, widget.id);
      const revision = revisions.find((one) => String(one.revision) === version);
      if (revision) {
        const time = formatTime(language, revision.savedAt, clock.wallMs());
        const text = fill(words.dashboard.widget.editor.versionShown, { time });
        const draft = draftOfVersion(widget, revision, query);
        return editorPage(deps, { request, widget, draft, notice: { tone: "good", text } });
      }
      const draft = savedDraft(widget);
      const given = query.get("draft") === "1" ? query : savedQuery(widget);
      const editorQuery = readEditorQuery(withDemo(given, query));
      const ownQuery = pageQuery(editorQuery, draft.editorQuery, widget.id);
      const outcome = query.get(OUTCOME);
      const notice = noticeOf(outcome, words);
      if (notice && outcome !== null) ownQuery.set(OUTCOME, outcome);
      // A form that is sent with GET has every field; keep only what matters in the address.
      const isShort = query.size === 0 || ownQuery.toString() === query.toString();
      if (editorQuery.invalid.size === 0 && !isShort) return redirectTo(request, ownQuery);
      return editorPage(deps, { request, widget, draft: { ...draft, editorQuery }, notice });
    },

    async act(request, form, widget) {
      const { user, words } = request;
      /** The page with the form's own draft, which shows the outcome there. */
      const back = (outcome: Outcome) => {
        const given = new URLSearchParams(fieldOf(form, "editorQuery"));
        const draft = given.get("draft") === "1" ? given : savedQuery(widget);
        draft.set("demo", given.get("demo") ?? "1");
        const saved = savedDraft(widget).editorQuery;
        return redirectTo(request, pageQuery(readEditorQuery(draft), saved, widget.id), outcome);
      };
      switch (fieldOf(form, "do")) {
        case "save":
          return save(request, form, widget);
        case "show":
          return editorPage(deps, { request, widget, draft: readDraft(form, widget) });
        case "test":
          live.showFor(user.id, testTrack(words, clock.monotonicMs()), TEST_TRACK_MS);
          return back(`tested ${live.onStream(user.id)}`);
        case "rotate":
          await accounts.widgets.rotate(user, widget.id);
          return back("rotated");
        case "add-font":
          return back(await addFont(user, form));
        case "remove-font":
          await accounts.fonts.remove(user, fieldOf(form, "target"));
          return back("font removed");
        default:
          return redirect(pathTo(request, "widget"), 303);
      }
    },
  };
}

/** Redirects to the editor's page, to show an outcome there if there is one. */
function redirectTo(
  request: DashboardRequest,
  query: URLSearchParams,
  outcome?: Outcome,
): Response {
  if (outcome !== undefined) query.set(OUTCOME, outcome);
  return redirect(withQuery(pathTo(request, "widget"), query), 303);
}
