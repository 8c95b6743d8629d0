import { readKeyName } from "../../../accounts/key-name.ts";
import { LONGEST_CSS } from "../../look.ts";
import { Refused } from "../../../i18n/refused.ts";
import type { Widget, Widgets } from "../../widgets.ts";
import { fieldOf } from "../../../http/form-field.ts";
import { fill, type Words } from "../../../i18n/index.ts";
import type { DashboardRequest } from "../../../dashboard/request.ts";
import {
  type Draft,
  type DraftMistakes,
  editedRevision,
  isSameLook,
  lookOf,
  readDraft,
  type SaveAnswer,
} from "./draft.tsx";
import { mistakeInLines } from "../../../text-limits.ts";
import { wordsOfMistake } from "../../../dashboard/entered-text.ts";

/** What saving a form has come to. */
export type SaveOutcome = { readonly draft: Draft } & (
  | { readonly kind: "saved"; readonly revision: number }
  | { readonly kind: "refused"; readonly mistakes: DraftMistakes }
  /** The form names a revision that the widget never had. */
  | { readonly kind: "unknown revision" }
  /** Another look was saved meanwhile. */
  | { readonly kind: "newer"; readonly newest: Widget }
);

/** Saves the editor's form, if it is valid and nothing else was saved meanwhile. */
export async function saveForm(
  widgets: Widgets,
  { user, words }: DashboardRequest,
  form: FormData,
  widget: Widget,
): Promise<SaveOutcome> {
  const { id } = widget;
  const draft = readDraft(form, widget);
  const mistakes = mistakesOf(draft, words);
  if (draft.editorQuery.invalid.size > 0 || (mistakes.name ?? mistakes.css) !== undefined) {
    return { kind: "refused", draft, mistakes };
  }
  if (fieldOf(form, "basedOn") !== "" && editedRevision(form, widget) === undefined) {
    return { kind: "unknown revision", draft };
  }
  const { basedOn, name } = draft;
  const newer = async () =>
    ({ kind: "newer", draft, newest: await widgets.byId(user, id) }) as const;
  if (basedOn !== widget.revision) return newer();
  try {
    const look = lookOf(widget, draft);
    if (name !== widget.name) await widgets.rename(user, id, name);
    if (!isSameLook(look, widget)) {
      await widgets.save(user, id, look, { basedOn, isPassing: fieldOf(form, "passing") === "1" });
    }
    if (draft.editorQuery.language !== widget.language) {
      await widgets.setLanguage(user, id, draft.editorQuery.language);
    }
    const { revision } = await widgets.byId(user, id);
    return { kind: "saved", draft, revision };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.reason === "widget.changed") return newer();
    if (error.reason !== "widget.taken") throw error;
    return { kind: "refused", draft, mistakes: { name: words.dashboard.widget.editor.nameTaken } };
  }
}

/** What is wrong with a draft's name and CSS. */
function mistakesOf({ name, css }: Draft, words: Words): DraftMistakes {
  const { editor } = words.dashboard.widget;
  const mistake = mistakeInLines(css);
  const used = Buffer.byteLength(css);
  const numbers = { used: String(used), most: String(LONGEST_CSS) };
  return {
    name: readKeyName(name) === undefined ? editor.nameRule : undefined,
    css:
      used > LONGEST_CSS
        ? fill(editor.cssTooLong, numbers)
        : mistake && wordsOfMistake(words, mistake),
  };
}

/** The outcome for the editor's script. */
export function answerOf(
  outcome: SaveOutcome,
  { dashboard, refused }: Words,
  { name }: Widget,
): Response {
  const answer = (status: number, body: SaveAnswer) =>
    Response.json(body, { status, headers: { "Cache-Control": "no-store" } });
  switch (outcome.kind) {
    case "saved":
      return answer(200, { kind: "saved", revision: outcome.revision });
    case "refused": {
      const { mistakes } = outcome;
      const text = mistakes.name ?? mistakes.css ?? dashboard.widget.editor.mistakes;
      return answer(422, { kind: "refused", text });
    }
    case "unknown revision": {
      const text = fill(refused.widget.changed, { name });
      return answer(422, { kind: "refused", text });
    }
    case "newer":
      return answer(409, { kind: "newer", revision: outcome.newest.revision });
  }
}
