import { fill } from "../../../../i18n/fill.ts";
import { find } from "../../../../dashboard/browser/page-parts.ts";

/** The values that the look has by itself, as texts of options. */
export type OwnValues = Readonly<Record<string, string | undefined>>;

/** The sliders beside fields of numbers. */
export function createSliders() {
  const controls = [...document.querySelectorAll<HTMLElement>("[data-slider]")].map((control) => ({
    slider: find<HTMLInputElement>("[type=range]", control),
    field: find<HTMLInputElement>("[type=number]", control),
    mark: find<HTMLOptionElement>("[data-own-mark]", control),
    back: find<HTMLButtonElement>("[data-own-value]", control),
  }));
  const put = (field: HTMLInputElement, text: string) => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  for (const { slider, field, back } of controls) {
    slider.addEventListener("input", () => put(field, slider.value));
    back.addEventListener("click", () => put(field, back.value));
  }

  return {
    /** Brings the sliders in line with their fields, and marks the look's own values. */
    show(own: OwnValues) {
      for (const { slider, field, mark, back } of controls) {
        const value = own[field.name];
        const shown = field.value === "" ? value : field.value;
        // The field says when it holds what is not allowed.
        if (shown !== undefined && slider.value !== shown) slider.value = shown;
        field.placeholder = value ?? "";
        mark.value = value ?? "";
        back.hidden = value === undefined || shown === value;
        if (value === undefined) continue;
        back.textContent = fill(back.dataset["text"] ?? "", { value });
        back.value = value;
      }
    },
  };
}
