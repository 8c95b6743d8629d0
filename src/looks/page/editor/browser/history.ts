import type { Draft } from "../../../draft.ts";

/** What two drafts that are the same have in common. */
export const textOfDraft = ({ name, language, options, css, size }: Draft): string =>
  JSON.stringify([name, language, options, css, size]);

/** Typing or dragging that goes on is one step. */
const ONE_STEP_MS = 1_000;
const MOST_DRAFTS = 200;

/** The drafts of one visit to the page. */
export function createDraftHistory(first: Draft, nowMs: () => number) {
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
    /** Notes a draft. What the same control changes within a second is one step. */
    note(draft: Draft, controlName: string) {
      const current = drafts[place];
      if (current && textOfDraft(current) === textOfDraft(draft)) return;
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
