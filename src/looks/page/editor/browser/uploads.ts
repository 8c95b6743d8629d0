import { find } from "../../../../dashboard/browser/page-parts.ts";
import { send } from "../../../../dashboard/browser/send.ts";
import type { Font } from "../../../fonts.ts";
import type { OverlaySetup } from "../setup.ts";
import { readSetup } from "./editor.ts";

/**
 * Sends the forms of the groups in which files are uploaded and removed, without leaving the page, so that
 * what is not saved stays in its form. What the user has then is taken from the page as the server draws it.
 * @param onChange gets the user's fonts
 */
export function followUploads(
  { page, id }: OverlaySetup,
  onChange: (fonts: readonly Font[]) => void,
): void {
  const failed = find<HTMLElement>("[data-save-state]").dataset["failed"] ?? "";

  const readAgain = async () => {
    const answer = await fetch(`${page}?id=${id}`);
    const drawn = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-uploaded]")) {
      part.replaceWith(find(`#${part.id}`, drawn));
    }
    onChange(readSetup<OverlaySetup>(drawn).fonts);
  };

  /** Sends a form of a group, and returns what to say of it. */
  const sendFrom = async (group: HTMLElement, form: HTMLFormElement): Promise<string> => {
    const { largest, tooLarge = "", added = "", removed = "" } = group.dataset;
    const [file] = form.querySelector<HTMLInputElement>("[type=file]")?.files ?? [];
    if (file && file.size > Number(largest)) return tooLarge;
    const answer = await send(form.action, new FormData(form));
    if (!answer || "refused" in answer) return answer?.refused ?? failed;
    form.reset();
    // What was asked for is done, whatever becomes of this: another page shows it.
    await readAgain().catch(() => {});
    return file ? added : removed;
  };

  for (const group of document.querySelectorAll<HTMLElement>("[data-uploads]")) {
    const outcome = find("[data-outcome]", group);
    /** A second click meanwhile would send the same twice. */
    let isSending = false;
    group.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (isSending) return;
      isSending = true;
      outcome.textContent = "";
      const form = event.target as HTMLFormElement;
      outcome.textContent = await sendFrom(group, form);
      isSending = false;
    });
  }
}
