import { withQuery } from "../../../addresses.ts";
import { Refused } from "../../../i18n/refused.ts";
import type { User } from "../../../accounts/users.ts";
import type { Widget } from "../../widgets.ts";
import { fieldOf } from "../../../http/form-field.ts";
import { redirect } from "../../../http/redirect.ts";
import { fill, formatTime } from "../../../i18n/index.ts";
import { pathTo } from "../../../html/section-paths.ts";
import type { DashboardRequest, Notice } from "../../../dashboard/request.ts";
import { draftOfVersion, readDraft, savedDraft, withDemo } from "./draft.tsx";
import { outcomeNotice, type Outcome, testNotice } from "./editor-outcome.ts";
import { editorPage, type WidgetEditorDeps } from "./editor-page.tsx";
import { pageQuery, readEditorQuery, savedQuery } from "./editor-query.ts";
import { answerOf, saveForm } from "./save-widget.ts";
import { testTrack } from "../../../dashboard/test-track.ts";

/** The page on which one overlay is edited. */
export interface WidgetEditor {
  /** The ID in a form of the editor. */
  idIn(form: FormData): string;
  show(request: DashboardRequest, widget: Widget): Promise<Response>;
  act(request: DashboardRequest, form: FormData, widget: Widget): Promise<Notice | Response>;
}

const TEST_TRACK_MS = 12_000;

export function createEditor(deps: WidgetEditorDeps): WidgetEditor {
  const { accounts, live, clock } = deps;

  const save = async (request: DashboardRequest, form: FormData, widget: Widget) => {
    const { words } = request;
    const outcome = await saveForm(accounts.widgets, request, form, widget);
    if (fieldOf(form, "answer") === "json") return answerOf(outcome, words, widget);
    const { draft } = outcome;
    const page = { request, widget, draft };
    switch (outcome.kind) {
      case "saved": {
        const query = pageQuery(draft.editorQuery, draft.editorQuery, widget.id);
        return { ...outcomeNotice("saved", words), at: query.toString() };
      }
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

  const addFont = async (user: User, form: FormData) => {
    const file = form.get("fontFile");
    const bytes = file instanceof Blob ? await file.bytes() : new Uint8Array();
    await accounts.fonts.add(user, fieldOf(form, "fontName"), bytes);
  };

  const unlessRefused = async (
    { words }: DashboardRequest,
    outcome: Outcome,
    change: () => Promise<unknown>,
  ): Promise<Notice> => {
    try {
      await change();
      return outcomeNotice(outcome, words);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { tone: "bad", text: error.text(words) };
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
      // A form that is sent with GET has every field; keep only what matters in the address.
      const isShort = query.size === 0 || ownQuery.toString() === query.toString();
      if (editorQuery.invalid.size === 0 && !isShort) {
        return redirect(withQuery(pathTo(request, "widget"), ownQuery), 303);
      }
      return editorPage(deps, { request, widget, draft: { ...draft, editorQuery } });
    },

    async act(request, form, widget) {
      const { user, words } = request;
      /** A notice on the page with the form's own draft. */
      const back = (notice: Notice): Notice => {
        const given = new URLSearchParams(fieldOf(form, "editorQuery"));
        const draft = given.get("draft") === "1" ? given : savedQuery(widget);
        draft.set("demo", given.get("demo") ?? "1");
        const saved = savedDraft(widget).editorQuery;
        const query = pageQuery(readEditorQuery(draft), saved, widget.id);
        return { ...notice, at: query.toString() };
      };
      switch (fieldOf(form, "do")) {
        case "save":
          return save(request, form, widget);
        case "show":
          return editorPage(deps, { request, widget, draft: readDraft(form, widget) });
        case "test":
          live.showFor(user.id, testTrack(words, clock.monotonicMs()), TEST_TRACK_MS);
          return back(testNotice(live.onStream(user.id), words));
        case "rotate":
          await accounts.widgets.rotate(user, widget.id);
          return back(outcomeNotice("rotated", words));
        case "add-font":
          return back(await unlessRefused(request, "font added", () => addFont(user, form)));
        case "remove-font":
          return back(
            await unlessRefused(request, "font removed", () =>
              accounts.fonts.remove(user, fieldOf(form, "target")),
            ),
          );
        default:
          return redirect(pathTo(request, "widget"), 303);
      }
    },
  };
}
