/** What each control of a form holds, in the form's order. */
export type Draft = readonly string[];

type Control = HTMLInputElement | HTMLTextAreaElement;

/** The controls whose values are edited. The preview's music is no part of a look. */
const controlsOf = (form: HTMLFormElement): Control[] =>
  [...form.querySelectorAll<Control>("input:not([type=hidden]), textarea")].filter(
    ({ name }) => name !== "",
  );

/** In parsed pages `instanceof` would ask about another window's classes. */
const isCheckable = (control: Control): control is HTMLInputElement =>
  control.type === "radio" || control.type === "checkbox";

export const readDraft = (form: HTMLFormElement): Draft =>
  controlsOf(form).map((control) =>
    isCheckable(control) ? (control.checked ? "on" : "") : control.value,
  );

/** Makes a form hold a draft. @param isWanted whether a control of this name takes part */
export function writeDraft(
  form: HTMLFormElement,
  draft: Draft,
  isWanted: (name: string) => boolean = () => true,
): void {
  for (const [index, control] of controlsOf(form).entries()) {
    const text = draft[index];
    if (text === undefined || !isWanted(control.name)) continue;
    if (isCheckable(control)) control.checked = text === "on";
    else control.value = text;
  }
}

const isSameDraft = (one: Draft, other: Draft): boolean =>
  one.length === other.length && one.every((text, index) => text === other[index]);

/** The drafts of one visit to the page. */
export interface DraftHistory {
  /** Notes a draft. What the same control changes within a second is one step. */
  note(draft: Draft, controlName: string): void;
  undo(): Draft | undefined;
  redo(): Draft | undefined;
  canUndo(): boolean;
  canRedo(): boolean;
}

/** Typing or dragging that goes on is one step. */
const ONE_STEP_MS = 1_000;
const MOST_DRAFTS = 200;

export function createDraftHistory(first: Draft, nowMs: () => number): DraftHistory {
  let drafts: Draft[] = [first];
  let place = 0;
  let last = { controlName: "", atMs: Number.NEGATIVE_INFINITY };
  const go = (to: number): Draft | undefined => {
    const draft = drafts[to];
    if (draft) place = to;
    last = { controlName: "", atMs: Number.NEGATIVE_INFINITY };
    return draft;
  };
  return {
    note(draft, controlName) {
      const current = drafts[place];
      if (current && isSameDraft(current, draft)) return;
      const atMs = nowMs();
      const goesOn =
        place > 0 && last.controlName === controlName && atMs - last.atMs < ONE_STEP_MS;
      drafts = [...drafts.slice(0, goesOn ? place : place + 1), draft].slice(-MOST_DRAFTS);
      place = drafts.length - 1;
      last = { controlName, atMs };
    },
    undo: () => go(place - 1),
    redo: () => go(place + 1),
    canUndo: () => place > 0,
    canRedo: () => place < drafts.length - 1,
  };
}
