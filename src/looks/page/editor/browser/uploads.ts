import { find } from "../../../../dashboard/browser/page-parts.ts";
import type { OverlaySetup } from "../setup.ts";
import type { UploadGroupProps } from "../upload-group.tsx";
import { ask } from "./ask.ts";

/**
 * A group of the editor in which files are uploaded and removed.
 * @param path where files are sent to, below the page
 */
export function followUploads(setup: OverlaySetup, name: UploadGroupProps["name"], path: string) {
  const section = find<HTMLElement>(`[data-uploads="${name}"]`);
  const form = find<HTMLFormElement>("form", section);
  const outcome = find<HTMLElement>("[data-outcome]", section);
  /** A second click meanwhile would send the same twice. */
  let isSending = false;
  const failed = find<HTMLElement>("[data-save-state]").dataset["failed"] ?? "";
  return {
    section,
    form,
    /**
     * Asks the server for an action, and says in the group what came of it. Returns what was done:
     * nothing while another is under way.
     */
    async change<Result>(
      action: string,
      fields: Readonly<Record<string, string | Blob>>,
      said: "added" | "removed",
    ) {
      if (isSending) return undefined;
      isSending = true;
      outcome.textContent = "";
      const answer = await ask<Result>(setup, action, fields, setup.page + path);
      isSending = false;
      const isDone = answer && "done" in answer;
      outcome.textContent = isDone ? (outcome.dataset[said] ?? "") : (answer?.refused ?? failed);
      return isDone ? answer.done : undefined;
    },
    /** Calls back with each file that is sent and not too large; the form is emptied once it is stored. */
    onFile(store: (file: File) => Promise<boolean>) {
      form.addEventListener("submit", async (event) => {
        event.preventDefault();
        const [file] = find<HTMLInputElement>("[type=file]", form).files ?? [];
        if (!file) return;
        if (file.size > Number(form.dataset["largest"])) {
          outcome.textContent = form.dataset["tooLarge"] ?? "";
          return;
        }
        if (await store(file)) form.reset();
      });
    },
  };
}
