import { putOnPage } from "../../../dashboard/browser/put-on-page.ts";
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
  for (const [name, length] of Object.entries({ width, height })) {
    scene?.style.setProperty(`--source-${name}`, length);
    putOnPage(name, length);
  }
}
