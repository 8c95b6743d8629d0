import { standInCoverAddress } from "../../../../addresses.ts";
import { find } from "../../../../dashboard/browser/page-parts.ts";
import type { OverlaySetup } from "../setup.ts";
import { ask } from "./ask.ts";

const SHOWN_PX = 96;

/** Sets and removes the picture for tracks without a cover. The preview gets it as all overlays do. */
export function changeStandIn(setup: OverlaySetup): void {
  const section = find<HTMLElement>("[data-stand-in]");
  const outcome = find<HTMLElement>("[data-outcome]", section);
  const current = find<HTMLElement>("[data-current]", section);
  const form = find<HTMLFormElement>("form", section);
  const failed = find<HTMLElement>("[data-save-state]").dataset["failed"] ?? "";

  const show = (id: string | undefined) => {
    current.hidden = id === undefined;
    current.querySelector("img")?.remove();
    if (id === undefined) return;
    const image = new Image(SHOWN_PX, SHOWN_PX);
    image.alt = current.dataset["alternative"] ?? "";
    image.src = standInCoverAddress(setup.basePath, id);
    current.prepend(image);
  };

  /** A second click during an upload would send the picture twice. */
  let isSending = false;
  const change = async <Result>(
    action: "cover set" | "cover remove",
    fields: Readonly<Record<string, Blob>>,
    said: "saved" | "removed",
  ): Promise<Result | undefined> => {
    if (isSending) return undefined;
    isSending = true;
    outcome.textContent = "";
    const answer = await ask<Result>(setup, action, fields, `${setup.page}/cover`);
    isSending = false;
    const isDone = answer && "done" in answer;
    outcome.textContent = isDone ? (outcome.dataset[said] ?? "") : (answer?.refused ?? failed);
    return isDone ? answer.done : undefined;
  };

  find("[data-remove]", current).addEventListener("click", async () => {
    if (await change("cover remove", {}, "removed")) show(undefined);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [file] = find<HTMLInputElement>("[type=file]", form).files ?? [];
    if (!file) return;
    if (file.size > Number(form.dataset["largest"])) {
      outcome.textContent = form.dataset["tooLarge"] ?? "";
      return;
    }
    const saved = await change<{ id: string }>("cover set", { file }, "saved");
    if (!saved) return;
    show(saved.id);
    form.reset();
  });
  show(setup.standIn);
}
