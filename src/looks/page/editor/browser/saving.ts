import type { Draft } from "../../../draft.ts";
import type { SavedWidget } from "../../../editor-actions.ts";
import { find } from "../../../../dashboard/browser/page-parts.ts";
import type { EditorSetup } from "../setup.ts";
import { ask } from "./ask.ts";

/** What the save bar shows, each in its tone. */
const TONES = { saved: "good", unsaved: "warn", saving: "idle", wrong: "bad", failed: "bad" };
type SaveState = keyof typeof TONES;

export interface SavingDeps {
  readonly setup: EditorSetup;
  /** What is to be saved. */
  draft(): Draft;
  onSaved(stored: SavedWidget, sent: Draft): void;
  /** Somebody else has saved this meanwhile, and the user wants to go on with it. */
  onTaken(newer: SavedWidget): void;
  /** The server does not take what a field holds. */
  onRefused(field: string, reason: string): void;
}

/** While live, this long after a change it is saved. */
const SAVE_AFTER_MS = 200;

/** Saves drafts: one save at a time, so that they arrive in order. */
export function createSaving(deps: SavingDeps) {
  const { setup, draft } = deps;
  const bar = find<HTMLElement>("[data-save-state]");
  const button = find<HTMLElement>("[data-save]");
  const live = document.querySelector<HTMLInputElement>("[data-live-editing]");
  const conflict = find<HTMLElement>("[data-conflict]");
  let basedOn = setup.revision;
  let newer: SavedWidget | undefined;
  let isSaved = true;
  let isValid = true;
  let isBusy = false;
  /** A save that was asked for during another, and whether the user goes on editing. */
  let next: { readonly isPassing: boolean } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const show = (state: SaveState, text = bar.dataset[state] ?? "") => {
    bar.className = `status ${TONES[state]}`;
    if (bar.textContent !== text) bar.textContent = text;
  };
  /** Save is there while there is something to save. */
  const showButton = () => {
    const isNeeded = !isSaved || !isValid;
    if (!isNeeded && document.activeElement === button) bar.focus();
    button.hidden = !isNeeded;
  };
  const endLive = () => {
    if (live) live.checked = false;
  };
  const baseOn = (revision: number) => {
    basedOn = revision;
    newer = undefined;
    conflict.hidden = true;
  };

  /** Sends the draft, and returns what to do with the answer. */
  const send = async (isPassing: boolean): Promise<() => void> => {
    const sent = draft();
    show("saving");
    const answer = await ask<SavedWidget>(setup, "widget save", {
      id: String(setup.id),
      draft: JSON.stringify(sent),
      basedOn: String(basedOn),
      passing: isPassing ? "1" : "0",
    });
    if (!answer) {
      endLive();
      return () => show("failed");
    }
    if ("refused" in answer) {
      return () => {
        show("wrong", answer.refused);
        if (answer.field !== undefined) deps.onRefused(answer.field, answer.refused);
      };
    }
    const stored = answer.done;
    if (stored.saved) {
      baseOn(stored.revision);
      return () => deps.onSaved(stored, sent);
    }
    newer = stored;
    endLive();
    conflict.hidden = false;
    return () => show("unsaved");
  };

  const save = async (isPassing: boolean): Promise<void> => {
    clearTimeout(timer);
    if (isBusy) {
      next = { isPassing: isPassing && next?.isPassing !== false };
      return;
    }
    isBusy = true;
    const finish = await send(isPassing);
    isBusy = false;
    finish();
    const again = next;
    next = undefined;
    if (again && !isSaved && conflict.hidden) await save(again.isPassing);
  };

  const saveLater = () => {
    clearTimeout(timer);
    if (live?.checked && !isSaved && isValid) {
      timer = setTimeout(() => void save(true), SAVE_AFTER_MS);
    }
  };
  live?.addEventListener("change", saveLater);
  find("[data-save-mine]").addEventListener("click", () => {
    if (newer) baseOn(newer.revision);
    void save(false);
  });
  find("[data-take-newer]").addEventListener("click", () => {
    if (!newer) return;
    const taken = newer;
    baseOn(taken.revision);
    deps.onTaken(taken);
  });

  askBeforeLeaving(() => !isSaved);

  return {
    /** The form holds another draft. @param nowSaved whether it is what is stored */
    changed(nowSaved: boolean, nowValid: boolean) {
      isSaved = nowSaved;
      isValid = nowValid;
      if (!isBusy) show(isValid ? (isSaved ? "saved" : "unsaved") : "wrong");
      showButton();
      saveLater();
    },
    save: () => save(false),
    /** The revision that a save replaces. */
    basedOn: () => basedOn,
    /** From now on a save replaces this revision. */
    baseOn,
  };
}

/** Lets the browser ask whether somebody wants to leave the page with what is not saved. */
function askBeforeLeaving(isUnsaved: () => boolean): void {
  /** A form of this page that is sent brings the browser back to it, and the draft is kept. */
  let comesBack = false;
  window.addEventListener("submit", (event) => (comesBack = !event.defaultPrevented));
  window.addEventListener("beforeunload", (event) => {
    if (isUnsaved() && !comesBack) event.preventDefault();
  });
}
