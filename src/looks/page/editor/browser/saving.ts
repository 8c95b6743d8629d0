import type { SaveAnswer } from "../draft.tsx";
import { find } from "../../../../dashboard/browser/page-parts.ts";

/** What the save bar says. */
export type SaveState = "saved" | "unsaved" | "saving" | "wrong" | "failed";

export interface Saving {
  /** The form holds another draft. @param isSaved whether it is what is stored */
  changed(isSaved: boolean, isValid: boolean): void;
  save(): Promise<void>;
  /** From now on a save replaces this revision. */
  baseOn(revision: string): void;
}

export interface SavingDeps {
  readonly form: HTMLFormElement;
  /** What the form holds, as a text: two drafts that look the same have the same. */
  draft(): string;
  /** Called after a save with the draft that was sent. */
  onSaved(draft: string): void;
}

/** While live, this long after a change it is saved. */
const SAVE_AFTER_MS = 200;

/** Saves the form: one save at a time, so that they arrive in order. */
export function createSaving({ form, draft, onSaved }: SavingDeps): Saving {
  const bar = find<HTMLElement>("[data-save-state]");
  const live = find<HTMLInputElement>("[data-live-editing]");
  const conflict = find<HTMLElement>("[data-conflict]");
  const basedOn = find<HTMLInputElement>("[name=basedOn]", form);
  let newest = basedOn.value;
  let isSaved = true;
  let isValid = true;
  let isBusy = false;
  /** A save that was asked for during another, and whether the user goes on editing. */
  let next: { readonly isPassing: boolean } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const show = (state: SaveState, text = bar.dataset[state] ?? "") => {
    const tone = { saved: "good", unsaved: "warn", saving: "idle", wrong: "bad", failed: "bad" };
    bar.className = `status ${tone[state]}`;
    if (bar.textContent !== text) bar.textContent = text;
  };

  /** Sends the form, and returns what to do with the answer. */
  const send = async (isPassing: boolean): Promise<() => void> => {
    const sent = draft();
    const body = new FormData(form);
    body.set("do", "save");
    body.set("answer", "json");
    if (isPassing) body.set("passing", "1");
    show("saving");
    const answer = await post(form.action, body);
    switch (answer?.kind) {
      case "saved":
        baseOn(String(answer.revision));
        return () => onSaved(sent);
      case "newer":
        newest = String(answer.revision);
        live.checked = false;
        conflict.hidden = false;
        return () => show("unsaved");
      case "refused":
        return () => show("wrong", answer.text);
      case undefined:
        live.checked = false;
        return () => show("failed");
    }
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

  const baseOn = (revision: string) => {
    basedOn.value = revision;
    newest = revision;
    conflict.hidden = true;
  };

  const saveLater = () => {
    clearTimeout(timer);
    if (live.checked && !isSaved && isValid) {
      timer = setTimeout(() => void save(true), SAVE_AFTER_MS);
    }
  };
  live.addEventListener("change", saveLater);
  find<HTMLElement>("[data-save-mine]").addEventListener("click", (event) => {
    event.preventDefault();
    basedOn.value = newest;
    void save(false);
  });
  window.addEventListener("beforeunload", (event) => {
    if (!isSaved) event.preventDefault();
  });

  return {
    changed(nowSaved, nowValid) {
      isSaved = nowSaved;
      isValid = nowValid;
      if (!isBusy) show(isSaved ? "saved" : isValid ? "unsaved" : "wrong");
      saveLater();
    },
    save: () => save(false),
    baseOn,
  };
}

async function post(address: string, body: FormData): Promise<SaveAnswer | undefined> {
  try {
    const answer = await fetch(address, { method: "POST", body });
    return (await answer.json()) as SaveAnswer;
  } catch {
    return undefined;
  }
}
