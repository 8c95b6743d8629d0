import { entriesOf, fetchPage } from "../../../../dashboard/browser/page-parts.ts";

/** The editors of texts and cards: shows every change at once, and inserts placeholders. */
const form = document.querySelector<HTMLFormElement>("form[data-output]");
const SHOWN_AFTER_MS = 200;

let shown = 0;

/** Asks the server to show what is typed, as its button does, and takes over what it answers. */
async function showTyped(of: HTMLFormElement): Promise<void> {
  const round = ++shown;
  const body = entriesOf(of);
  body.set("do", "show");
  // Without an answer the page stays as it is; saving says what is wrong.
  const page = await fetchPage(of.action, { method: "POST", body });
  const fresh = page?.querySelector("[data-preview]");
  if (round !== shown || !page || !fresh) return;
  document.querySelector("[data-preview]")?.replaceWith(fresh);
  for (const field of of.querySelectorAll<HTMLInputElement>("input[id]")) {
    const mistake = page.getElementById(`${field.id}-mistake`);
    document.getElementById(`${field.id}-mistake`)?.remove();
    if (mistake) field.after(mistake);
    const described = page.getElementById(field.id)?.getAttribute("aria-describedby");
    if (described) field.setAttribute("aria-describedby", described);
    if (mistake) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
}

if (form) {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const update = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void showTyped(form), SHOWN_AFTER_MS);
  };
  form.addEventListener("input", update);

  for (const button of form.querySelectorAll<HTMLElement>("[data-without-script]")) {
    button.hidden = true;
  }
  const fields = [...form.querySelectorAll<HTMLInputElement>('input[type="text"]')];
  let chosen = fields[0];
  for (const field of fields) field.addEventListener("focus", () => (chosen = field));
  for (const name of form.querySelectorAll<HTMLElement>("[data-insert]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.append(...name.childNodes);
    name.replaceWith(button);
    const text = name.dataset["insert"] ?? "";
    button.addEventListener("click", () => {
      if (!chosen) return;
      chosen.focus();
      chosen.setRangeText(text, chosen.selectionStart ?? 0, chosen.selectionEnd ?? 0, "end");
      update();
    });
  }
}
