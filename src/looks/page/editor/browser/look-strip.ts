import { find } from "../../../../dashboard/browser/page-parts.ts";
import { widgetOptions } from "../../../../../widget/options.ts";
import type { Look } from "../../../look.ts";
import { loadSeenFrames } from "../../gallery/browser/load-seen-frames.ts";

/** The looks that come with Marquee, by their codes. */
export type Looks = Readonly<Record<string, Look>>;

/** Whether something that is edited was made of a look: what has been changed of it does not matter. */
const isMadeOf = (edited: Pick<Look, "options" | "css">, look: Look): boolean =>
  edited.css === look.css && themeOf(edited) === themeOf(look);

/** The theme that a look has, which is a look itself. */
export const themeOf = ({ options }: Pick<Look, "options">): string =>
  options["theme"] ?? widgetOptions.theme.fallback;

/** The code of the look that something is made of; `undefined` for one of the user's own. */
export const lookOf = (looks: Looks, edited: Pick<Look, "options" | "css">): string | undefined =>
  Object.keys(looks).find((name) => isMadeOf(edited, looks[name] as Look));

/** The strip of looks. @param onChoose gets the code of the chosen one */
export function createLookStrip(onChoose: (code: string) => void) {
  const strip = find<HTMLElement>("[data-strip]");
  const radios = [...strip.querySelectorAll<HTMLInputElement>("[name=look]")];
  for (const radio of radios) radio.addEventListener("change", () => onChoose(radio.value));

  const all = find<HTMLElement>("[data-all-looks]", strip);
  all.addEventListener("click", () => {
    all.ariaExpanded = String(strip.toggleAttribute("data-shows-all"));
  });

  loadSeenFrames(strip);

  return {
    /** Rings the look that the draft is made of. */
    show(name: string | undefined) {
      for (const radio of radios) radio.checked = radio.value === name;
    },
    nameOf(code: string) {
      const label = radios.find(({ value }) => value === code)?.closest("label");
      return label?.querySelector("b")?.textContent ?? code;
    },
  };
}
