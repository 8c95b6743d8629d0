import { sendForm } from "./send-form.ts";

/** Looks change the overlay on the stage at once, and its handle. */
export function offerLooks(): void {
  const choices = [...document.querySelectorAll<HTMLElement>("[data-look]")];
  for (const choice of choices) {
    const form = choice.querySelector("form");
    form?.addEventListener("submit", async (event) => {
      event.preventDefault();
      // The overlay itself follows over its socket.
      if (!(await sendForm(form))) return;
      for (const one of choices) {
        one.querySelector("button")?.setAttribute("aria-pressed", String(one === choice));
      }
      setSize(choice.dataset);
    });
  }
}

function setSize({ width = "", height = "" }: DOMStringMap): void {
  const scene = document.querySelector<HTMLElement>("[data-scene]");
  scene?.style.setProperty("--source-width", width);
  scene?.style.setProperty("--source-height", height);
  const handle = document.querySelector<HTMLElement>("[data-drag]");
  if (!handle) return;
  Object.assign(handle.dataset, { width, height });
  for (const [name, value] of Object.entries({ width, height })) {
    const shown = handle.querySelector(`[data-shows="${name}"]`);
    if (shown) shown.textContent = value;
  }
}
