import { find } from "../../../../dashboard/browser/page-parts.ts";
import { type Draft, type OptionTable, readOptions } from "../../../draft.ts";
import type { SavedWidget } from "../../../editor-actions.ts";
import type { EditorSetup } from "../setup.ts";
import { automaticOf, readForm, type TypedDraft, writeForm } from "./draft-form.ts";
import { createDraftHistory, textOfDraft } from "./history.ts";
import { keepDraft } from "./kept-draft.ts";
import { showMistakes, showRefusal } from "./mistakes.ts";
import { createSaving } from "./saving.ts";

export interface EditorDeps {
  readonly setup: EditorSetup;
  readonly form: HTMLFormElement;
  /** The options that such a widget may have saved. */
  readonly table: OptionTable;
  show(typed: TypedDraft): void;
  /** Looks for more that is wrong, and says what. Returns whether nothing is. */
  check?(draft: Draft): boolean;
  onSaved?(stored: SavedWidget): void;
}

/** What a page gives its script. */
export const readSetup = <Setup extends EditorSetup>(page?: ParentNode): Setup =>
  JSON.parse(find<HTMLElement>("[data-editor]", page).dataset["editor"] ?? "") as Setup;

/** Shows every change at once, keeps what was before, and saves: the same for each kind of widget. */
export function startEditor(deps: EditorDeps) {
  const { setup, form, table } = deps;
  const kept = keepDraft(setup.id);
  /** What is allowed of a look that was saved, by whichever version. */
  const readable = ({ options }: Pick<Draft, "options">): Draft["options"] =>
    readOptions(options, table).options;
  /** What is stored. What this version cannot read of it is sent as it is. */
  let stored = setup.saved;
  const read = () => readForm(form, stored, table);
  /** Puts what is stored into the form, and returns it as the form reads it. */
  const writeStored = (): Draft => {
    writeForm(form, { ...stored, options: readable(stored) }, table);
    return read().draft;
  };
  const first = writeStored();
  let savedText = textOfDraft(first);
  const history = createDraftHistory(first, () => performance.now());
  const saving = createSaving({
    setup,
    draft() {
      const { draft } = read();
      const { unread } = readOptions(stored.options, table);
      return { ...draft, options: { ...unread, ...draft.options } };
    },
    onSaved(saved, sent) {
      stored = saved;
      savedText = textOfDraft({ ...sent, options: readable(sent) });
      deps.onSaved?.(saved);
      show();
    },
    onTaken(newer) {
      stored = newer;
      savedText = textOfDraft(writeStored());
      deps.onSaved?.(newer);
      update("");
    },
    onRefused: (field, reason) => showRefusal(form, field, reason),
  });

  /** Saves, or goes to what is wrong. */
  const save = () => {
    const wrong = [...form.elements].find((control) => control.ariaInvalid === "true");
    if (wrong instanceof HTMLElement) goTo(wrong);
    else void saving.save();
  };

  const undoButton = find("[data-undo]");
  const redoButton = find("[data-redo]");

  /** Brings the page in line with the form. */
  function show(): void {
    const typed = read();
    const { draft } = typed;
    const isSaved = textOfDraft(draft) === savedText;
    kept.write(isSaved ? undefined : { draft, basedOn: saving.basedOn() });
    const isRight = deps.check?.(draft) ?? true;
    const isValid = showMistakes(form, typed.invalid) && isRight;
    deps.show(typed);
    // Not disabled, so that they keep the keyboard's focus.
    undoButton.setAttribute("aria-disabled", String(!history.canUndo()));
    redoButton.setAttribute("aria-disabled", String(!history.canRedo()));
    saving.changed(isSaved, isValid);
  }

  function update(controlName: string): void {
    history.note(read().draft, controlName);
    show();
  }

  const travel = (draft: Draft | undefined) => {
    if (!draft) return;
    writeForm(form, draft, table);
    show();
  };

  followKeys({ save, undo: () => travel(history.undo()), redo: () => travel(history.redo()) });
  undoButton.addEventListener("click", () => travel(history.undo()));
  redoButton.addEventListener("click", () => travel(history.redo()));
  // Some of its controls stand elsewhere on the page.
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof Element) || ![...form.elements].includes(target)) return;
    takeColour(target);
    update(target.getAttribute("name") ?? target.id);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });

  const unsaved = kept.read();
  if (unsaved) {
    saving.baseOn(unsaved.basedOn);
    writeForm(form, unsaved.draft, table);
    history.note(read().draft, "");
  }
  show();

  return {
    /** The form was changed. */
    update,
    /** Puts another draft into the form, as a step that can be undone. */
    take(change: (draft: Draft) => Draft, stepName: string) {
      writeForm(form, change(read().draft), table);
      update(stepName);
    },
    /** What the form holds. */
    draft: () => read().draft,
    /** Puts what is stored back into the form. */
    putBack() {
      savedText = textOfDraft(writeStored());
      update("");
    },
    readable,
  };
}

/** Ctrl+S, Ctrl+Z and Ctrl+Y, as in any program. A text field undoes what is typed itself. */
function followKeys({ save, undo, redo }: Readonly<Record<"save" | "undo" | "redo", () => void>>) {
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "s") {
      event.preventDefault();
      save();
    }
    if ((key !== "z" && key !== "y") || isTextField(event.target)) return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) redo();
    else undo();
  });
}

/** Opens what a control is folded away in, and puts the focus there. */
function goTo(control: HTMLElement): void {
  const panel = control.closest<HTMLElement>("[role=tabpanel]");
  const tab = panel?.getAttribute("aria-labelledby");
  if (panel?.hidden && tab) find<HTMLElement>(`#${tab}`).click();
  let group = control.closest("details");
  while (group) {
    group.open = true;
    group = group.parentElement?.closest("details") ?? null;
  }
  control.focus();
}

/** A colour that the user chooses replaces the theme's colour. */
function takeColour(target: EventTarget | null): void {
  if (!(target instanceof HTMLInputElement) || target.type !== "color") return;
  const automatic = automaticOf(target);
  if (automatic) automatic.checked = false;
}

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && ["text", "number"].includes(target.type));
